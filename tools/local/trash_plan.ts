// The plan of a trash call: all paths are resolved before anything is decided, and whatever speaks
// against one of them stops the call before anything moves (local-tools spec, 1.9).

import {
  batchName,
  type Existing,
  inspectTrash,
  isInside,
  isInTrash,
  ITEMS_FOLDER,
  type Measure,
  nativeRules,
  quote,
  resolveEntry,
  ToolError,
  trashBase,
  trashFolder,
} from "../../containment/mod.ts";
import type { Bound, Plan, ToolContext } from "../tool.ts";
import {
  entryBinding,
  measureBinding,
  measureEntry,
  measureFields,
  refuseGoverned,
  unreadableWarnings,
} from "./change.ts";
import { checkExpectations, type Expectation } from "./expect.ts";
import { withoutRepeats } from "./repeats.ts";

export interface TrashInput {
  paths: string[];
  expect?: Expectation[];
}

export interface PlannedItem {
  entry: Existing;
  measured: Measure;
  /** The folder that holds the trash folder. */
  base: string;
  sha256?: string;
}

/** An item as a preview shows it. */
export type ShownItem = {
  source: string;
  root: string;
  trash_directory: string;
  destination: string;
  kind: string;
  files: number;
  bytes: number;
  bytes_human: string;
  plan_binding: string;
};

export interface TrashPlan extends Plan {
  items: PlannedItem[];
  output: {
    performed: boolean;
    action: string;
    trash_stamp: string;
    repeated_paths_ignored: number;
    items: ShownItem[];
    note: string;
    warnings?: string[];
  };
}

const NOTE = "Items move into the trash folder on their own volume. The batch that is made when " +
  "the plan is carried out gets a new name. Nothing is deleted and no space is freed.";

export function planTrash(context: ToolContext, input: TrashInput): TrashPlan {
  if (!Array.isArray(input.paths) || input.paths.length === 0) {
    throw new ToolError("invalid_path", "paths is empty: name at least one item");
  }
  if (input.paths.length > 1000) {
    throw new ToolError(
      "invalid_argument",
      `paths has ${input.paths.length} entries; a call takes at most 1000. Nothing was changed`,
    );
  }
  const resolved = input.paths.map((path, i) => resolveEntry(path, `paths[${i}]`, context));
  const entries = withoutRepeats(context.disk, resolved);
  refuseOverlaps(context, entries);
  for (const entry of entries) refuseItem(context, entry);
  const items = entries.map((entry) => planItem(context, entry));
  const digests = checkExpectations(context, input.expect ?? [], entries);
  for (const item of items) item.sha256 = digests.get(item.entry.path);
  const stamp = batchName(context.now());
  const warnings = items.flatMap((item) => unreadableWarnings(item.measured));
  return {
    items,
    output: {
      performed: false,
      action: "trash",
      trash_stamp: stamp,
      repeated_paths_ignored: resolved.length - entries.length,
      items: items.map((item, index) => show(item, stamp, index)),
      note: NOTE,
      ...(warnings.length > 0 ? { warnings } : {}),
    },
    binding: { action: "trash", items: bindItems(items), expect: bindExpect(input.expect) },
  };
}

/** Throws when an item lies inside another: moving the outer one takes the inner along. */
function refuseOverlaps(context: ToolContext, entries: Existing[]): void {
  const folders = new Map<string, Existing>();
  const key = (info: Deno.FileInfo) => `${info.dev}:${info.ino}`;
  for (const entry of entries) {
    if (entry.info.isDirectory) folders.set(key(entry.info), entry);
  }
  for (const entry of entries) {
    const { dirname } = nativeRules;
    for (let at = dirname(entry.path); isInside(at, entry.root.path); at = dirname(at)) {
      const outer = folders.get(key(context.disk.lstat(at)));
      if (outer !== undefined && outer !== entry) throw overlap(entry.path, outer.path);
      if (at === entry.root.path) break;
    }
  }
}

function overlap(inner: string, outer: string): ToolError {
  return new ToolError(
    "overlapping_paths",
    `${quote(inner)} is inside ${quote(outer)}, which is listed too; nothing was changed. ` +
      "List only the outer one",
  );
}

function refuseItem(context: ToolContext, entry: Existing): void {
  if (entry.path === entry.root.path) {
    throw new ToolError(
      "cannot_trash_root",
      `${quote(entry.path)} is a granted folder itself and cannot be trashed; nothing was changed`,
    );
  }
  if (isInTrash(entry.path, entry.root)) {
    throw new ToolError(
      "already_trashed",
      `${quote(entry.path)} is in the trash already; nothing was changed. ` +
        "Emptying the trash is for the user to do, by hand",
    );
  }
  refuseGoverned(context, entry.path);
}

function planItem(context: ToolContext, entry: Existing): PlannedItem {
  const base = trashBase(context.disk, entry.path, entry.info, entry.root);
  inspectTrash(base, context);
  const measured = measureEntry(context, entry.path, entry.info);
  if (measured.trashes.count > 0) {
    throw new ToolError(
      "trash_protected",
      `${quote(entry.path)} holds a trash folder, ${quote(measured.trashes.first)}; ` +
        "nothing was changed",
    );
  }
  return { entry, measured, base };
}

function show(item: PlannedItem, stamp: string, index: number): ShownItem {
  const { entry, measured, base } = item;
  const folder = trashFolder(base);
  return {
    source: entry.path,
    root: entry.root.path,
    trash_directory: folder,
    destination: nativeRules.join(
      folder,
      stamp,
      ITEMS_FOLDER,
      String(index + 1),
      nativeRules.basename(entry.path),
    ),
    ...measureFields(measured),
    plan_binding: measured.binding,
  };
}

/** Keyed by path, so that the order of the arguments does not matter. */
function bindItems(items: PlannedItem[]): Bound {
  return Object.fromEntries(items.map(({ entry, measured, base, sha256 }) => [entry.path, {
    trash_directory: trashFolder(base),
    ...measureBinding(measured),
    entry: entryBinding(entry.info),
    sha256,
  }]));
}

function bindExpect(expect: Expectation[] | undefined): Bound {
  return Object.fromEntries(
    (expect ?? []).map(({ path, ...rest }) => [path, { ...rest }]),
  );
}
