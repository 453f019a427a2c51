// Reads an uploaded file back, as anyone would who opens it, and compares: only then may a person's own copy
// be put away.

import { ToolError } from "../../containment/error.ts";
import { giveBack } from "../../containment/rooms/bodies/give_back.ts";
import { bytesToHex } from "@shieldfive/crypto";
import { CryptoError } from "@shieldfive/crypto/extra/kdf_pool.ts";
import { passingHash } from "@shieldfive/crypto/extra/tap.ts";
import { contentOf } from "./content.ts";
import { load, type Workplace } from "./load.ts";
import { notFound } from "./refusals.ts";
import type { CallOptions } from "./types.ts";

/** What is to be found in the vault. */
export interface Expected {
  id: string;
  /** Bytes of the content. */
  size: number;
  /** The SHA-256 of the content in hex. */
  sha256: string;
}

/** A file that is in the vault and must not be relied on. */
export function unverified(id: string, reason: string, cause?: unknown): ToolError {
  return new ToolError(
    "verify_failed",
    `the file was uploaded, but reading it back did not show that it is what was sent (${reason}): keep ` +
      "the original, and have the owner look at the copy in ShieldFive",
    { changedAnything: true, detail: { vault_file_id: id, reason }, cause },
  );
}

/** @throws ToolError `verify_failed`; `cancelled` */
export async function verify(
  place: Workplace,
  expected: Expected,
  options: CallOptions,
): Promise<void> {
  try {
    const { size, hash } = await readBack(place, expected, options);
    if (size === expected.size && hash === expected.sha256) return;
  } catch (error) {
    if (!(error instanceof ToolError || error instanceof CryptoError)) throw error;
    if (error.code === "cancelled") throw cancelledUnverified(expected.id, error);
    throw unverified(expected.id, error.code, error);
  }
  throw unverified(expected.id, "other content");
}

async function readBack(
  place: Workplace,
  { id, size }: Expected,
  { signal, progress }: CallOptions,
): Promise<{ size: number; hash: string }> {
  const { rows, keys } = await load(place, { names: "none", signal });
  const row = rows.files.get(id);
  if (row === undefined) throw notFound();
  const content = await contentOf({ api: place.api, keys }, row, {
    maxBytes: size,
    signal,
    progress: ({ done }) => progress?.({ done, total: size, unit: "bytes", label: "verifying" }),
  });
  const hash = passingHash("sha256");
  for await (const piece of content) {
    hash.absorb(piece);
    giveBack(piece);
  }
  return { size: hash.size, hash: bytesToHex(hash.digest()) };
}

function cancelledUnverified(id: string, cause: unknown): ToolError {
  return new ToolError(
    "cancelled",
    "the call was cancelled when the file had been uploaded and before it was verified: it is in the " +
      "vault; keep the original",
    { changedAnything: true, detail: { vault_file_id: id }, cause },
  );
}
