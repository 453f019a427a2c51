// Objects as files of the data folder: `objects/ab/cd/<key>`, two levels so that no folder grows large,
// and what is being written in `objects/incoming/<key>.<random>`. Keys are checked before they become
// paths, nothing is replaced, links are not followed.

import { isMissing, ToolError } from "../../../containment/error.ts";
import { ensureFolder, entriesOf, lookAt, removeFile, syncFolder } from "./folders.ts";
import {
  isStorageKey,
  type ListedObject,
  newStorageKey,
  type ObjectReader,
  type Objects,
  type ObjectWriter,
} from "./objects.ts";
import { FileWriter } from "./writer.ts";

const INCOMING = "incoming";
const TEMPORARY = /^([0-9a-f]{32})\.[0-9a-f]{32}$/;
const FAN_OUT = /^[0-9a-f]{2}$/;

function requireKey(key: string): void {
  if (!isStorageKey(key)) {
    throw new ToolError("invalid_key", "a storage key must be 32 lower-case hex digits");
  }
}

class FileReader implements ObjectReader {
  readonly size: number;
  readonly #file: Deno.FsFile;

  constructor(path: string) {
    this.#file = Deno.openSync(path);
    this.size = this.#file.statSync().size;
  }

  read(offset: number, length: number): Uint8Array<ArrayBuffer> {
    if (!(Number.isSafeInteger(offset) && offset >= 0 && Number.isSafeInteger(length))) {
      throw new RangeError("offset and length must be whole numbers of bytes");
    }
    const bytes = new Uint8Array(Math.max(0, Math.min(length, this.size - offset)));
    this.#file.seekSync(offset, Deno.SeekMode.Start);
    let filled = 0;
    while (filled < bytes.length) {
      const got = this.#file.readSync(bytes.subarray(filled));
      if (got === null) break;
      filled += got;
    }
    return filled === bytes.length ? bytes : bytes.slice(0, filled);
  }

  close(): void {
    this.#file.close();
  }
}

/** The objects of an existing data folder. One instance at a time: the folder's lock sees to it. */
export class FileObjects implements Objects {
  readonly #top: string;
  readonly #incoming: string;
  readonly #now: () => number;

  /** @param now the time in milliseconds since 1970, for {@link sweep}. */
  constructor(dataFolder: string, now: () => number = Date.now) {
    this.#top = ensureFolder(dataFolder, "objects");
    this.#incoming = ensureFolder(this.#top, INCOMING);
    this.#now = now;
  }

  create(key: string): ObjectWriter {
    requireKey(key);
    return new FileWriter({
      temporary: `${this.#incoming}/${key}.${newStorageKey()}`,
      settle: () => {
        const folder = ensureFolder(ensureFolder(this.#top, key.slice(0, 2)), key.slice(2, 4));
        return { folder, path: `${folder}/${key}` };
      },
    });
  }

  open(key: string): ObjectReader | undefined {
    const path = this.#path(key);
    // Whatever else lies there is no object; opening a pipe would wait for ever.
    if (!lookAt(path)?.isFile) return undefined;
    try {
      return new FileReader(path);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  remove(key: string): void {
    const path = this.#path(key);
    if (removeFile(path)) syncFolder(path.slice(0, path.lastIndexOf("/")));
  }

  *list(): Generator<ListedObject> {
    for (const { name } of entriesOf(this.#incoming)) {
      const key = TEMPORARY.exec(name)?.[1];
      if (key !== undefined) yield* listed(`${this.#incoming}/${name}`, key, true);
    }
    for (const first of this.#fanOut(this.#top)) {
      for (const second of this.#fanOut(first)) {
        for (const { name } of entriesOf(second)) {
          // A file in another key's folder could not be opened, so it does not count as there.
          if (isStorageKey(name) && this.#path(name) === `${second}/${name}`) {
            yield* listed(`${second}/${name}`, name, false);
          }
        }
      }
    }
  }

  sweep(olderThanMs: number): number {
    const before = this.#now() - olderThanMs;
    let removed = 0;
    for (const { name } of entriesOf(this.#incoming)) {
      if (!TEMPORARY.test(name)) continue;
      const path = `${this.#incoming}/${name}`;
      const modifiedAt = lookAt(path)?.mtime?.getTime();
      if (modifiedAt !== undefined && modifiedAt <= before && removeFile(path)) removed++;
    }
    return removed;
  }

  #path(key: string): string {
    requireKey(key);
    return `${this.#top}/${key.slice(0, 2)}/${key.slice(2, 4)}/${key}`;
  }

  #fanOut(folder: string): string[] {
    return entriesOf(folder).filter(({ name, isDirectory }) => isDirectory && FAN_OUT.test(name))
      .map(({ name }) => `${folder}/${name}`);
  }
}

function* listed(path: string, key: string, temporary: boolean): Generator<ListedObject> {
  const info = lookAt(path);
  if (!info?.isFile) return;
  yield { key, size: info.size, temporary, modifiedAt: info.mtime?.getTime() ?? 0 };
}
