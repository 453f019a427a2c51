// Node's file, hash and buffer layers, loaded when they are first used. Each takes more than 20 ms to load, as
// long as the rest of a short command, and much of what runs here opens no file.

/** Node's file functions. */
export function nodeFs(): typeof import("node:fs") {
  return process.getBuiltinModule("node:fs");
}

/** A running digest. */
export type Hash = ReturnType<typeof createHash>;

/** Starts a digest with one of node's algorithms, which are the fastest that there are here. */
export function createHash(algorithm: "sha256") {
  return process.getBuiltinModule("node:crypto").createHash(algorithm);
}

/** Whether two runs of bytes are equal. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return process.getBuiltinModule("node:buffer").Buffer.compare(a, b) === 0;
}
