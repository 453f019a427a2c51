// Argon2id by the native addon. It works in threads of its own: the calling thread is free meanwhile, and
// two derivations at a time take no longer than one where there are two cores.

import { type Bytes, zeroize } from "../bytes.ts";
import { type Argon2, ARGON2_LENGTH, type Argon2Request, requireRequest } from "./parameters.ts";

/** What is used here of the addon's interface. */
interface Addon {
  hashRaw(
    password: Uint8Array,
    options: {
      algorithm: number;
      version: number;
      memoryCost: number;
      timeCost: number;
      parallelism: number;
      outputLen: number;
      salt: Uint8Array;
    },
  ): Promise<Uint8Array>;
}

/** How the addon calls Argon2id and its version 1.3. */
const ARGON2ID = 2;
const VERSION_1_3 = 1;

/** The part of node's `process` by which an addon is loaded without reading its folder. */
interface Loader {
  dlopen(module: { exports: unknown }, file: string): void;
}

/**
 * Loads the addon. It takes the right `ffi` for the file and no other.
 *
 * @throws the runtime's error where that right is missing or the file cannot be loaded.
 */
export function nativeArgon2(file: string): Argon2 {
  const { process } = globalThis as unknown as { process: Loader };
  const module = { exports: {} };
  process.dlopen(module, file);
  const addon = module.exports as Addon;
  return { implementation: "native", derive: (request) => derive(addon, request) };
}

async function derive(addon: Addon, request: Argon2Request): Promise<Bytes> {
  requireRequest(request);
  // The addon's threads read these while the caller's code runs on.
  const password = request.password.slice();
  const salt = request.salt.slice();
  try {
    const derived = await addon.hashRaw(password, {
      algorithm: ARGON2ID,
      version: VERSION_1_3,
      memoryCost: request.memoryKiB,
      timeCost: request.passes,
      parallelism: 1,
      outputLen: request.length ?? ARGON2_LENGTH,
      salt,
    });
    const bytes = new Uint8Array(derived);
    zeroize(derived);
    return bytes;
  } finally {
    zeroize(password);
  }
}
