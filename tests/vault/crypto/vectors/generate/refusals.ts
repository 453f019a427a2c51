// What a reader must refuse, each made from something that opens by one change, sealed and signed
// properly where only the format forbids it.

import { encrypt, fileParts, type Suite, SUITES } from "../../second/container.ts";
import { hex } from "../../second/primitives.ts";
import type { FileChange, RefusedFile } from "../format.ts";
import { type Encapsulated, inputFor, suiteName } from "./files.ts";
import { refusedChunks } from "./refused_chunks.ts";
import { refusedHeaders } from "./refused_headers.ts";

const SIZE = 3 * 32 + 5;

/** The bytes that a change leaves alone, at the least, to be two changes. */
const APART = 8;

/** Where two files of the same length differ. */
function runs(from: Uint8Array, to: Uint8Array): FileChange[] {
  const found: { start: number; end: number }[] = [];
  for (let at = 0; at < from.length; at++) {
    if (from[at] === to[at]) continue;
    const last = found.at(-1);
    if (last && at - last.end < APART) last.end = at + 1;
    else found.push({ start: at, end: at + 1 });
  }
  return found.map(({ start, end }) => ({
    at: start,
    remove: end - start,
    insert: hex(to.subarray(start, end)),
  }));
}

/** The one change that turns a file into one of another length. */
function change(from: Uint8Array, to: Uint8Array): FileChange {
  const shorter = Math.min(from.length, to.length);
  let at = 0;
  while (at < shorter && from[at] === to[at]) at++;
  let end = 0;
  while (end < shorter - at && from.at(-1 - end) === to.at(-1 - end)) end++;
  return { at, remove: from.length - at - end, insert: hex(to.subarray(at, to.length - end)) };
}

function changes(from: Uint8Array, to: Uint8Array): FileChange[] {
  return from.length === to.length ? runs(from, to) : [change(from, to)];
}

function ofSuite(suite: Suite, hybrid: Encapsulated): RefusedFile[] {
  const input = inputFor(suite, SIZE, hybrid);
  const parts = fileParts(input);
  const file = encrypt(input);
  const refusals = [...refusedHeaders(parts, input, file), ...refusedChunks(parts, input, file)];
  return refusals.map(({ what, file: changed, key, code, streamCode }) => ({
    name: `${suiteName(suite)}: ${what}`,
    of: `${suiteName(suite)}, ${SIZE} bytes`,
    changes: changes(file, changed),
    ...(key ? { key: hex(key) } : {}),
    ...(code ? { code } : {}),
    ...(streamCode ? { streamCode } : {}),
  }));
}

export function refusedFiles(hybrid: Encapsulated): RefusedFile[] {
  return SUITES.flatMap((suite) => ofSuite(suite, hybrid));
}
