// Streams read to their end, or no further than they may go on.

import { concatBytes } from "@shieldfive/crypto";
import { OwnerError } from "./error.ts";

/** A stream's pieces; not every browser can loop over a stream. */
export async function* piecesOf(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  const reader = stream.getReader();
  let ended = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield value;
    }
    ended = true;
  } finally {
    if (!ended) await reader.cancel().catch(() => {}); // it failed already, or is not wanted
  }
}

/**
 * All bytes of an answer.
 *
 * @throws OwnerError `bad_answer` when there are more than there may be.
 */
export async function bytesOf(
  stream: ReadableStream<Uint8Array> | null,
  most: number,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  if (stream === null) return new Uint8Array();
  for await (const piece of piecesOf(stream)) {
    size += piece.length;
    if (size > most) throw new OwnerError("bad_answer", "the server sent more than it should");
    pieces.push(piece);
  }
  return concatBytes(pieces);
}
