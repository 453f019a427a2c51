// Files by chance, whose sizes crowd around the borders where something changes: those of chunks, and the
// size from which the runtime's own ciphers take over.

import fc from "fast-check";
import type { Keys, Suite } from "../vectors/checks/readers.ts";
import { encapsulate, mlKemSeed } from "../second/hybrid.ts";
import { mlKemOf, mlKemSecretKey } from "../second/primitives.ts";
import type { FileInput } from "../second/container.ts";

export function bytes(length: number): fc.Arbitrary<Uint8Array> {
  return fc.uint8Array({ minLength: length, maxLength: length });
}

/** Small chunks, odd ones, and those around the size at which ciphers change. */
const chunkSize = fc.oneof(
  fc.integer({ min: 1, max: 70 }),
  fc.constantFrom(4079, 4080, 4095, 4096, 4097, 65_536),
);

/** How many bytes: none, some, and on both sides of the borders between chunks. */
function sizeFor(chunk: number): fc.Arbitrary<number> {
  const chunks = chunk > 70 ? 3 : 9;
  const around = fc.tuple(fc.integer({ min: 0, max: chunks }), fc.integer({ min: -2, max: 2 }))
    .map(([count, off]) => Math.max(0, count * chunk + off));
  return fc.oneof(around, fc.integer({ min: 0, max: 3 * chunk }));
}

export interface Sample {
  fileId: Uint8Array;
  /** A content key; what suite 0x03 has instead comes of `recipient`. */
  key: Uint8Array;
  chunkSize: number;
  plaintext: Uint8Array;
  /** How a stream is cut into pieces; used again from the start when the file is longer. */
  pieces: number[];
  /** The secret key of a signer, or none. */
  signer: Uint8Array | undefined;
}

/** Bytes of a length, cheaply and without a pattern; fast-check's own take long to draw. */
function filled(length: number, seed: number): Uint8Array {
  let state = seed | 1;
  return Uint8Array.from({ length }, () => {
    state = Math.imul(state, 1_664_525) + 1_013_904_223 | 0;
    return state >>> 24;
  });
}

export const sample: fc.Arbitrary<Sample> = chunkSize.chain((chunk) =>
  fc.record({
    fileId: bytes(16),
    key: bytes(32),
    chunkSize: fc.constant(chunk),
    plaintext: fc.tuple(sizeFor(chunk), fc.integer()).map(([size, seed]) => filled(size, seed)),
    pieces: fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 9000 })), {
      minLength: 1,
      maxLength: 8,
    }),
    signer: fc.option(bytes(32), { nil: undefined }),
  })
);

/** The recipient of all files of suite 0x03, whose keys take long to make. */
const MASTER_SEED = mlKemSeed(new Uint8Array(32).fill(7));
export const RECIPIENT = {
  seed: MASTER_SEED,
  publicKey: (await mlKemOf(MASTER_SEED)).publicKey,
  recipientSecretKey: mlKemSecretKey(MASTER_SEED),
  envelopeKey: new Uint8Array(32).fill(9),
};

/** The sample as the second implementation takes it, and what opens the file. */
export function inputOf(
  suite: Suite,
  { fileId, key, chunkSize, plaintext }: Sample,
): { input: FileInput; keys: Keys } {
  const { publicKey, recipientSecretKey, envelopeKey } = RECIPIENT;
  if (suite !== 3) {
    return { input: { suite, key, fileId, chunkSize, plaintext }, keys: { key, fileId } };
  }
  // The sample's key makes what a writer would draw.
  const made = encapsulate({
    publicKey,
    envelopeKey,
    fileId,
    coins: key,
    classicalShare: key.toReversed(),
    nonce: key.subarray(0, 24),
  });
  return {
    input: { suite, ...made, fileId, chunkSize, plaintext },
    keys: { key: made.key, fileId, recipient: { recipientSecretKey, envelopeKey } },
  };
}

/** The bytes as a stream cut as the sample says. */
export function pieced(source: Uint8Array, pieces: readonly number[]): ReadableStream<Uint8Array> {
  let at = 0;
  let turn = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= source.length) return controller.close();
      const size = pieces[turn++ % pieces.length];
      controller.enqueue(source.slice(at, at + size));
      at += size;
    },
  });
}
