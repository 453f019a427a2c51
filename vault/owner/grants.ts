// Connections: what an assistant is let into. The keys of exactly what was chosen are sealed for it under
// a secret that the server never sees; the secret goes into the connection string, which is shown once, and
// into a copy for the owner, to which the whole of what was agreed is bound.

import { zeroize } from "@shieldfive/crypto";
import type { GrantKey } from "@shieldfive/crypto/extra/grant_keys.ts";
import { createChildKey } from "@shieldfive/crypto/extra/key_chain.ts";
import {
  createGrantCredential,
  deriveGrantWrapKey,
  formatConnectionString,
  grantBearerToken,
  type GrantCredential,
  type GrantScope,
  hashGrantToken,
  keyFingerprint,
  wrapGrantSecret,
} from "@shieldfive/crypto/vault";
import { uuidV7 } from "@shieldfive/crypto/extra/uuid7.ts";
import type { Answer } from "./answer.ts";
import type { JsonBody } from "./api.ts";
import { changed } from "./change.ts";
import { OwnerError } from "./error.ts";
import { keyList, type Sealer, sendKeys } from "./grant_keys.ts";
import { openName, sealName } from "./names.ts";
import { newFolder } from "./organise.ts";
import type { FolderRow } from "./rows.ts";
import { nameFault } from "./rules.ts";
import { requireTrusted, type Workplace } from "./sealing.ts";
import type { Grant, GrantRequest, Scope, Tree } from "./types.ts";

const HOUR_MS = 3_600_000;
export const SHORTEST_MS = HOUR_MS;
export const LONGEST_MS = 90 * 24 * HOUR_MS;
const SCOPES: readonly Scope[] = ["read", "organize", "write"];
const HINTS = ["claude-desktop", "claude-code", "cursor", "chatgpt", "local", "other"];
const MAX_LABEL = 100;
/** What a connection's bin is called when its label cannot be a name. */
const BIN_NAME = "Connection";

/** A grant as the server lists it. */
export interface ListedGrant {
  grant: Grant;
  answer: Answer;
}

/** @throws OwnerError as `Api.call` */
export async function listGrants({ api, keyring }: Workplace): Promise<ListedGrant[]> {
  const answer = await api.call("GET", "/grants");
  return await Promise.all(
    answer.list("grants").map(async (each) => ({
      grant: await grantOf(
        each,
        (raw, rowId) => openName(keyring, { raw, rowId, key: keyring.rootKey }),
      ),
      answer: each,
    })),
  );
}

async function grantOf(
  answer: Answer,
  openLabel: (raw: string, rowId: string) => Promise<string | null>,
): Promise<Grant> {
  const id = answer.id("id");
  const scopes = answer.texts("scopes");
  const expiresAt = answer.time("expiresAt");
  const revokedAt = answer.timeOrNull("revokedAt");
  const over = Date.parse(expiresAt) <= Date.now() ? "expired" : "live";
  return {
    id,
    label: await openLabel(answer.text("label"), id),
    clientHint: HINTS.find((hint) => hint === answer.text("clientHint")) ?? "other",
    scopes: SCOPES.filter((scope) => scopes.includes(scope)),
    scopeAll: answer.flag("scopeAll"),
    includeMedia: answer.flag("includeMedia"),
    rootIds: answer.texts("rootIds"),
    trashFolderId: answer.idOrNull("trashFolderId"),
    state: revokedAt === null ? over : "revoked",
    createdAt: answer.time("createdAt"),
    expiresAt,
    revokedAt,
    lastUsedAt: answer.timeOrNull("lastUsedAt"),
    writeBudgetBytes: answer.countOrNull("writeBudgetBytes"),
    writeUsedBytes: answer.count("writeUsedBytes"),
    writeReservedBytes: answer.count("writeReservedBytes"),
  };
}

/** @throws OwnerError `invalid_argument` */
export function requireExpiry(expiresInMs: number): void {
  if (expiresInMs >= SHORTEST_MS && expiresInMs <= LONGEST_MS) return;
  throw new OwnerError("invalid_argument", "a connection lasts from 1 hour to 90 days");
}

/** @throws OwnerError `invalid_argument` */
export function requireBudget(bytes: number | null | undefined): void {
  if (bytes === undefined || bytes === null || (Number.isSafeInteger(bytes) && bytes >= 0)) return;
  throw new OwnerError("invalid_argument", "an upload allowance is a whole number of bytes");
}

function requireRequest(request: GrantRequest): void {
  const { label, clientHint, scopes, folderIds, includeMedia, expiresInMs, writeBudgetBytes } =
    request;
  requireExpiry(expiresInMs);
  requireBudget(writeBudgetBytes);
  const fault = label.trim() === "" || label.length > MAX_LABEL
    ? `a connection needs a name of at most ${MAX_LABEL} characters`
    : !HINTS.includes(clientHint)
    ? `the client must be one of ${HINTS.join(", ")}`
    : !scopes.every((scope) => SCOPES.includes(scope))
    ? `a connection may ${SCOPES.join(", ")}`
    : folderIds !== "all" && folderIds.length === 0
    ? "a connection needs a folder, or the whole vault"
    : folderIds !== "all" && includeMedia
    ? "the Media folder is a question for a connection to the whole vault"
    : undefined;
  if (fault !== undefined) throw new OwnerError("invalid_argument", fault);
}

/** The folders that a connection gets, without those that lie in others of them. */
function rootsOf(tree: Tree, folderIds: readonly string[] | "all"): string[] {
  if (folderIds === "all") return [];
  const chosen = new Set(folderIds);
  return [...chosen].filter((id) => {
    const folder = tree.folders.get(id);
    if (folder === undefined) throw new OwnerError("not_found", "a folder is not there any more");
    if (folder.inBin || folder.role === "bin") {
      throw new OwnerError("invalid_argument", "a connection does not get what lies in the Bin");
    }
    return !tree.ancestors(folder).some((above) => chosen.has(above.id));
  });
}

/** What the owner agrees to, and the keys that the connection must never get. */
function scopeOf(
  { contents, keyring }: Workplace,
  request: GrantRequest,
  ids: { grantId: string; trashFolderId: string | null },
): GrantScope {
  const { binId, mediaId } = contents;
  const scopeAll = request.folderIds === "all";
  const includeMedia = request.includeMedia ?? false;
  const excludedIds = scopeAll && mediaId !== null && !includeMedia ? [binId, mediaId] : [binId];
  return {
    grantId: ids.grantId,
    scopeAll,
    includeMedia,
    rootIds: rootsOf(contents.tree, request.folderIds),
    trashFolderId: ids.trashFolderId,
    excludedIds,
    excludedKeyFingerprints: excludedIds.map((id) => keyFingerprint(keyring.keyOf(id))),
  };
}

/** The bin of a connection, inside the Bin. */
interface ConnectionBin {
  row: FolderRow;
  name: string;
  key: Uint8Array;
}

async function connectionBin(
  { contents, keyring }: Workplace,
  label: string,
): Promise<ConnectionBin> {
  const { binId } = contents;
  const id = uuidV7();
  const parent = keyring.keyOf(binId);
  const name = nameFault(label) === undefined ? label : BIN_NAME;
  const { key, wrapped } = await createChildKey(parent);
  const sealed = await sealName(keyring, { name, rowId: id, key: parent });
  return { row: newFolder(id, binId, { name: sealed, key: wrapped }), name, key };
}

/** A connection that is about to be made. */
interface NewGrant {
  request: GrantRequest;
  scopes: Scope[];
  scope: GrantScope;
  credential: GrantCredential;
  bin: ConnectionBin | undefined;
}

async function prepared(place: Workplace, request: GrantRequest): Promise<NewGrant> {
  const grantId = uuidV7();
  const scopes = SCOPES.filter((scope) => scope === "read" || request.scopes.includes(scope));
  const bin = scopes.includes("organize") ? await connectionBin(place, request.label) : undefined;
  const scope = scopeOf(place, request, { grantId, trashFolderId: bin?.row.id ?? null });
  for (const id of scope.rootIds) await requireTrusted(place, id);
  const { publicKey } = place.keyring.pair;
  const credential = createGrantCredential({ grantId, mlKemPublicKey: publicKey });
  return { request, scopes, scope, credential, bin };
}

/** What the server is to keep of it; the keys of the first request are added to that. */
async function grantFields({ keyring }: Workplace, grant: NewGrant): Promise<JsonBody> {
  const { request, scopes, scope, credential, bin } = grant;
  const { rootKey } = keyring;
  const { grantId, scopeAll, includeMedia, rootIds } = scope;
  const label = { name: request.label, rowId: grantId, key: rootKey };
  const ownerCopy = await wrapGrantSecret({ rootKey, scope, secret: credential.secret });
  return {
    id: grantId,
    label: await sealName(keyring, label),
    clientHint: request.clientHint,
    scopes,
    scopeAll,
    includeMedia,
    rootIds,
    expiresAt: new Date(Date.now() + request.expiresInMs).toISOString(),
    writeBudgetBytes: request.writeBudgetBytes ?? null,
    tokenHash: hashGrantToken(grantBearerToken(credential)),
    pkFingerprint: credential.publicKeyFingerprint,
    trashFolder: bin === undefined ? null : {
      id: bin.row.id,
      name: bin.row.name,
      fkWrapped: bin.row.key.wrapped,
      fkIv: bin.row.key.iv,
    },
    ownerCopy: { ...ownerCopy, scope: { ...scope } },
  };
}

/** What one request had no room for. A connection that nobody would hold the string of is not left behind. */
async function sendRest(place: Workplace, grantId: string, rest: GrantKey[][]): Promise<void> {
  try {
    for (const batch of rest) await sendKeys(place, grantId, batch);
  } catch (error) {
    await place.api.call("POST", `/grants/${grantId}/revoke`, {}).catch(() => {
      // It ends by itself; what failed before is what matters.
    });
    throw error;
  }
}

/** See `OwnerVault.createGrant`. */
export async function createGrant(
  place: Workplace,
  request: GrantRequest,
): Promise<{ grant: Grant; connectionString: string }> {
  requireRequest(request);
  const made = await prepared(place, request);
  const { scope, credential, bin } = made;
  const grantWrapKey = await deriveGrantWrapKey(credential.secret, scope.grantId);
  try {
    const sealer: Sealer = { place, scope, grantWrapKey };
    const { first, rest } = await keyList(sealer, bin && { id: bin.row.id, key: bin.key });
    const fields = { ...await grantFields(place, made), keys: first };
    const answer = await place.api.call("POST", "/grants", fields);
    if (bin !== undefined) noteBin(place, bin, answer);
    await sendRest(place, scope.grantId, rest);
    const grant = await grantOf(answer.object("grant"), () => Promise.resolve(request.label));
    return { grant, connectionString: formatConnectionString(credential) };
  } finally {
    for (const secret of [grantWrapKey, credential.secret, credential.token]) zeroize(secret);
  }
}

function noteBin(
  { keyring, contents }: Workplace,
  { row, name, key }: ConnectionBin,
  answer: Answer,
): void {
  keyring.add(row.id, key);
  contents.named(row.id, { raw: row.name, parentId: row.parentId, name });
  contents.put(changed(row, answer));
  contents.connectionBin(row.id);
}
