// Wrapped keys, grants, scopes, connection strings, proofs, shares and identities.

import { base64ToBytes, bytesToHex } from "@shieldfive/crypto";
import {
  decodeIdentityBundle,
  encodeIdentityBundle,
  openShareAsRecipient,
} from "@shieldfive/crypto/identity";
import { deriveMlKemKeypair } from "@shieldfive/crypto/pq-hybrid-v1";
import {
  buildUploadProofV3,
  canonicalGrantScope,
  deriveGrantWrapKey,
  formatConnectionString,
  grantBearerToken,
  type GrantKeyKind,
  hashGrantToken,
  keyFingerprint,
  parseConnectionString,
  publicKeyFingerprint,
  unwrapChainKey,
  unwrapGrantSecret,
  unwrapKeyForGrant,
  wrapChainKey,
  wrapGrantSecret,
  wrapKeyForGrant,
} from "@shieldfive/crypto/vault";
import type { FileVectors, RefusalVectors, VaultVectors, WrappedVector } from "../format.ts";
import { type Check, refused, same, unbase64, unhex } from "./expect.ts";

/** The wrap with one bit of its ciphertext flipped, and with lengths that no wrap has. */
function spoiled({ wrapped, iv }: WrappedVector): Record<string, WrappedVector> {
  const sealed = unbase64(wrapped);
  sealed[40] ^= 1;
  return {
    "a flipped bit": { wrapped: sealed.toBase64(), iv },
    "a byte less": { wrapped: sealed.slice(1).toBase64(), iv },
    "an IV of 11 bytes": { wrapped, iv: unbase64(iv).slice(1).toBase64() },
    "no base64": { wrapped: wrapped.slice(0, -1) + "!", iv },
  };
}

function chainChecks({ chain, keyFingerprints }: VaultVectors): Check[] {
  return [
    ...chain.map(({ parent, key, wrap }, i) => ({
      name: `a wrapped key opens under its parent alone: ${i}`,
      async run() {
        const [above, below] = [unhex(parent), unhex(key)];
        same(await unwrapChainKey(above, wrap), below, "the key");
        same(await unwrapChainKey(above, await wrapChainKey(above, below)), below, "ours");
        await refused(() => unwrapChainKey(below, wrap), "unwrap_failed", "another parent");
        for (const [what, bad] of Object.entries(spoiled(wrap))) {
          await refused(() => unwrapChainKey(above, bad), "unwrap_failed", what);
        }
        await refused(() => wrapChainKey(above, below.slice(1)), "invalid_input", "31 bytes");
      },
    })),
    ...keyFingerprints.map(({ key, fingerprint }) => ({
      name: "a key has its fingerprint",
      run: () => same(keyFingerprint(unhex(key)), fingerprint, "the fingerprint"),
    })),
  ];
}

type Grant = VaultVectors["grants"][number];

async function checkWrap(grant: Grant, { kind, objectId, key, wrap }: Grant["wraps"][number]) {
  const grantWrapKey = unhex(grant.wrapKey);
  const at = { grantWrapKey, grantId: grant.grantId, kind: kind as GrantKeyKind, objectId };
  same(await unwrapKeyForGrant({ ...at, wrapped: wrap }), unhex(key), kind);
  const wrapped = await wrapKeyForGrant({ ...at, key: unhex(key) });
  same(await unwrapKeyForGrant({ ...at, wrapped }), unhex(key), `our ${kind}`);
  const elsewhere = {
    "another kind": { kind: kind === "file" ? "folder" : "file" } as const,
    "another object": { objectId: grant.grantId },
    "another grant": { grantId: objectId },
    "another key": { grantWrapKey: unhex(key) },
  };
  for (const [what, other] of Object.entries(elsewhere)) {
    const call = () => unwrapKeyForGrant({ ...at, ...other, wrapped: wrap });
    await refused(call, "unwrap_failed", `${kind}: ${what}`);
  }
  const malformed = {
    "a kind that is none": { kind: "root" as GrantKeyKind },
    "an id in capitals": { objectId: objectId.toUpperCase() },
  };
  for (const [what, other] of Object.entries(malformed)) {
    const call = () => unwrapKeyForGrant({ ...at, ...other, wrapped: wrap });
    await refused(call, "invalid_input", `${kind}: ${what}`);
  }
}

function grantChecks({ grants }: VaultVectors): Check[] {
  return grants.flatMap((grant, i) => [
    {
      name: `a connection string is read and written: ${i}`,
      run() {
        const credential = {
          grantId: grant.grantId,
          token: unhex(grant.token),
          secret: unhex(grant.secret),
          publicKeyFingerprint: grant.fingerprint,
        };
        const parsed = parseConnectionString(` ${grant.connectionString}\n`);
        for (const name of Object.keys(credential) as (keyof typeof credential)[]) {
          same(parsed[name], credential[name], name);
        }
        same(formatConnectionString(credential), grant.connectionString, "the text");
        same(hashGrantToken(grantBearerToken(credential)), grant.tokenHash, "the token's hash");
        const print = publicKeyFingerprint(unbase64(grant.publicKey));
        same(print, grant.fingerprint, "the fingerprint");
      },
    },
    {
      name: `a grant's wraps open at their places alone: ${i}`,
      async run() {
        const wrapKey = await deriveGrantWrapKey(unhex(grant.secret), grant.grantId);
        same(wrapKey, unhex(grant.wrapKey), "the wrapping key");
        for (const wrap of grant.wraps) await checkWrap(grant, wrap);
      },
    },
  ]);
}

const OTHER_ID = "00000000-2222-4333-8444-555555555555";

async function checkScope({ rootKey, secret, scope, text, wrap }: VaultVectors["scopes"][number]) {
  const root = unhex(rootKey);
  const opened = (changed: object) =>
    unwrapGrantSecret({ rootKey: root, scope: { ...scope, ...changed }, wrapped: wrap });
  same(canonicalGrantScope(scope), text, "the text");
  same(await opened({}), unhex(secret), "the secret");
  const lists = {
    rootIds: scope.rootIds.toReversed().concat(scope.rootIds),
    excludedIds: scope.excludedIds.toReversed(),
    excludedKeyFingerprints: scope.excludedKeyFingerprints.toReversed(),
  };
  same(await opened(lists), unhex(secret), "the lists in another order");
  const wrapped = await wrapGrantSecret({ rootKey: root, scope, secret: unhex(secret) });
  same(await unwrapGrantSecret({ rootKey: root, scope, wrapped }), unhex(secret), "ours");
  for (
    const change of [
      { scopeAll: !scope.scopeAll },
      { includeMedia: !scope.includeMedia },
      { rootIds: [...scope.rootIds, OTHER_ID] },
      { trashFolderId: OTHER_ID },
      { excludedIds: [...scope.excludedIds, OTHER_ID] },
      { excludedKeyFingerprints: [...scope.excludedKeyFingerprints, "00".repeat(32)] },
      { grantId: OTHER_ID },
    ]
  ) {
    await refused(() => opened(change), "unwrap_failed", JSON.stringify(change));
  }
}

function proofChecks({ uploadProofs }: VaultVectors, { files }: FileVectors): Check[] {
  return uploadProofs.map(({ proofKey, of, proof, needed }) => ({
    name: `an upload is proven by its header and first chunk: ${of}`,
    async run() {
      const file = unbase64(files.find(({ name }) => name === of)!.file);
      const proven = (ciphertext: Uint8Array) =>
        buildUploadProofV3({ proofKeyHex: proofKey, ciphertext });
      same(await proven(file), proof, "the proof");
      same(await proven(file.slice(0, needed)), proof, "the proof by the first bytes");
      const changed = file.slice();
      changed[needed - 1] ^= 1;
      if (await proven(changed) === proof) throw new Error("another chunk has the same proof");
      await refused(() => proven(file.slice(0, needed - 1)), "invalid_input", "a byte less");
      const short = { proofKeyHex: proofKey.slice(1), ciphertext: file };
      await refused(() => buildUploadProofV3(short), "invalid_input", "63 digits");
    },
  }));
}

async function checkShare({ share }: VaultVectors): Promise<void> {
  const { secretKey } = await deriveMlKemKeypair(unhex(share.masterSecret));
  const bundle = unbase64(share.bundle);
  const open = (shareBundle: Uint8Array, fileId = unhex(share.fileId)) =>
    openShareAsRecipient({
      shareBundle,
      fileId,
      recipientSecretKey: secretKey,
      recipientEnvelopeKey: unhex(share.envelopeKey),
    });
  same(await open(bundle), unhex(share.key), "the key");
  // Magic, version, length, each part of the encapsulation, its pad, the nonce, the wrapped key, its tag.
  for (const at of [0, 4, 8, 9, 1000, 1577, 1630, 1650, 1680, 1697, 1720, 1744]) {
    const changed = bundle.slice();
    changed[at] ^= 1;
    await refused(() => open(changed), undefined, `byte ${at}`);
  }
  await refused(() => open(bundle.slice(0, -1)), undefined, "a byte less");
  await refused(() => open(bundle, unhex("00".repeat(16))), undefined, "another file");
}

async function checkIdentity({ identity }: VaultVectors): Promise<void> {
  const { userId, issuedAt } = identity;
  const { publicKey } = await deriveMlKemKeypair(unhex(identity.masterSecret));
  const metadata = unhex(identity.metadata);
  const parts = { userId, issuedAt, mlKemPublicKey: publicKey, metadata };
  const bundle = encodeIdentityBundle(parts);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bundle.slice()));
  same(bytesToHex(digest), identity.bundleSha256, "the bundle");
  const decoded = decodeIdentityBundle(bundle);
  same(decoded.userId, userId, "the user");
  same(decoded.issuedAt, issuedAt, "the time");
  same(decoded.mlKemPublicKey, publicKey, "the key");
  same(decoded.metadata, metadata, "the metadata");
  for (let length = 0; length < bundle.length; length += 97) {
    await refused(() => decodeIdentityBundle(bundle.slice(0, length)), undefined, `${length}`);
  }
}

export function vaultChecks(
  vault: VaultVectors,
  files: FileVectors,
  { connectionStrings }: RefusalVectors,
): Check[] {
  return [
    ...chainChecks(vault),
    ...grantChecks(vault),
    ...vault.scopes.map((scope, i) => ({
      name: `the owner's copy of a secret opens for its scope alone: ${i}`,
      run: () => checkScope(scope),
    })),
    ...connectionStrings.map(({ name, value }) => ({
      name: `a connection string is refused: ${name}`,
      run: () => refused(() => parseConnectionString(value), "invalid_connection_string", name),
    })),
    ...proofChecks(vault, files),
    { name: "a share opens for its file alone", run: () => checkShare(vault) },
    { name: "an identity is written and read", run: () => checkIdentity(vault) },
    {
      name: "base64 is the standard alphabet with padding",
      run: () => same(base64ToBytes("+/8="), unhex("fbff"), "the bytes"),
    },
  ];
}
