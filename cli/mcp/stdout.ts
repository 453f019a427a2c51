// Standard output carries protocol and nothing else, whatever a library, a forgotten line or the
// runtime prints: from the moment of the guard on, everything that would go there goes to standard
// error, and the one way to the real stream is the function that the guard returns.

import process from "node:process";

/** Writes some of the bytes to the real stream and says how many. */
export type Write = (bytes: Uint8Array) => Promise<number>;

/** The console methods that print to standard output. */
const PRINTING = [
  "log",
  "info",
  "debug",
  "dir",
  "dirxml",
  "table",
  "count",
  "group",
  "groupCollapsed",
  "timeEnd",
  "timeLog",
  "clear",
] as const;

/** Takes standard output away from everyone but the caller. Meant to be called once a process. */
export function guardStdout(): Write {
  const write = Deno.stdout.write.bind(Deno.stdout);
  for (const method of PRINTING) {
    console[method] = (...values: unknown[]) => console.error(...values);
  }
  Deno.stdout.write = (bytes) => Deno.stderr.write(bytes);
  Deno.stdout.writeSync = (bytes) => Deno.stderr.writeSync(bytes);
  Object.defineProperty(Deno.stdout, "writable", { get: () => Deno.stderr.writable });
  // A getter, because making node's streams costs time that no start needs to spend.
  Object.defineProperty(process, "stdout", { get: () => process.stderr });
  return write;
}
