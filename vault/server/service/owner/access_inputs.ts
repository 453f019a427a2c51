// The shapes of what makes and changes an owner: the proofs, the sealed root keys and the public key. The
// server opens none of it and still refuses what cannot be right, since a vault whose records do not belong
// together could not be opened again.

import { hashOwnerProof } from "@shieldfive/crypto/extra/owner_keys.ts";
import type { OwnerRecord, OwnerSecret } from "@shieldfive/crypto/extra/owner_record.ts";
import { isMlKemPublicKey, readOwnerRecord } from "@shieldfive/crypto/extra/shapes.ts";
import type { OwnerRow } from "../../rows/rows.ts";
import {
  keyText,
  nullable,
  object,
  oneOf,
  optional,
  text,
  textThat,
  uuid,
  type ValueOf,
} from "../fields.ts";
import { badRequest } from "../refusal.ts";
import { sealedFolderRow } from "./new_folder.ts";

/** A sealed root key as text, of either secret. */
const rootKey = textThat(
  (given) => readOwnerRecord(given) !== undefined,
  "the record of a sealed root key",
);
/** The salt is compared with the record's, which has its one length. */
const kdf = object({ salt: text(1, 64), preset: oneOf("moderate") });
const recovery = object({ loginProof: keyText, rootKey });

export const setupInput = object({
  setupToken: keyText,
  ownerId: uuid,
  kdf,
  loginProof: keyText,
  rootKey,
  recovery,
  mlKemPublicKey: textThat(isMlKemPublicKey, "an ML-KEM-1024 public key in base64"),
  bin: sealedFolderRow,
  media: optional(nullable(sealedFolderRow)),
});
export const loginInput = object({ loginProof: keyText });
export const passphraseInput = object({
  currentProof: keyText,
  kdf,
  loginProof: keyText,
  rootKey,
});
export const recoveryInput = object({ currentProof: keyText, loginProof: keyText, rootKey });

export type SetupInput = ValueOf<typeof setupInput>;

function recordOf(text: string, secret: OwnerSecret, ownerId: string): OwnerRecord {
  const found = readOwnerRecord(text);
  if (found?.opens !== secret || found.owner !== ownerId) {
    throw badRequest(`a rootKey must be this owner's, sealed for the ${secret}`);
  }
  return found;
}

/** The owner's columns that a passphrase decides. */
export function passphraseColumns(
  { kdf, loginProof, rootKey }: Pick<SetupInput, "kdf" | "loginProof" | "rootKey">,
  ownerId: string,
) {
  const found = recordOf(rootKey, "passphrase", ownerId);
  if (found.opens !== "passphrase" || found.salt !== kdf.salt) {
    throw badRequest("kdf.salt must be the one in rootKey");
  }
  return {
    kdfSalt: kdf.salt,
    kdfPreset: kdf.preset,
    loginProofHash: hashOwnerProof(loginProof),
    rootKey,
  } satisfies Partial<OwnerRow>;
}

/** The owner's columns that a recovery key decides. */
export function recoveryColumns(
  { loginProof, rootKey }: SetupInput["recovery"],
  ownerId: string,
) {
  recordOf(rootKey, "recovery", ownerId);
  return {
    recoveryProofHash: hashOwnerProof(loginProof),
    recoveryRootKey: rootKey,
  } satisfies Partial<OwnerRow>;
}
