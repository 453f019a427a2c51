// A file's ciphertext on its way out, whole or a range of it: read piece by piece as the receiver takes
// it, counted as it leaves, and ended when the caller may no longer have it.

import type { ObjectReader } from "../objects/objects.ts";
import type { FileRow, OwnerRow, Rows } from "../rows/rows.ts";
import type { Passage } from "./egress.ts";
import { badRequest, Refusal } from "./refusal.ts";
import type { Call, Reply } from "./router.ts";

const PIECE = 256 * 1024;
/** Bytes after which the caller is looked at again. */
const LOOK = 16 * 1024 * 1024;
/** Bytes after which what left is written down: each time costs a disk flush, and a crash forgets the rest. */
const NOTE = 256 * 1024 * 1024;

/** A part of an object, from a byte on and up to another, which is not included. */
export interface Part {
  start: number;
  end: number;
  /** Whether it was asked for as a range. */
  ranged: boolean;
}

const RANGE = /^bytes=(\d{0,16})-(\d{0,16})$/;

/**
 * The part that a `Range` header asks for; all of the object without one.
 *
 * @throws Refusal 400 for another unit, several ranges and what is none; 416 `range_not_satisfiable`
 * where the object has nothing of it.
 */
export function requestedPart(header: string | undefined, size: number): Part {
  if (header === undefined) return { start: 0, end: size, ranged: false };
  const [, first, last] = RANGE.exec(header) ?? ["", "", ""];
  if (first + last === "" || (first !== "" && last !== "" && Number(first) > Number(last))) {
    throw badRequest("Range must be one range such as bytes=0-99, bytes=100- or bytes=-100");
  }
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  if (start >= end) {
    throw new Refusal(416, "range_not_satisfiable", undefined, {
      headers: { "content-range": `bytes */${size}` },
    });
  }
  return { start, end, ranged: true };
}

/** What is sent, to whom, and what it costs them. */
interface Sending {
  rows: Rows;
  reader: ObjectReader;
  part: Part;
  passage: Passage;
  isAllowed: () => boolean;
}

function stream({ rows, reader, part, passage, isAllowed }: Sending) {
  let offset = part.start;
  let ended = false;
  const end = () => {
    if (ended) return;
    ended = true;
    reader.close();
    rows.transaction(() => passage.end());
  };
  /** Whether the bytes from `before` up to where it is now go over a step of so many. */
  const passed = (before: number, step: number) =>
    Math.floor(before / step) !== Math.floor(offset / step);
  const next = () => {
    const piece = reader.read(offset, Math.min(PIECE, part.end - offset));
    if (piece.length === 0) throw new Error("the object is shorter than its row says");
    const before = offset;
    offset += piece.length;
    passage.left(piece.length);
    if (passed(before, NOTE)) rows.transaction(() => passage.flush());
    if (passed(before, LOOK) && !isAllowed()) throw new Refusal(401, "grant_invalid");
    return piece;
  };
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      try {
        if (offset < part.end) controller.enqueue(next());
        if (offset < part.end) return;
        end();
        controller.close();
      } catch (error) {
        end();
        throw error;
      }
    },
    cancel: end,
  }, { highWaterMark: 0 });
}

/**
 * Whether the owner's limits have room for a part; to be asked in the transaction that authorises.
 *
 * @throws Refusal 429 `egress_cap`, `transfer_limit`.
 */
export function requireRoomFor({ state }: Call, owner: OwnerRow, part: Part): void {
  state.egress.requireRoom(owner, part.end - part.start);
}

/**
 * Opens a file's object for the answer, after the transaction that authorised it and before anything
 * else happens.
 *
 * @param isAllowed asked again every 16 MiB.
 */
export function send(
  { context, state }: Call,
  file: FileRow,
  part: Part,
  isAllowed: () => boolean,
): Reply {
  const { rows, objects } = context;
  const reader = objects.open(file.storageKey);
  if (reader === undefined || reader.size !== file.ciphertextSize) {
    reader?.close();
    throw new Refusal(500, "object_damaged", "the stored object is missing or has another size");
  }
  const { start, end, ranged } = part;
  const passage = state.egress.open(end - start);
  const range = { "content-range": `bytes ${start}-${end - 1}/${reader.size}` };
  return {
    status: ranged ? 206 : 200,
    headers: {
      "content-type": "application/octet-stream",
      "content-length": String(end - start),
      "accept-ranges": "bytes",
      ...(ranged ? range : {}),
    },
    body: stream({ rows, reader, part, passage, isAllowed }),
  };
}
