// Node's file, hash and buffer layers, loaded when they are first used. Reaching the first of them costs
// about as much as starting an empty program, and much of what runs here opens no file.

const fs = once(() => process.getBuiltinModule("node:fs"));
const crypto = once(() => process.getBuiltinModule("node:crypto"));
const buffer = once(() => process.getBuiltinModule("node:buffer"));

/** Asks for a module once: even asking takes time, and these are used for every file of a search. */
function once<T>(load: () => T): () => T {
  let loaded: T | undefined;
  return () => loaded ??= load();
}

/** Loads them all, for a thread that has nothing better to do while it waits for its first call. */
export function preloadNode(): void {
  fs();
  crypto();
  buffer();
}

/** Node's file functions. */
export function nodeFs(): typeof import("node:fs") {
  return fs();
}

/** A running digest. */
export type Hash = ReturnType<typeof createHash>;

/** Starts a digest with one of node's algorithms, which are the fastest that there are here. */
export function createHash(algorithm: "sha256") {
  return crypto().createHash(algorithm);
}

/** Whether two runs of bytes are equal. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return buffer().Buffer.compare(a, b) === 0;
}
