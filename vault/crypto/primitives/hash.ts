// SHA-256, and SHA-1 for the storage manifest alone (crypto spec, 1).

import { sha1 } from "@noble/hashes/legacy.js";
import { sha256 as portableSha256 } from "@noble/hashes/sha2.js";
import type { Bytes } from "../bytes.ts";
import { nodeCrypto, nodeCryptoFor } from "./platform.ts";

/** A hash that takes its message piece by piece. */
export interface Hash {
  update(bytes: Uint8Array): void;
  /** The digest of all that was given; the hash cannot be used after it. */
  digest(): Bytes;
}

/** The SHA-256 of a message. */
export function sha256(bytes: Uint8Array): Bytes {
  const node = nodeCryptoFor(bytes.length);
  if (node === undefined) return portableSha256(bytes);
  return new Uint8Array(node.createHash("sha256").update(bytes).digest());
}

/** A SHA-256 to be fed piece by piece. */
export function createSha256(): Hash {
  return createHash("sha256", portableSha256);
}

/** A SHA-1 to be fed piece by piece. */
export function createSha1(): Hash {
  return createHash("sha1", sha1);
}

interface PortableHash {
  create(): { update(bytes: Uint8Array): unknown; digest(): Bytes };
}

function createHash(name: string, portable: PortableHash): Hash {
  const hash = nodeCrypto()?.createHash(name) ?? portable.create();
  return {
    update: (bytes) => void hash.update(bytes),
    // A copy, since what node:crypto gives is a Buffer.
    digest: () => new Uint8Array(hash.digest()),
  };
}
