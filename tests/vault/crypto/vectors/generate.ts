// Writes the project's own test vectors: `deno run -A tests/vault/crypto/vectors/generate.ts`. They come
// out of the second implementation, never out of the one that they test, and are the same on every run.

import type { Argon2Vectors, FileVectors, RefusalVectors, VaultVectors } from "./format.ts";
import { makeArgon2 } from "./generate/argon2.ts";
import { makeFiles } from "./generate/files.ts";
import { refusedFiles } from "./generate/refusals.ts";
import {
  connectionStrings,
  envelopes,
  headers,
  legacyRefusals,
  signatureBlocks,
} from "./generate/texts.ts";
import { makeVault } from "./generate/vault.ts";

/** Every file of vectors but the one whose values each cost an Argon2id. */
export async function makeVectors(): Promise<{
  files: FileVectors;
  refusals: RefusalVectors;
  vault: VaultVectors;
}> {
  const { vectors: files, hybrid } = await makeFiles();
  const refusals = {
    files: refusedFiles(hybrid),
    ...headers(),
    signatureBlocks: signatureBlocks(),
    legacy: legacyRefusals(),
    connectionStrings: connectionStrings(),
    envelopes: envelopes(),
  };
  return { files, refusals, vault: await makeVault(files) };
}

if (import.meta.main) {
  const all: Record<string, unknown> & { argon2: Argon2Vectors } = {
    ...await makeVectors(),
    argon2: makeArgon2(),
  };
  for (const [name, vectors] of Object.entries(all)) {
    const path = new URL(`${name}.json`, import.meta.url);
    Deno.writeTextFileSync(path, JSON.stringify(vectors, null, 2) + "\n");
  }
}
