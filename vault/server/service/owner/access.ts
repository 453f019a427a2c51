// How the owner comes in and goes: setting the vault up once, signing in with either secret, signing out,
// and changing the secrets. The server never sees a secret, only proofs of it, of which it keeps hashes.

import { ownerProofMatches } from "@shieldfive/crypto/extra/owner_keys.ts";
import type { Json, OwnerRow, Rows } from "../../rows/rows.ts";
import { record } from "../audit.ts";
import { jsonBody } from "../body.ts";
import { badRequest } from "../refusal.ts";
import type { Call, Reply, Route } from "../router.ts";
import { timeText } from "../times.ts";
import {
  loginInput,
  passphraseColumns,
  passphraseInput,
  recoveryColumns,
  recoveryInput,
  type SetupInput,
  setupInput,
} from "./access_inputs.ts";
import { asOwner, OWNER_API, type OwnerAction, ownerInput, requireOwner } from "./as_owner.ts";
import { tryProof } from "./login_rate.ts";
import { insertFolder } from "./new_folder.ts";
import { beginSession, requireSession } from "./sessions.ts";
import { spendSetupToken } from "./setup_token.ts";

/** A new session and what the owner's page needs to open the vault, in the caller's transaction. */
function signIn(rows: Rows, owner: OwnerRow, rootKey: string, now: number): Json {
  const { token, expiresAt } = beginSession(rows, owner.id, now);
  return {
    session: token,
    expiresAt: timeText(expiresAt),
    ownerId: owner.id,
    rootKey,
    mlKemPublicKey: owner.mlKemPublicKey,
    binFolderId: owner.binFolderId,
    mediaFolderId: owner.mediaFolderId,
  };
}

function newOwner(input: SetupInput, now: number): OwnerRow {
  const { ownerId, bin, media } = input;
  return {
    id: ownerId,
    ...passphraseColumns(input, ownerId),
    ...recoveryColumns(input.recovery, ownerId),
    mlKemPublicKey: input.mlKemPublicKey,
    binFolderId: bin.id,
    mediaFolderId: media?.id ?? null,
    failedLogins: 0,
    nextLoginAt: 0,
    egressDay: "",
    egressDayBytes: 0,
    egressMonth: "",
    egressMonthBytes: 0,
    createdAt: now,
    updatedAt: now,
  };
}

async function setUp(call: Call): Promise<Reply> {
  const input = setupInput((await jsonBody(call)).value, "");
  const { rows, now: clock } = call.context;
  const now = clock();
  const owner = newOwner(input, now);
  if (new Set([owner.id, owner.binFolderId, owner.mediaFolderId]).size !== 3) {
    throw badRequest("every id must be another");
  }
  const body = rows.transaction(() => {
    spendSetupToken(rows, input.setupToken);
    rows.insertOwner(owner);
    const atTop = { ownerId: owner.id, parentId: null, now };
    insertFolder(rows, input.bin, { ...atTop, kind: "bin" });
    if (input.media) insertFolder(rows, input.media, { ...atTop, kind: "media" });
    record<OwnerAction>({ rows, actor: { ownerId: owner.id, grantId: null }, now }, {
      action: "setup",
    });
    return signIn(rows, owner, owner.rootKey, now);
  });
  return { status: 201, body };
}

function startLogin({ context }: Call): Reply {
  const { id, kdfSalt, kdfPreset } = requireOwner(context.rows);
  return { body: { ownerId: id, kdf: { salt: kdfSalt, preset: kdfPreset } } };
}

/** Signs in with the proof of one of the two secrets. */
async function login(
  call: Call,
  action: "login" | "recover",
  columns: (owner: OwnerRow) => { hash: string; rootKey: string },
): Promise<Reply> {
  const { loginProof } = loginInput((await jsonBody(call)).value, "");
  const { rows, now: clock } = call.context;
  const now = clock();
  const body = tryProof({
    rows,
    now,
    action,
    matches: (owner) => ownerProofMatches(loginProof, columns(owner).hash),
    onSuccess: (owner) => signIn(rows, owner, columns(owner).rootKey, now),
  });
  return { body };
}

/** Changes a secret with the proof of either one, and ends all sessions but this one. */
function changeSecret(
  { request, context }: Call,
  action: "change_passphrase" | "change_recovery",
  currentProof: string,
  columns: (ownerId: string) => Partial<OwnerRow>,
): Reply {
  const { rows } = context;
  const now = context.now();
  tryProof({
    rows,
    now,
    action,
    matches: ({ loginProofHash, recoveryProofHash }) =>
      ownerProofMatches(currentProof, loginProofHash) ||
      ownerProofMatches(currentProof, recoveryProofHash),
    onSuccess: (owner) => {
      rows.updateOwner(columns(owner.id));
      rows.removeSessions(requireSession(rows, request, now).id);
    },
  });
  return { body: { ok: true } };
}

async function changePassphrase(call: Call): Promise<Reply> {
  const input = await ownerInput(call, passphraseInput);
  return changeSecret(
    call,
    "change_passphrase",
    input.currentProof,
    (ownerId) => passphraseColumns(input, ownerId),
  );
}

async function changeRecovery(call: Call): Promise<Reply> {
  const input = await ownerInput(call, recoveryInput);
  return changeSecret(
    call,
    "change_recovery",
    input.currentProof,
    (ownerId) => recoveryColumns(input, ownerId),
  );
}

/** Ends the session of the request; its body, if any, is not looked at. */
function logOut(call: Call): Reply {
  asOwner(call, ({ rows, session }) => rows.removeSession(session.id));
  return { body: { ok: true } };
}

function status({ context }: Call): Reply {
  const initialized = context.rows.owner() !== undefined;
  return { body: { initialized, version: context.version } };
}

export const accessRoutes: Route[] = [
  { method: "GET", pattern: `${OWNER_API}/status`, handle: status },
  { method: "POST", pattern: `${OWNER_API}/setup`, handle: setUp },
  { method: "POST", pattern: `${OWNER_API}/login/start`, handle: startLogin },
  {
    method: "POST",
    pattern: `${OWNER_API}/login`,
    handle: (call) =>
      login(call, "login", ({ loginProofHash, rootKey }) => ({ hash: loginProofHash, rootKey })),
  },
  {
    method: "POST",
    pattern: `${OWNER_API}/login/recovery`,
    handle: (call) =>
      login(call, "recover", ({ recoveryProofHash, recoveryRootKey }) => ({
        hash: recoveryProofHash,
        rootKey: recoveryRootKey,
      })),
  },
  { method: "POST", pattern: `${OWNER_API}/logout`, handle: logOut },
  { method: "PUT", pattern: `${OWNER_API}/passphrase`, handle: changePassphrase },
  { method: "PUT", pattern: `${OWNER_API}/recovery`, handle: changeRecovery },
];
