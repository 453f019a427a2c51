// HMAC-SHA-256 (crypto spec, 1).

import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import type { Bytes } from "../bytes.ts";
import type { Hash } from "./hash.ts";
import { nodeCryptoFor } from "./platform.ts";

/** The HMAC-SHA-256 of the parts, as if they were one message. */
export function hmacSha256(key: Uint8Array, ...parts: Uint8Array[]): Bytes {
  const node = nodeCryptoFor(parts.reduce((sum, part) => sum + part.length, 0));
  const mac = node?.createHmac("sha256", key) ?? hmac.create(sha256, key);
  for (const part of parts) mac.update(part);
  return new Uint8Array(mac.digest());
}

/** An HMAC-SHA-256 to be fed piece by piece. */
export function createHmacSha256(key: Uint8Array): Hash {
  const mac = hmac.create(sha256, key);
  return { update: (bytes) => void mac.update(bytes), digest: () => mac.digest() };
}
