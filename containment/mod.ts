// What the rest of the program uses of containment.

export { CancelFlag, SharedFlag } from "./cancel.ts";
export { type Disk, mtimeOf, realDisk } from "./disk.ts";
export { asToolError, errnoOf, type ErrorRecord, isMissing, ToolError } from "./error.ts";
export { createHash, type Hash, preloadNode, sameBytes } from "./node.ts";
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
  type Scope,
  type Target,
} from "./resolve.ts";
export { narrowRoots } from "./narrow.ts";
export { bundledPage, entryName, programFolder } from "./rooms/modules.ts";
export { describePermissions, LOOPBACK, type RoomKind } from "./rooms/permissions.ts";
export type { Progress } from "./rooms/protocol.ts";
export { checkRoot, isPseudo, type OpenedRoots, openRoots, type Root } from "./roots.ts";
export { byCodeUnit, cut, hasHidden, quote, visible } from "./text.ts";
export {
  DEFAULT_SKIP_DIRS,
  entryBudget,
  MAX_DEPTH,
  TRASH_NAME,
  type Visit,
  walk,
  type WalkOptions,
  type WalkPorts,
  type WalkStart,
} from "./walk.ts";
export { MAX_LISTED, requireOpened, type WalkReport } from "./walk_report.ts";
export { type ContentPorts, hashFile, type Lost } from "./copy.ts";
export { makeFolders, removeEmptyFolders } from "./folders.ts";
export {
  foldName,
  identityOf,
  isSameEntry,
  type Kind,
  kindOf,
  lookAt,
  sameInode,
  unchanged,
} from "./identity.ts";
export { locked } from "./lock.ts";
export { MANIFEST_NAME, writeManifest } from "./manifest.ts";
export { type Measure, measure } from "./measure.ts";
export { moveNoReplace, type ReplaceGuard, respell } from "./move.ts";
export { refuseProtected } from "./protected.ts";
export {
  type FileRead,
  hashOf,
  type NotKept,
  readWhole,
  replaceFile,
  type Replacement,
  requireSeen,
  type Seen,
} from "./replace.ts";
export { Batch, batchName, type BatchOrigin, README_NAME } from "./trash_batch.ts";
export { ITEMS_FOLDER, type TrashItem } from "./trash_item.ts";
export { inspectTrash, isInTrash, trashBase, trashFolder, type TrashPorts } from "./trash_place.ts";
export { readBatch, readTrash, type StoredBatch, type StoredItem } from "./trash_store.ts";
export {
  type LeftBehind,
  moveAcrossVolumes,
  STAGING_PREFIX,
  stagingName,
  type VolumeMove,
} from "./volume_move.ts";
