// Downloads: one file as it is, several or folders as a zip file. What is large goes straight to a file that
// the person picks, where the browser can do that; the rest goes through the browser's own storage.

import { safePart } from "../../vault/owner/export.ts";
import type { Item, Tree } from "../../vault/owner/mod.ts";
import { visible } from "../../containment/text.ts";
import { canWriteFiles, pickFile } from "../text/pickers.ts";
import { saveBlob } from "../text/save_blob.ts";
import { countText } from "../text/format.ts";
import { reasonText } from "../text/sentence.ts";
import type { Destination } from "../vault/calls.ts";
import type { Job } from "../transfers/queue.ts";

/** From so many bytes on a file is asked for first. */
export const LARGE_BYTES = 128 * 1024 * 1024;

/** Where so many bytes go; undefined when the person chose no place. */
async function destination(name: string, bytes: number): Promise<Destination | undefined> {
  if (bytes < LARGE_BYTES || !canWriteFiles()) return { kind: "blob" };
  const handle = await pickFile(name);
  return handle && { kind: "file", handle };
}

/** What a download of some items amounts to. */
export function measure(
  tree: Tree,
  items: readonly Item[],
): { files: number; folders: number; bytes: number } {
  let files = 0;
  let folders = 0;
  let bytes = 0;
  const waiting = [...items];
  for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
    if (item.kind === "folder") {
      folders++;
      waiting.push(...tree.children(item.id));
    } else {
      files++;
      bytes += item.size;
    }
  }
  return { files, folders, bytes };
}

/** The download of some items; undefined when the person chose no place for it. To be called in a click. */
export async function downloadJob(tree: Tree, items: readonly Item[]): Promise<Job | undefined> {
  const [only] = items;
  const single = items.length === 1 && only.kind === "file";
  const { files, bytes } = measure(tree, items);
  const stem = items.length === 1 ? only.name : `ShieldFive, ${countText(files, "file")}`;
  const name = safePart(stem ?? "unnamed") + (single ? "" : ".zip");
  const to = await destination(name, bytes);
  if (to === undefined) return undefined;
  return {
    kind: "download",
    name,
    size: bytes,
    async run(client, options) {
      if (single) {
        const blob = await client.call("download", [only.id, to], options);
        if (blob !== undefined) saveBlob(blob, name);
        return;
      }
      const ids = items.map(({ id }) => id);
      const { blob, failed } = await client.call("collect", [ids, to], options);
      if (blob !== undefined) saveBlob(blob, name);
      if (failed.length > 0) throw new Error(leftOut(failed));
    },
  };
}

/** Says what is not in a zip file. */
export function leftOut(failed: readonly { path: string; code: string }[]): string {
  const [first] = failed;
  const rest = failed.length > 1 ? `, and ${failed.length - 1} more` : "";
  return `Left out: “${visible(first.path)}”, since ${reasonText(first.code)}${rest}.`;
}
