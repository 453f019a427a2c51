// Where decrypted bytes are put. A file's content may turn out to be cut or changed at its very end: until
// then nothing of it is where it would be taken for the file, and afterwards nothing of a bad one is left.

import type { Destination } from "../vault/calls.ts";

/** Bytes that are gathered before they become a part of a blob, which the browser may keep on disk. */
const PART_BYTES = 8 * 1024 * 1024;

/** All of a stream as a blob. */
export async function blobOf(content: ReadableStream<Uint8Array>, type = ""): Promise<Blob> {
  const parts: Blob[] = [];
  let pieces: Uint8Array<ArrayBuffer>[] = [];
  let gathered = 0;
  for await (const piece of content) {
    pieces.push(piece as Uint8Array<ArrayBuffer>);
    gathered += piece.length;
    if (gathered < PART_BYTES) continue;
    parts.push(new Blob(pieces));
    pieces = [];
    gathered = 0;
  }
  return new Blob([...parts, ...pieces], { type });
}

/**
 * Writes a stream to a file. The browser writes to a copy and puts it in the file's place at the end; of a
 * stream that fails nothing stays, and what was in the file before is still there.
 */
export async function writeFile(
  content: ReadableStream<Uint8Array>,
  handle: FileSystemFileHandle,
): Promise<void> {
  // Closing, and on a failure throwing the copy away, is what piping does.
  await content.pipeTo(
    await handle.createWritable() as unknown as WritableStream<Uint8Array>,
  );
}

/** Puts a stream where it was asked for; gives the blob, if one was. */
export async function save(
  content: ReadableStream<Uint8Array>,
  to: Destination,
  type?: string,
): Promise<Blob | undefined> {
  if (to.kind === "blob") return await blobOf(content, type);
  await writeFile(content, to.handle);
}
