// Every check of the project's own vectors. Nothing here is a runtime's: a browser runs the same list.

import argon2 from "../argon2.json" with { type: "json" };
import files from "../files.json" with { type: "json" };
import type { Argon2Vectors, FileVectors, RefusalVectors, VaultVectors } from "../format.ts";
import refusals from "../refusals.json" with { type: "json" };
import vault from "../vault.json" with { type: "json" };
import type { Check } from "./expect.ts";
import { fileChecks } from "./files.ts";
import { headerChecks, signatureBlockChecks } from "./headers.ts";
import { nameChecks, passphraseChecks } from "./names.ts";
import { vaultChecks } from "./vault.ts";

const FILES = files as FileVectors;
const REFUSALS = refusals as RefusalVectors;
const VAULT = vault as VaultVectors;
const ARGON2 = argon2 as Argon2Vectors;

export const CHECKS: readonly Check[] = [
  ...headerChecks(REFUSALS),
  ...signatureBlockChecks(REFUSALS),
  ...fileChecks(FILES, REFUSALS),
  ...vaultChecks(VAULT, FILES, REFUSALS),
  ...nameChecks(ARGON2, REFUSALS),
  ...passphraseChecks(ARGON2, ["moderate"]),
];

/** The checks that take a gibibyte. */
export const LARGE_CHECKS: readonly Check[] = passphraseChecks(ARGON2, ["sensitive"]);
