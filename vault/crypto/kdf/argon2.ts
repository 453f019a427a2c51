// Argon2id as it can be had where this runs: the native addon under Deno, for a thread that may load it,
// and WebAssembly everywhere else, with the same result. Each derivation takes its memory at once: whoever
// has many to do hands them to a pool (pool.ts), which does a few at a time.

import type { Bytes } from "../bytes.ts";
import { installedAddon, mayLoad } from "./addon.ts";
import { nativeArgon2 } from "./native.ts";
import type { Argon2, Argon2Request } from "./parameters.ts";

/** A way to derive, and why it is not the native one where it is not. */
export interface ChosenArgon2 {
  argon2: Argon2;
  why?: string;
}

/**
 * The best way to derive in this thread.
 *
 * @param addon the addon's file; absent: the one in the runtime's cache of packages.
 */
export async function chooseArgon2(addon = installedAddon()): Promise<ChosenArgon2> {
  const native = tryAddon(addon);
  if (typeof native !== "string") return { argon2: native };
  const { wasmArgon2 } = await import("./wasm.ts"); // only now: nobody else needs it
  return { argon2: wasmArgon2, why: native };
}

/** The native way, or why there is none. */
function tryAddon(addon: string | undefined): Argon2 | string {
  if (addon === undefined) return "there is no native addon for this place";
  if (!mayLoad(addon)) return `no right (ffi) to load ${addon}`;
  try {
    return nativeArgon2(addon);
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * One derivation (crypto spec, 10 and 12). 50 to 100 ms at `interactive` natively.
 *
 * @throws {CryptoError} `invalid_input` for a request that Argon2id does not take.
 */
export async function argon2id(request: Argon2Request): Promise<Bytes> {
  const { argon2 } = await chooseArgon2();
  return await argon2.derive(request);
}
