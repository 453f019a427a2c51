// What the server asks of the place where ciphertext lies: objects under a storage key, that are there
// whole or not at all. Who keeps them (files, memory in a test) stays behind this interface.

/** What an object turned out to be once all of it was written. */
export interface StoredObject {
  /** Bytes. */
  size: number;
  /** Lower-case hex. */
  sha1: string;
  /** Lower-case hex. */
  sha256: string;
}

/** An object in the making; nothing of it is visible under its key before {@link commit}. */
export interface ObjectWriter {
  /** Adds the next bytes; all of them are taken over before it returns. */
  write(bytes: Uint8Array): void;
  /** Makes the object durable under its key, which must be free, and says what it is. */
  commit(): StoredObject;
  /** Drops what was written; does nothing after a commit or an abort. */
  abort(): void;
}

/** An open object. */
export interface ObjectReader {
  /** Bytes. */
  readonly size: number;
  /** The bytes from an offset: so many as asked for, fewer only at the object's end. */
  read(offset: number, length: number): Uint8Array<ArrayBuffer>;
  close(): void;
}

/** An entry of {@link Objects.list}. */
export interface ListedObject {
  key: string;
  /** Bytes. */
  size: number;
  /** True for what was being written and was neither committed nor aborted. */
  temporary: boolean;
  /** Milliseconds since 1970. */
  modifiedAt: number;
}

/** Ciphertext by storage key: 32 lower-case hex digits, from {@link newStorageKey}. */
export interface Objects {
  /** Begins an object; its key is looked at again on commit. */
  create(key: string): ObjectWriter;
  /** Undefined when there is no such object. */
  open(key: string): ObjectReader | undefined;
  /** Removes an object for good; one that is not there is no failure. */
  remove(key: string): void;
  /** All objects and temporaries, in no particular order. */
  list(): Iterable<ListedObject>;
  /** Removes temporaries that nobody wrote to for so many milliseconds; says how many it were. */
  sweep(olderThanMs: number): number;
}

const KEY = /^[0-9a-f]{32}$/;

/** A fresh storage key: 128 random bits. */
export function newStorageKey(): string {
  return crypto.getRandomValues(new Uint8Array(16)).toHex();
}

/** Whether a text is a storage key, and so safe to make a path of. */
export function isStorageKey(text: string): boolean {
  return KEY.test(text);
}
