// The plan of a restore: which items, from which batches, to where, and which cannot go back as
// things are (local-tools spec, 1.10).

import {
  byCodeUnit,
  type Destination,
  isInTrash,
  lookAt,
  nativeRules,
  quote,
  readBatch,
  readTrash,
  resolveDestination,
  type StoredBatch,
  type StoredItem,
  ToolError,
} from "../../containment/mod.ts";
import { formatBytes } from "../format.ts";
import type { Plan, ToolContext } from "../tool.ts";
import {
  entryBinding,
  measureBinding,
  measureEntry,
  refuseGoverned,
  unreadableWarnings,
} from "./change.ts";
import { foldersToMake } from "./mkdir.ts";
import { findTrashes, newestFirst } from "./trashed.ts";

export interface RestoreInput {
  batch?: string;
  paths?: string[];
  restore_as?: string;
}

/** An item to put back. */
export interface Restorable {
  batch: StoredBatch;
  item: StoredItem & { info: Deno.FileInfo };
  to: Destination;
}

/** An item that stays, and why. A type, so that it is a JSON value. */
export type Blocked = { original_path: string; code: string; message: string; restore_as?: string };

interface Chosen {
  batch: StoredBatch;
  item: StoredItem;
}

export interface RestorePlan extends Plan {
  restorable: Restorable[];
  blocked: Blocked[];
}

/** Stands for the newest batch that still has something to restore. */
export const NEWEST = "newest";

/** Folders looked at in search of trash folders. */
const MAX_FOLDERS = 1_000_000;

export function planRestore(context: ToolContext, input: RestoreInput): RestorePlan {
  const chosen = choose(context, input);
  if (input.restore_as !== undefined && chosen.length !== 1) {
    throw new ToolError(
      "invalid_argument",
      `restore_as goes with exactly one item, and this would restore ${chosen.length}; ` +
        "nothing was changed",
    );
  }
  const restorable: Restorable[] = [];
  const blocked: Blocked[] = [];
  const claimed = new Set<string>();
  for (const each of chosen) {
    const found = place(context, each, input.restore_as, claimed);
    if ("code" in found) blocked.push(found);
    else restorable.push(found);
  }
  // Outer folders first, so that what was inside them finds its place.
  restorable.sort((a, b) => byCodeUnit(a.to.path, b.to.path));
  if (restorable.length === 0) throw nothingToRestore(blocked);
  return finishPlan(context, restorable, blocked);
}

function nothingToRestore(blocked: Blocked[]): ToolError {
  const [only] = blocked;
  if (only === undefined) {
    return new ToolError(
      "not_found",
      "nothing in the trash is left to restore; nothing was changed",
    );
  }
  const detail = { not_restored: blocked };
  if (blocked.length === 1) return new ToolError(only.code, only.message, { detail });
  return new ToolError(
    "restore_failed",
    `none of the ${blocked.length} items can be restored (first: ${only.message}); ` +
      "nothing was changed",
    { detail },
  );
}

/** The items that the arguments name. */
function choose(context: ToolContext, input: RestoreInput): Chosen[] {
  if ((input.batch === undefined) === (input.paths === undefined)) {
    throw new ToolError(
      "invalid_argument",
      "give either batch or paths; list_trash shows what there is. Nothing was changed",
    );
  }
  const batches = allBatches(context);
  if (input.batch !== undefined) return chooseBatch(context, batches, input.batch);
  const readable = batches.filter((batch) => batch.manifest === "ok");
  return input.paths!.map((path, i) => chooseItem(context, readable, path, `paths[${i}]`));
}

/** Every batch in every trash folder, newest first. */
export function allBatches(context: ToolContext): StoredBatch[] {
  const { trashes } = findTrashes(context, undefined, MAX_FOLDERS);
  return trashes.flatMap((trash) => readTrash(context.disk, trash)).sort(newestFirst);
}

function chooseBatch(context: ToolContext, batches: StoredBatch[], name: string): Chosen[] {
  const batch = name === NEWEST
    ? batches.find((each) => each.items.some((item) => item.info !== undefined))
    : batches.find((each) => each.name === name || each.folder === name.replace(/[/\\]+$/, ""));
  if (batch === undefined) {
    throw new ToolError(
      "not_found",
      name === NEWEST
        ? "nothing in the trash is left to restore; nothing was changed"
        : `no batch is called ${quote(name)}; list_trash shows them. Nothing was changed`,
    );
  }
  if (batch.manifest !== "ok") {
    throw new ToolError(
      "manifest_invalid",
      `the batch ${quote(batch.folder)} has ${
        batch.manifest === "missing" ? "no manifest" : "a manifest that cannot be read"
      }, so where its items were is not known; nothing was changed. ` +
        "They can be moved out by hand with move_local",
    );
  }
  const fresh = readBatch(context.disk, batch.folder);
  return fresh.items.filter((item) => item.state !== "restored").map((item) => ({
    batch: fresh,
    item,
  }));
}

/** An item by where it was or is; in several batches, the newest one that still has it. */
function chooseItem(
  context: ToolContext,
  batches: StoredBatch[],
  path: string,
  field: string,
): Chosen {
  const spelled = resolveDestination(path, field, context).path;
  const matches = batches.flatMap((batch) =>
    batch.items
      .filter((item) => [item.original, item.stored].some((at) => at === path || at === spelled))
      .map((item) => ({ batch, item }))
  );
  const chosen = matches.find(({ item }) => item.info !== undefined) ?? matches[0];
  if (chosen !== undefined) return chosen;
  throw new ToolError(
    "not_found",
    `${
      quote(path)
    } is in no batch of the trash; list_trash shows what there is. Nothing was changed`,
  );
}

/** Where an item can go back to, or why it cannot. */
function place(
  context: ToolContext,
  { batch, item }: Chosen,
  restoreAs: string | undefined,
  claimed: Set<string>,
): Restorable | Blocked {
  const wanted = restoreAs ?? item.original;
  const block = (code: string, message: string, free?: string): Blocked => ({
    original_path: item.original,
    code,
    message,
    ...(free === undefined ? {} : { restore_as: free }),
  });
  const { info } = item;
  if (info === undefined) {
    return item.state === "restored"
      ? block("not_found", `${quote(item.original)} was restored already`)
      : block("not_found", `${quote(item.original)} is not in its batch any more`);
  }
  let to: Destination;
  try {
    to = resolveDestination(
      wanted,
      restoreAs === undefined ? "original_path" : "restore_as",
      context,
    );
    refuseGoverned(context, to.path);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return block(error.code, error.message);
  }
  if (isInTrash(to.path, to.root)) {
    return block("trash_protected", `${quote(to.path)} is inside a trash folder`);
  }
  if (to.info !== undefined || claimed.has(to.path)) {
    const free = freeName(context, to.path, claimed);
    return block(
      "destination_exists",
      `something is already at ${quote(to.path)} and is not replaced; restore_as ${
        quote(free)
      } is free`,
      free,
    );
  }
  claimed.add(to.path);
  return { batch, item: { ...item, info }, to };
}

/** The path with a number that nothing has yet. */
function freeName(context: ToolContext, path: string, claimed: Set<string>): string {
  const { dir, name, ext } = nativeRules.parse(path);
  for (let n = 1;; n++) {
    const free = nativeRules.join(dir, `${name} (restored${n === 1 ? "" : ` ${n}`})${ext}`);
    if (!claimed.has(free) && lookAt(context.disk, free) === undefined) return free;
  }
}

function finishPlan(
  context: ToolContext,
  restorable: Restorable[],
  blocked: Blocked[],
): RestorePlan {
  const measured = restorable.map(({ item }) => measureEntry(context, item.stored, item.info));
  const creates = new Set(restorable.flatMap(({ to }) => foldersToMake(to)));
  for (const { to } of restorable) creates.delete(to.path);
  const modified = restorable.filter(({ item }) => item.state === "modified").length;
  const warnings = [
    ...measured.flatMap(unreadableWarnings),
    ...(modified > 0 ? [`${modified} item(s) changed while they were in the trash`] : []),
  ];
  return {
    restorable,
    blocked,
    output: {
      performed: false,
      action: "restore",
      items: restorable.map(({ batch, item, to }, i) => ({
        batch: batch.name,
        original_path: item.original,
        trashed_to: item.stored,
        restore_to: to.path,
        kind: measured[i].kind,
        files: measured[i].files,
        bytes: measured[i].bytes,
        bytes_human: formatBytes(measured[i].bytes),
      })),
      blocked,
      creates_directories: [...creates].sort(byCodeUnit),
      ...(warnings.length > 0 ? { warnings } : {}),
    },
    binding: {
      action: "restore",
      items: Object.fromEntries(restorable.map(({ item, to }, i) => [item.stored, {
        original_path: item.original,
        restore_to: to.path,
        ...measureBinding(measured[i]),
        entry: entryBinding(item.info),
      }])),
      blocked: blocked.map(({ original_path, code }) => ({ original_path, code })),
    },
  };
}
