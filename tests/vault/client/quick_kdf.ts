// Names whose keys cost nothing: what a client does with thousands of them can be watched in a moment.

import type { Argon2Request, DerivationBackend } from "@shieldfive/crypto/extra/kdf_pool.ts";

/** Derives what looks like the key of a name, at once, and counts. */
export class QuickKdf implements DerivationBackend {
  concurrency = 2;
  count = 0;
  running = 0;
  /** The most at a time. */
  peak = 0;

  async derive({ password, salt, memoryKiB }: Argon2Request): Promise<Uint8Array> {
    this.count++;
    this.peak = Math.max(this.peak, ++this.running);
    const message = new Uint8Array([...password, ...salt, memoryKiB / 65536]);
    try {
      return new Uint8Array(await crypto.subtle.digest("SHA-256", message));
    } finally {
      this.running--;
    }
  }
}

const quick = new QuickKdf();

/** The deriver for what a test seals; it is not counted with a client's. */
export function nameKeys(
  folderKey: Uint8Array,
  salt: Uint8Array,
  level: "interactive" | "moderate",
) {
  const memoryKiB = level === "interactive" ? 65536 : 262144;
  const password = new TextEncoder().encode(folderKey.toBase64());
  return quick.derive({ password, salt, passes: 2, memoryKiB });
}
