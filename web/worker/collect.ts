// Many files at once: into a folder that the person picked, or into one zip file. A file that does not open
// is left out and named; the others are written all the same.

import { makeZip } from "client-zip";
import type { ExportedFile } from "../../vault/owner/mod.ts";
import type { Exported, ExportProgress, TreeDestination } from "../vault/calls.ts";
import { blobOf, save, writeFile } from "./save.ts";

/** What goes out, and who is told of it. */
export interface Collection {
  files: AsyncIterable<ExportedFile>;
  /** What there is, as far as it is known beforehand. */
  totalFiles: number;
  totalBytes: number;
  /** Filled by whoever makes `files`, too. */
  failed: Exported["failed"];
  onProgress(progress: ExportProgress): void;
  signal: AbortSignal;
}

/** Counts what was written, and tells of it. */
class Count {
  files = 0;
  bytes = 0;
  readonly #collection: Collection;

  constructor(collection: Collection) {
    this.#collection = collection;
  }

  /** The same stream; its bytes are told of as they pass. */
  watch(content: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    return content.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (piece, controller) => {
          this.bytes += piece.length;
          this.tell();
          controller.enqueue(piece);
        },
      }),
    );
  }

  tell(): void {
    const { totalFiles, totalBytes, onProgress } = this.#collection;
    onProgress({ files: this.files, bytes: this.bytes, totalFiles, totalBytes });
  }
}

/** What a failure is called in the list of what was left out. */
function codeOf(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  return typeof code === "string" ? code : (error as Error).name;
}

/**
 * Writes the files of a collection.
 *
 * @throws the signal's reason, and whatever keeps the destination itself from being written.
 */
export async function collect(collection: Collection, to: TreeDestination): Promise<Exported> {
  const count = new Count(collection);
  count.tell();
  let blob: Blob | undefined;
  if (to.kind === "folder") {
    const folder = await to.handle.getDirectoryHandle(to.name, { create: true });
    await intoFolder(collection, count, folder);
  } else {
    blob = await save(zipOf(collection, count), to, "application/zip");
  }
  return { files: count.files, bytes: count.bytes, failed: collection.failed, blob };
}

async function intoFolder(
  { files, failed, signal }: Collection,
  count: Count,
  folder: FileSystemDirectoryHandle,
): Promise<void> {
  for await (const { path, content } of files) {
    signal.throwIfAborted();
    const { parent, name } = await makeParents(folder, path);
    try {
      const handle = await parent.getFileHandle(name, { create: true });
      await writeFile(count.watch(content), handle);
      count.files++;
      count.tell();
    } catch (error) {
      await removeIfThere(parent, name);
      signal.throwIfAborted();
      if (isOfDestination(error)) throw error;
      failed.push({ path, code: codeOf(error) });
    }
  }
}

/** Whether it is the place that failed, and not the file: no room, no right to write. */
function isOfDestination(error: unknown): boolean {
  return error instanceof DOMException && error.name !== "AbortError";
}

async function makeParents(
  folder: FileSystemDirectoryHandle,
  path: string,
): Promise<{ parent: FileSystemDirectoryHandle; name: string }> {
  const names = path.split("/");
  const name = names.pop()!;
  let parent = folder;
  for (const each of names) parent = await parent.getDirectoryHandle(each, { create: true });
  return { parent, name };
}

async function removeIfThere(parent: FileSystemDirectoryHandle, name: string): Promise<void> {
  try {
    await parent.removeEntry(name);
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "NotFoundError")) throw error;
  }
}

/** One zip file. What goes into it has been checked to its end before its first byte is written. */
function zipOf(collection: Collection, count: Count): ReadableStream<Uint8Array> {
  const { files, failed, signal } = collection;
  async function* entries() {
    for await (const { path, content, modifiedAt } of files) {
      signal.throwIfAborted();
      let input: Blob;
      try {
        input = await blobOf(count.watch(content));
      } catch (error) {
        signal.throwIfAborted();
        failed.push({ path, code: codeOf(error) });
        continue;
      }
      yield { name: path, lastModified: new Date(modifiedAt), input, size: input.size };
      count.files++;
      count.tell();
    }
  }
  return makeZip(entries());
}
