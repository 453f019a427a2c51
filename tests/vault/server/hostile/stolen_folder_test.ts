// A thief of the data folder, and the server's own operator: what lies there opens nothing, signs nobody
// in, and holds no name, no content and no secret in any spelling.

import assert from "node:assert/strict";
import { base64urlToBytes, bytesToBase64url, hexToBytes } from "../../../../vault/crypto/bytes.ts";
import { parseConnectionString } from "@shieldfive/crypto/vault";
import { OwnerVault } from "../../../../vault/owner/mod.ts";
import { defaultTransport } from "../../../../vault/owner/transport.ts";
import { openRows } from "../../../../vault/server/rows/sqlite.ts";
import { inTempDir } from "../../../support.ts";
import { Agent } from "../../owner/agent.ts";
import { at, recorded, uploadText } from "../../owner/support.ts";
import { Caller } from "../keyless/caller.ts";
import { startServing } from "../serving.ts";

const PASSPHRASE = "a passphrase that is nowhere";
const CONTENT = "the content of this file is in no other file";
const NAMES = [
  "Quarterly figures",
  "Letter to nobody.txt",
  "Assistant's label",
  "Renamed notes.txt",
];

/** All bytes below a folder, as Latin-1 text. */
function allBytes(folder: string): string {
  let text = "";
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    const path = `${folder}/${name}`;
    text += isDirectory
      ? allBytes(path)
      : new TextDecoder("latin1").decode(Deno.readFileSync(path));
  }
  return text;
}

/** The spellings in which 32 bytes could lie somewhere, given as base64url. */
function spellings(text: string): string[] {
  const bytes = base64urlToBytes(text);
  const raw = String.fromCharCode(...bytes);
  return [text, bytes.toBase64(), bytes.toHex(), bytes.toHex().toUpperCase(), raw];
}

/** A vault that was used by its owner and a connection; gives every secret that was in play. */
async function useVault(origin: string, setupToken: string): Promise<string[]> {
  const { transport, sent } = recorded(defaultTransport());
  const { vault, recoveryKey } = await OwnerVault.create({
    origin,
    setupToken,
    passphrase: PASSPHRASE,
    transport,
  });
  await vault.refresh();
  const folder = await vault.createFolder(null, NAMES[0]);
  await uploadText(vault, folder.id, NAMES[1], CONTENT);
  const { connectionString } = await vault.createGrant({
    label: NAMES[2],
    clientHint: "other",
    scopes: ["read", "organize", "write"],
    folderIds: [folder.id],
    expiresInMs: 86_400_000,
  });
  const agent = await new Agent({ origin, fetch: globalThis.fetch }, connectionString).load();
  await agent.rename(`/${NAMES[0]}/${NAMES[1]}`, NAMES[3]);
  await vault.refresh();
  assert.equal(at(vault, `/${NAMES[0]}/${NAMES[3]}`).kind, "file");
  const { token, secret } = parseConnectionString(connectionString);
  const proofs = sent.flatMap((text) =>
    [...text.matchAll(/"(?:loginProof|currentProof)":"([A-Za-z0-9_-]{43})"/g)].map(([, found]) =>
      found
    )
  );
  const sessions = sent.flatMap((text) => /authorization: Bearer (\S{43})/.exec(text)?.[1] ?? []);
  assert.ok(proofs.length >= 2 && sessions.length > 0, "proofs and sessions were seen");
  const keys = [
    setupToken,
    bytesToBase64url(token),
    bytesToBase64url(secret),
    ...proofs,
    ...sessions,
  ];
  await vault.lock();
  return [PASSPHRASE, recoveryKey, recoveryKey.replaceAll("-", ""), CONTENT, ...NAMES]
    .concat([...new Set(keys)].flatMap(spellings));
}

Deno.test("a stolen data folder holds no name, content or secret, and signs nobody in", async () => {
  await inTempDir(async (dir) => {
    const data = `${dir}/data`;
    const first = await startServing(data);
    const secrets = await useVault(first.origin, first.setupToken!);
    const whileRunning = allBytes(data);
    await first.stop();
    const atRest = allBytes(data);
    for (const secret of secrets) {
      for (const bytes of [whileRunning, atRest]) {
        assert.ok(!bytes.includes(secret), `found: ${JSON.stringify(secret.slice(0, 8))}…`);
      }
    }
    const rows = openRows(data);
    const [owner, grants] = [rows.owner()!, rows.grants()];
    assert.ok(atRest.includes(owner.loginProofHash) && atRest.includes(grants[0].tokenHash));
    rows.close();

    const second = await startServing(data);
    const asKey = (hex: string) => bytesToBase64url(hexToBytes(hex));
    const stranger = new Caller(second.origin, "/api/owner/v1", undefined);
    for (
      const [path, hash] of [["/login", owner.loginProofHash], [
        "/login/recovery",
        owner.recoveryProofHash,
      ]]
    ) {
      const body = { loginProof: asKey(hash) };
      const { status, json } = await stranger.call("POST", path, { body });
      assert.deepEqual([status, json.code], [401, "login_failed"]);
    }
    const agent = new Caller(second.origin, "/api/agent/v1", asKey(grants[0].tokenHash));
    assert.equal((await agent.call("GET", "/grant")).status, 401);
    await second.stop();
  });
});
