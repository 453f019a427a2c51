// What lies on the server's disk, for tests that exchange or damage it, and content to put there.

import type { FileRow } from "../../../vault/server/rows/rows.ts";
import { type Owned, readText } from "./support.ts";

/** So many bytes that do not repeat soon, in uneven pieces. */
export function numbers(size: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= size) return controller.close();
      const piece = new Uint8Array(Math.min(100_003, size - at));
      for (let i = 0; i < piece.length; i++) piece[i] = (at + i) * 2654435761 >>> 24;
      at += piece.length;
      controller.enqueue(piece);
    },
  }, { highWaterMark: 0 });
}

/** Where an object lies. */
export function objectPath(dir: string, key: string): string {
  return `${dir}/objects/${key.slice(0, 2)}/${key.slice(2, 4)}/${key}`;
}

/** Exchanges two objects on the disk. */
export function swapObjects(dir: string, a: FileRow, b: FileRow): void {
  const [first, second] = [objectPath(dir, a.storageKey), objectPath(dir, b.storageKey)];
  Deno.renameSync(first, `${first}.swap`);
  Deno.renameSync(second, first);
  Deno.renameSync(`${first}.swap`, second);
}

/** A stored object, the only one unless said, changed on the disk. */
export function damage(
  { server, dir }: Owned,
  change: (bytes: Uint8Array) => Uint8Array,
  key = [...server.objects.list()][0].key,
): void {
  const path = objectPath(dir, key);
  Deno.writeFileSync(path, change(Deno.readFileSync(path)));
}

/** What reading a file comes to: its text, or the code of the failure. */
export async function read({ vault }: Owned, id: string): Promise<string> {
  try {
    return await readText(vault, id);
  } catch (error) {
    return (error as { code: string }).code;
  }
}
