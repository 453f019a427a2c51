// Which items a restore is about: those of a batch, or single ones by where they were or are. What the
// arguments name is looked up in the manifests, never guessed (local-tools spec, 1.10).

import {
  isInside,
  nativeRules,
  quote,
  resolveDestination,
  resolveEntry,
  type StoredBatch,
  type StoredItem,
  ToolError,
} from "../../containment/mod.ts";
import type { ToolContext } from "../tool.ts";
import { findBatches } from "./trashed.ts";

export interface RestoreInput {
  batch?: string;
  paths?: string[];
  restore_as?: string;
}

/** An item of a batch. */
export interface Chosen {
  batch: StoredBatch;
  item: StoredItem;
}

/** Stands for the newest batch that still has something to restore. */
export const NEWEST = "newest";

/** Folders looked at in search of trash folders. */
const MAX_FOLDERS = 1_000_000;

/** The items that the arguments name. */
export function choose(context: ToolContext, input: RestoreInput): Chosen[] {
  if ((input.batch === undefined) === (input.paths === undefined)) {
    throw new ToolError(
      "invalid_argument",
      "give either batch or paths; list_trash shows what there is. Nothing was changed",
    );
  }
  const { batches } = findBatches(context, undefined, MAX_FOLDERS);
  if (input.batch !== undefined) {
    return batchesCalled(context, batches, input.batch).flatMap((batch) => {
      if (batch.manifest !== "ok") throw unknownItems(batch);
      return batch.items.filter((item) => item.state !== "restored")
        .map((item) => ({ batch, item }));
    });
  }
  const chosen = input.paths!.map((path, i) => chooseItem(context, batches, path, `paths[${i}]`));
  // One item may be named twice: by where it was and by where it is.
  return [...new Map(chosen.map((each) => [each.item.stored, each])).values()];
}

/** The batches of one call: one on every volume from which it took items. */
function batchesCalled(context: ToolContext, batches: StoredBatch[], name: string): StoredBatch[] {
  if (nativeRules.isAbsolute(name)) {
    const folder = folderNamed(context, name);
    const batch = batches.find((each) => each.folder === folder);
    if (batch !== undefined) return [batch];
  }
  const newest = batches.find((each) => each.items.some((item) => item.info !== undefined));
  const wanted = name === NEWEST ? newest?.name : name;
  const found = batches.filter((each) =>
    each.name === wanted && (name !== NEWEST || each.manifest === "ok")
  );
  if (found.length > 0) return found;
  throw new ToolError(
    "not_found",
    name === NEWEST
      ? "nothing in the trash is left to restore; nothing was changed"
      : `no batch is called ${quote(name)}; list_trash shows them. Nothing was changed`,
  );
}

/** A batch's folder in the spelling that batches have; undefined where nothing is there. */
function folderNamed(context: ToolContext, folder: string): string | undefined {
  try {
    return resolveEntry(folder, "batch", context).path;
  } catch (error) {
    if (error instanceof ToolError && error.code === "not_found") return undefined;
    throw error;
  }
}

function unknownItems(batch: StoredBatch): ToolError {
  return new ToolError(
    "manifest_invalid",
    `the batch ${quote(batch.folder)} has ${
      batch.manifest === "missing" ? "no manifest" : "a manifest that cannot be read"
    }, so where its items were is not known; nothing was changed. ` +
      "They can be moved out by hand with move_local",
    { detail: { batch: batch.folder } },
  );
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
  const unknown = batches.find((batch) =>
    batch.manifest !== "ok" && isInside(spelled, batch.folder)
  );
  if (unknown !== undefined) throw unknownItems(unknown);
  throw new ToolError(
    "not_found",
    `${
      quote(path)
    } is in no batch of the trash; list_trash shows what there is. Nothing was changed`,
  );
}
