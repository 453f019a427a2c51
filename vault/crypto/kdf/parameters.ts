// What an Argon2id derivation is asked for, and the levels of cost that the formats know (crypto spec, 10
// and 12). All of them are Argon2id version 1.3 with one lane; only names and passphrases use it.

import type { Bytes } from "../bytes.ts";
import { CryptoError } from "../errors.ts";
import { requireLength } from "../primitives/lengths.ts";

/** One derivation. */
export interface Argon2Request {
  password: Uint8Array;
  /** 16 bytes, which is all that the formats use. */
  salt: Uint8Array;
  /** How often the memory is gone over. */
  passes: number;
  /** In units of 1024 bytes. */
  memoryKiB: number;
  /** Bytes of the result; 32 unless said. */
  length?: number;
}

/** A way to derive. All ways give the same bytes. */
export interface Argon2 {
  /** The native addon, or WebAssembly, which takes more than twice as long. */
  readonly implementation: "native" | "wasm";
  /**
   * Copies the request's bytes before it returns, so that the caller may wipe them at once.
   *
   * @throws {CryptoError} `invalid_input` for a request that one of the ways does not take;
   * `derivation_failed` where there is not enough memory.
   */
  derive(request: Argon2Request): Promise<Bytes>;
}

/** The levels of cost by their names in the formats. */
export const ARGON2_LEVELS = {
  interactive: { passes: 2, memoryKiB: 64 * 1024 },
  moderate: { passes: 3, memoryKiB: 256 * 1024 },
  sensitive: { passes: 4, memoryKiB: 1024 * 1024 },
} as const;

export type Argon2Level = keyof typeof ARGON2_LEVELS;

/** Bytes of the result where the request does not say. */
export const ARGON2_LENGTH = 32;
export const ARGON2_SALT_LENGTH = 16;

/** WebAssembly can address little more. */
const MAX_MEMORY_KIB = 2 * 1024 * 1024;

/**
 * Refuses what one way to derive would take and another would not.
 *
 * @throws {CryptoError} `invalid_input`
 */
export function requireRequest(
  { password, salt, passes, memoryKiB, length = ARGON2_LENGTH }: Argon2Request,
): void {
  requireWithin(password.length, 1, 0xffff, "the password's length");
  requireLength(salt, ARGON2_SALT_LENGTH, "the salt");
  requireWithin(passes, 1, 0xffff, "the number of passes");
  requireWithin(memoryKiB, 8, MAX_MEMORY_KIB, "the memory");
  requireWithin(length, 16, 0xffff, "the length of the result");
}

function requireWithin(value: number, least: number, most: number, what: string): void {
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new CryptoError("invalid_input", `${what} must be between ${least} and ${most}`);
  }
}
