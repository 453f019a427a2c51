// What stands in a vault's rows and in its grants: wrapped keys, scopes, connection strings, proofs.

import { takeApart } from "../../second/container.ts";
import { mlKemSeed, shareBundle } from "../../second/hybrid.ts";
import {
  ascii,
  base64,
  bigEndian,
  hex,
  join,
  mlKemOf,
  sha256,
  unbase64,
} from "../../second/primitives.ts";
import {
  connectionString,
  grantAad,
  grantSecretKey,
  grantWrapKey,
  scopeText,
  uploadProof,
  wrap,
} from "../../second/vault.ts";
import type { FileVectors, ScopeVector, VaultVectors } from "../format.ts";
import { draw, drawRowId } from "./draw.ts";

function uuid(label: string): string {
  return hex(drawRowId(label)).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

const ROOT_KEY = draw("root key", 32);

function chain(): VaultVectors["chain"] {
  const keys = [ROOT_KEY, ...["folder", "folder below", "file"].map((label) => draw(label, 32))];
  return keys.slice(1).map((key, i) => ({
    parent: hex(keys[i]),
    key: hex(key),
    wrap: wrap(keys[i], draw(`chain ${i}`, 12), key),
  }));
}

function grants(): VaultVectors["grants"] {
  return ["one", "two"].map((label) => {
    const grantId = uuid(`grant ${label}`);
    const token = draw(`token ${label}`, 32);
    const secret = draw(`secret ${label}`, 32);
    const publicKey = draw(`public key ${label}`, 1568);
    const wrapKey = grantWrapKey(secret, grantId);
    const objectId = uuid(`object ${label}`);
    return {
      grantId,
      token: hex(token),
      secret: hex(secret),
      publicKey: base64(publicKey),
      connectionString: connectionString({ grantId, token, secret, publicKey }),
      tokenHash: hex(sha256(token)),
      wrapKey: hex(wrapKey),
      fingerprint: hex(sha256(publicKey)),
      wraps: ["folder", "file", "file_pq", "name"].map((kind) => {
        const key = draw(`${kind} ${label}`, 32);
        const iv = draw(`iv ${kind} ${label}`, 12);
        return {
          kind,
          objectId,
          key: hex(key),
          wrap: wrap(wrapKey, iv, key, grantAad(grantId, kind, objectId)),
        };
      }),
    };
  });
}

function scopes(): VaultVectors["scopes"] {
  const bare: ScopeVector = {
    grantId: uuid("scope"),
    scopeAll: false,
    includeMedia: false,
    rootIds: [],
    trashFolderId: null,
    excludedIds: [],
    excludedKeyFingerprints: [],
  };
  const [a, b, c] = ["a", "b", "c"].map(uuid);
  const [print, other] = ["print", "other print"].map((label) => hex(draw(label, 32)));
  const all: ScopeVector[] = [
    bare,
    { ...bare, rootIds: [a] },
    { ...bare, rootIds: [c, a, b, a], trashFolderId: b },
    { ...bare, scopeAll: true, excludedIds: [b, a] },
    { ...bare, scopeAll: true, includeMedia: true, excludedKeyFingerprints: [print, other, print] },
  ];
  return all.map((scope, i) => {
    const secret = draw(`scope secret ${i}`, 32);
    const text = scopeText(scope);
    const key = grantSecretKey(ROOT_KEY, scope.grantId);
    return {
      rootKey: hex(ROOT_KEY),
      secret: hex(secret),
      scope,
      text,
      wrap: wrap(key, draw(`scope iv ${i}`, 12), secret, text),
    };
  });
}

function uploadProofs({ files }: FileVectors): VaultVectors["uploadProofs"] {
  return files.filter(({ suite, plaintext }) => suite === 3 && plaintext !== "").map((vector) => {
    const file = unbase64(vector.file);
    const proofKey = hex(draw(`proof ${vector.name}`, 32));
    const { underMac, chunks } = takeApart(file);
    const needed = underMac.length + 32 + 4 + chunks[0].length;
    return { proofKey, of: vector.name, proof: uploadProof(proofKey, file, needed), needed };
  });
}

async function share(): Promise<VaultVectors["share"]> {
  const masterSecret = draw("share recipient", 32);
  const envelopeKey = draw("share envelope key", 32);
  const fileId = drawRowId("shared file");
  const key = draw("shared key", 32);
  const { publicKey } = await mlKemOf(mlKemSeed(masterSecret));
  const bundle = shareBundle({
    publicKey,
    envelopeKey,
    fileId,
    coins: draw("share coins", 32),
    classicalShare: draw("share classical", 32),
    nonce: draw("share nonce", 24),
    combinedKey: key,
    wrapNonce: draw("share wrap nonce", 24),
  });
  return {
    masterSecret: hex(masterSecret),
    envelopeKey: hex(envelopeKey),
    fileId: hex(fileId),
    key: hex(key),
    bundle: base64(bundle),
  };
}

async function identity(): Promise<VaultVectors["identity"]> {
  const userId = "zoë";
  const metadata = ascii('{"client":"test"}');
  const issuedAt = 1_760_000_000;
  const masterSecret = draw("identity", 32);
  const { publicKey } = await mlKemOf(mlKemSeed(masterSecret));
  const name = ascii(userId);
  const bundle = join(
    ascii("SF5I"),
    Uint8Array.of(1),
    bigEndian(issuedAt, 4),
    bigEndian(name.length, 1),
    name,
    publicKey,
    bigEndian(metadata.length, 2),
    metadata,
  );
  return {
    userId,
    issuedAt,
    metadata: hex(metadata),
    masterSecret: hex(masterSecret),
    bundleSha256: hex(sha256(bundle)),
  };
}

export async function makeVault(files: FileVectors): Promise<VaultVectors> {
  const fingerprinted = draw("fingerprinted", 32);
  return {
    chain: chain(),
    grants: grants(),
    scopes: scopes(),
    keyFingerprints: [{ key: hex(fingerprinted), fingerprint: hex(sha256(fingerprinted)) }],
    uploadProofs: uploadProofs(files),
    share: await share(),
    identity: await identity(),
  };
}
