// Writes one object: into a file under a temporary name, hashed on the way, synced, and only then given
// its own name, which must be free. Whatever interrupts this leaves a temporary and never half an object.

import { passingHash } from "@shieldfive/crypto/extra/tap.ts";
import { errnoOf, ToolError } from "../../../containment/error.ts";
import { lookAt, removeFile, syncFolder } from "./folders.ts";
import type { ObjectWriter, StoredObject } from "./objects.ts";

/** Why a file cannot be given a second name here: the file system has no such thing. */
const NO_LINK = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EINVAL"]);

/** Where an object is written and where it ends up. */
export interface ObjectPlace {
  temporary: string;
  /** Makes the object's folder, when needed, and gives its path and the object's within it. */
  settle(): { folder: string; path: string };
}

function taken(): ToolError {
  return new ToolError(
    "object_exists",
    "the storage key is taken; the object there was left alone",
  );
}

/** Gives the file its name without replacing anything. */
function giveName(temporary: string, path: string): void {
  try {
    Deno.linkSync(temporary, path);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "EEXIST") throw taken();
    if (errno === undefined || !NO_LINK.has(errno)) throw error;
    // No one else writes here: the data folder is locked, and this thread is the only one.
    if (lookAt(path) !== undefined) throw taken();
    Deno.renameSync(temporary, path);
  }
}

/** Makes the name last; where that fails, the object is taken back, since its caller will not know it. */
function keepName(folder: string, path: string): void {
  try {
    syncFolder(folder);
  } catch (error) {
    removeFile(path);
    throw error;
  }
}

/** A writer whose file is open from its first byte to its commit or abort. */
export class FileWriter implements ObjectWriter {
  readonly #place: ObjectPlace;
  readonly #sha1 = passingHash("sha1");
  readonly #sha256 = passingHash("sha256");
  #file: Deno.FsFile | undefined;

  constructor(place: ObjectPlace) {
    this.#place = place;
    // createNew is O_EXCL: neither an existing file nor a link in its place is opened.
    this.#file = Deno.openSync(place.temporary, { write: true, createNew: true, mode: 0o600 });
  }

  write(bytes: Uint8Array): void {
    const file = this.#opened();
    for (let rest = bytes; rest.length > 0;) rest = rest.subarray(file.writeSync(rest));
    this.#sha1.absorb(bytes);
    this.#sha256.absorb(bytes);
  }

  commit(): StoredObject {
    const file = this.#opened();
    try {
      file.syncSync();
      this.#close();
      const { folder, path } = this.#place.settle();
      giveName(this.#place.temporary, path);
      keepName(folder, path);
    } catch (error) {
      this.#drop();
      throw error;
    }
    removeFile(this.#place.temporary);
    return {
      size: this.#sha256.size,
      sha1: this.#sha1.digest().toHex(),
      sha256: this.#sha256.digest().toHex(),
    };
  }

  abort(): void {
    if (this.#file !== undefined) this.#drop();
  }

  #drop(): void {
    this.#close();
    removeFile(this.#place.temporary);
  }

  #opened(): Deno.FsFile {
    if (this.#file === undefined) throw new Error("the object was already committed or aborted");
    return this.#file;
  }

  #close(): void {
    this.#file?.close();
    this.#file = undefined;
  }
}
