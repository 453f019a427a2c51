// `@shieldfive/crypto/extra/legacy_v0.ts`: version 0 from stream to stream, held to what was
// recorded of the file when it was stored. That is the only protection against a cut that version 0
// has.

import { type V0Options, V0Reader, type V0Recorded } from "../legacy_v0_reader.ts";
import { streamOf } from "../streams/shell.ts";

export type DecryptStreamV0Options = V0Options & V0Recorded;

/**
 * The plaintext of a stream. With a recorded size a file of another size fails the stream before
 * its last chunk is given out; with a recorded plaintext size of 0 the tag that some writers stored
 * for an empty file is accepted (crypto spec, 9).
 */
export function decryptStreamV0(
  source: ReadableStream<Uint8Array>,
  options: DecryptStreamV0Options,
): ReadableStream<Uint8Array> {
  const reader = new V0Reader(options, options);
  return streamOf(source, { run: (read) => reader.read(read), close: () => reader.close() });
}
