// Batches of the trash on real folders, for the tests of what is in a batch and of where it lies.

import {
  Batch,
  batchName,
  realDisk,
  type TrashItem,
  type TrashPorts,
} from "../../containment/mod.ts";

/** What a batch works with; pass `over` to replace parts of it. */
export function portsOf(over: Partial<TrashPorts> = {}): TrashPorts {
  return {
    disk: realDisk,
    now: Date.now,
    uid: Deno.uid() ?? undefined,
    version: "0.0.0-test",
    ...over,
  };
}

/** An entry as the trash takes it. */
export function itemOf(source: string, over: Partial<TrashItem> = {}): TrashItem {
  const info = Deno.lstatSync(source);
  return { source, info, files: 1, bytes: info.size, ...over };
}

/** Opens a batch with some entries of a folder. */
export function openBatch(
  dir: string,
  names: string[],
  over: Partial<TrashPorts> = {},
  name = batchName(0),
) {
  const items = names.map((each) => itemOf(`${dir}/${each}`));
  const origin = { base: dir, root: dir, name, tool: "trash_local" };
  return Batch.open(origin, items, portsOf(over));
}
