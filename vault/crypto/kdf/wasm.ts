// Argon2id by WebAssembly: for browsers, and wherever the native addon cannot be loaded. It works in the
// calling thread, which can do nothing else meanwhile; so derivations take turns there, in one memory, which
// stays as large as the largest of them was.

import sodium from "libsodium-wrappers-sumo";
import { type Bytes, zeroize } from "../bytes.ts";
import { CryptoError } from "../errors.ts";
import { type Argon2, ARGON2_LENGTH, type Argon2Request, requireRequest } from "./parameters.ts";

/** The way to derive that works everywhere. */
export const wasmArgon2: Argon2 = { implementation: "wasm", derive };

async function derive(request: Argon2Request): Promise<Bytes> {
  requireRequest(request);
  const { passes, memoryKiB, length = ARGON2_LENGTH } = request;
  const password = request.password.slice();
  const salt = request.salt.slice();
  try {
    await sodium.ready;
    const algorithm = sodium.crypto_pwhash_ALG_ARGON2ID13;
    return new Uint8Array(
      sodium.crypto_pwhash(length, password, salt, passes, memoryKiB * 1024, algorithm),
    );
  } catch (cause) {
    // What it would have refused was refused above.
    throw new CryptoError(
      "derivation_failed",
      `the key could not be derived; it takes ${Math.ceil(memoryKiB / 1024)} MiB of memory`,
      { cause },
    );
  } finally {
    zeroize(password);
  }
}
