// What the rest of the program uses of containment.

export { CancelFlag } from "./cancel.ts";
export { type Disk, mtimeOf, realDisk } from "./disk.ts";
export { asToolError, errnoOf, type ErrorRecord, isMissing, ToolError } from "./error.ts";
export {
  checkNewName,
  isInside,
  nativeRules,
  normalizeArgument,
  type PathRules,
  windowsNameProblem,
} from "./paths.ts";
export {
  type Destination,
  type Existing,
  resolveDestination,
  resolveEntry,
  resolveExisting,
  resolveTarget,
  rootOf,
  type Scope,
  type Target,
} from "./resolve.ts";
export type { Progress } from "./rooms/protocol.ts";
export { checkRoot, isPseudo, type OpenedRoots, openRoots, type Root } from "./roots.ts";
export { byCodeUnit, cut, hasHidden, quote, visible } from "./text.ts";
export {
  DEFAULT_SKIP_DIRS,
  MAX_DEPTH,
  TRASH_NAME,
  type Visit,
  walk,
  type WalkOptions,
  type WalkPorts,
  type WalkReport,
  type WalkStart,
} from "./walk.ts";
