// `@shieldfive/crypto/extra/tap.ts`: looks at a stream as it passes, so that a hash or an upload
// proof needs no second reading and nothing is kept. It works on either side of a cipher.

import { createSha1, createSha256 } from "../primitives/hash.ts";
import { streamOf } from "../streams/shell.ts";

/** Whatever is to see the bytes of a stream, in their order; `UploadProofV3` is one. */
export interface Observer {
  absorb(bytes: Uint8Array): unknown;
}

/** A digest of all that passed, and how much it was. */
export interface PassingHash extends Observer {
  /** Bytes so far. */
  readonly size: number;
  /** The digest; to be asked for once, at the end. */
  digest(): Uint8Array;
}

/** A hash for {@link tap}. SHA-1 is for the storage manifest alone (crypto spec, 15). */
export function passingHash(algorithm: "sha1" | "sha256"): PassingHash {
  const hash = algorithm === "sha1" ? createSha1() : createSha256();
  let size = 0;
  return {
    get size() {
      return size;
    },
    absorb(bytes) {
      hash.update(bytes);
      size += bytes.length;
    },
    digest: () => hash.digest(),
  };
}

/** The same stream; each piece is shown to the observers before it is passed on. */
export function tap(
  source: ReadableStream<Uint8Array>,
  ...observers: Observer[]
): ReadableStream<Uint8Array> {
  return streamOf(source, {
    async *run(read) {
      for (let piece = await read(); piece !== undefined; piece = await read()) {
        for (const observer of observers) observer.absorb(piece);
        yield piece;
      }
    },
  });
}
