// Suite 0x03's header payload and the share bundle of the second implementation (crypto spec, 6, 7, 10).

import {
  ascii,
  bigEndian,
  hkdf,
  join,
  mlKemEncapsulate,
  mlKemOf,
  sameBytes,
  secretboxOpen,
  secretboxSeal,
  xchachaSeal,
} from "./primitives.ts";

/** d‖z of the key pair that belongs to a master secret. */
export function mlKemSeed(masterSecret: Uint8Array): Uint8Array<ArrayBuffer> {
  return hkdf(masterSecret, undefined, "shieldfive/v1/pq-hybrid/ml-kem-1024-seed", 64);
}

function combine(
  classical: Uint8Array,
  shared: Uint8Array,
  fileId: Uint8Array,
): Uint8Array<ArrayBuffer> {
  return hkdf(join(classical, shared), fileId, "shieldfive/v1/pq-hybrid/combine", 32);
}

export interface Encapsulation {
  publicKey: Uint8Array;
  envelopeKey: Uint8Array;
  fileId: Uint8Array;
  /** What a writer draws at random. */
  coins: Uint8Array;
  classicalShare: Uint8Array;
  nonce: Uint8Array;
}

export function encapsulate(input: Encapsulation): { payload: Uint8Array; key: Uint8Array } {
  const { ciphertext, shared } = mlKemEncapsulate(input.publicKey, input.coins);
  const box = secretboxSeal(input.envelopeKey, input.nonce, input.classicalShare);
  return {
    payload: join(ciphertext, box, new Uint8Array(24), input.nonce),
    key: combine(input.classicalShare, shared, input.fileId),
  };
}

/** K of a payload, by the runtime's ML-KEM. */
export async function decapsulate(input: {
  payload: Uint8Array;
  mlKemSeed: Uint8Array;
  envelopeKey: Uint8Array;
  fileId: Uint8Array;
}): Promise<Uint8Array<ArrayBuffer>> {
  const { payload, envelopeKey, fileId } = input;
  if (!sameBytes(payload.subarray(1616, 1640), new Uint8Array(24))) throw new Error("pad");
  const { decapsulate } = await mlKemOf(input.mlKemSeed);
  const shared = await decapsulate(payload.subarray(0, 1568));
  const box = payload.subarray(1568, 1616);
  return combine(secretboxOpen(envelopeKey, payload.subarray(1640), box), shared, fileId);
}

/** A bundle that gives the file's K to another recipient. */
export function shareBundle(
  input: Encapsulation & { combinedKey: Uint8Array; wrapNonce: Uint8Array },
): Uint8Array {
  const { payload, key } = encapsulate(input);
  const shareKey = hkdf(key, input.fileId, "shieldfive/v1/share-transport", 32);
  const under = join(
    ascii("SF5S"),
    Uint8Array.of(2),
    bigEndian(payload.length, 4),
    payload,
    input.wrapNonce,
  );
  return join(under, xchachaSeal(shareKey, input.wrapNonce, input.combinedKey, under));
}
