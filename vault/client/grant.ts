// What the server says of the connection itself, and the keys that the owner sealed for it (vault spec, 3
// and 4). An answer about another connection ends everything; a wrap that does not open is left out.

import { ToolError } from "../../containment/error.ts";
import { base64ToBytes } from "@shieldfive/crypto";
import { CryptoError } from "@shieldfive/crypto/extra/kdf_pool.ts";
import {
  type GrantCredential,
  type GrantKeyKind,
  publicKeyFingerprint,
  unwrapKeyForGrant,
  VaultCryptoError,
} from "@shieldfive/crypto/vault";
import { count, type Fields, flag, isFields, orNull, text, time, uuid } from "./answers.ts";
import type { Api } from "./api.ts";
import { batched } from "./batched.ts";
import { badAnswer } from "./refusals.ts";
import { wrapOf } from "./rows.ts";
import type { GrantInfo, Scope } from "./types.ts";

/** Bytes of the answer: a whole vault with many files at its top has several keys for each. */
const LONGEST_ANSWER = 64 * 1024 * 1024;
const LONGEST_KEY_TEXT = 4096;

/** The answer, as far as it is the connection's own. */
export interface Grant {
  info: GrantInfo;
  /** The owner's public key as the server tells it; undefined where it tells none. */
  publicKeyText: string | undefined;
  /** The wraps, not looked at. */
  keys: unknown[];
}

function mismatch(): ToolError {
  return new ToolError(
    "grant_mismatch",
    "the vault's server answered for another connection than this one, so nothing of it is used; call " +
      "vault_connect with reconnect: true, and ask whoever runs the server if it stays so",
  );
}

/** @throws ToolError `grant_mismatch`, and as `Api.json`. */
export async function fetchGrant(
  api: Api,
  grantId: string,
  signal: AbortSignal | undefined,
): Promise<Grant> {
  const call = { method: "GET", path: "/grant", most: LONGEST_ANSWER, signal } as const;
  const { value } = await api.json(call);
  if (!isFields(value) || !isFields(value.grant) || !Array.isArray(value.keys)) {
    throw badAnswer("the connection's own description");
  }
  const { grant, keys } = value;
  if (typeof grant.id === "string" && grant.id !== grantId) throw mismatch();
  return {
    info: infoIn(grant),
    publicKeyText: text(grant.mlKemPublicKey, LONGEST_KEY_TEXT),
    keys,
  };
}

const SCOPES: readonly Scope[] = ["read", "organize", "write"];

function infoIn(grant: Fields): GrantInfo {
  const budget = grant.writeBudget;
  const fields = {
    id: uuid(grant.id),
    wholeVault: flag(grant.scopeAll),
    folderIds: idsIn(grant.scopeFolderIds),
    trashFolderId: orNull(grant.trashFolderId, uuid),
    expiresAt: time(grant.expiresAt),
    budget: budget === undefined || budget === null ? null : budgetIn(budget),
  };
  const { id, wholeVault, folderIds, trashFolderId, expiresAt } = fields;
  if (
    id === undefined || wholeVault === undefined || folderIds === undefined ||
    trashFolderId === undefined || expiresAt === undefined || fields.budget === undefined ||
    !Array.isArray(grant.scopes)
  ) {
    throw badAnswer("the connection's own description");
  }
  const said: unknown[] = grant.scopes;
  return {
    id,
    scopes: SCOPES.filter((scope) => said.includes(scope)),
    wholeVault,
    folderIds,
    trashFolderId,
    expiresAt,
    ...(fields.budget === null ? {} : { writeBudget: fields.budget }),
  };
}

function idsIn(value: unknown): string[] | undefined {
  return Array.isArray(value) && value.every((id) => uuid(id) !== undefined) ? value : undefined;
}

function budgetIn(value: unknown): GrantInfo["writeBudget"] {
  const [bytes, usedBytes] = isFields(value)
    ? [count(value.bytes), count(value.usedBytes)]
    : [undefined, undefined];
  return bytes === undefined || usedBytes === undefined ? undefined : { bytes, usedBytes };
}

/** The keys that came with the connection, by what they are for and the id of that. */
export type GrantKeys = Record<GrantKeyKind, Map<string, Uint8Array>>;

const KINDS: readonly GrantKeyKind[] = ["folder", "file", "file_pq", "name"];

/** Opens every wrap that can be. */
export async function openGrantKeys(
  wraps: readonly unknown[],
  { grantId, grantWrapKey }: { grantId: string; grantWrapKey: Uint8Array },
): Promise<GrantKeys> {
  const opened: GrantKeys = {
    folder: new Map(),
    file: new Map(),
    file_pq: new Map(),
    name: new Map(),
  };
  await batched(wraps, async (value) => {
    if (!isFields(value)) return;
    const kind = KINDS.find((known) => known === value.kind);
    const objectId = uuid(value.objectId);
    const wrapped = wrapOf(value.wrapped, value.iv);
    if (kind === undefined || objectId === undefined || wrapped === undefined) return;
    const place = { grantId, grantWrapKey, kind, objectId };
    const key = await openedOrNone(unwrapKeyForGrant({ ...place, wrapped }));
    if (key !== undefined) opened[kind].set(objectId, key);
  });
  return opened;
}

/** The key, or undefined for a wrap that does not open. */
export async function openedOrNone(opening: Promise<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof VaultCryptoError) return undefined;
    throw error;
  }
}

/**
 * The owner's public key, which new files are encrypted for.
 *
 * @throws ToolError `no_recipient_key`; `key_mismatch` for another than the connection was made with.
 */
export function recipientKey({ publicKeyText }: Grant, credential: GrantCredential): Uint8Array {
  const key = keyIn(publicKeyText);
  if (key === undefined) {
    throw new ToolError(
      "no_recipient_key",
      "the vault's server gave no key to encrypt new files for, so nothing was sent; open ShieldFive " +
        "once in the browser, or make a new connection",
    );
  }
  if (key.fingerprint === credential.publicKeyFingerprint) return key.bytes;
  throw new ToolError(
    "key_mismatch",
    "the key to encrypt new files for is not the owner's that this connection was made with, so " +
      "nothing was sent; do not upload over this connection, and tell the owner",
  );
}

function keyIn(
  keyText: string | undefined,
): { bytes: Uint8Array; fingerprint: string } | undefined {
  if (keyText === undefined) return undefined;
  try {
    const bytes = base64ToBytes(keyText);
    return { bytes, fingerprint: publicKeyFingerprint(bytes) };
  } catch (error) {
    if (error instanceof CryptoError) return undefined;
    throw error;
  }
}
