// What an owner's client sends: everything that it asks of the server in the life of a vault is looked
// through for what the server must never learn.

import assert from "node:assert/strict";
import { bytesToHex, randomBytes } from "@shieldfive/crypto";
import { openRootKey, recoveryLogin } from "@shieldfive/crypto/extra/owner_keys.ts";
import {
  deriveGrantWrapKey,
  parseConnectionString,
  unwrapChainKey,
} from "@shieldfive/crypto/vault";
import { OwnerVault } from "../../../vault/owner/mod.ts";
import { at, contentOf, folderAt, onServer, QUICK_KDF, recorded } from "./support.ts";

/** Bytes in every spelling in which they could be sent. */
function spellings(bytes: Uint8Array): string[] {
  const hex = bytesToHex(bytes);
  const padded = bytes.toBase64();
  const latin1 = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return [hex, hex.toUpperCase(), padded, bytes.toBase64({ alphabet: "base64url" }), latin1]
    .map((text) => text.replace(/=+$/, ""));
}

/** A text as it is, as UTF-8 bytes, in JSON, in a URL, and in base64 at any of its three places. */
function spellingsOfText(text: string): string[] {
  const bytes = contentOf(text);
  const within = [0, 1, 2].map((before) => {
    const padded = new Uint8Array([...new Uint8Array(before), ...bytes, 0, 0]).toBase64();
    const first = Math.ceil(before * 4 / 3);
    return padded.slice(first, first + Math.floor(bytes.length * 4 / 3) - 4);
  });
  return [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text), ...spellings(bytes)]
    .concat(within);
}

const SECRETS = {
  passphrase: "passphrase that nobody guesses",
  "new passphrase": "another one that nobody guesses",
  "folder name": "Divorce papers 2026",
  "file name": "settlement-draft.docx",
  "new name": "settlement-final-ä.docx",
  "connection label": "Assistant on my laptop",
  content: "the sum that we agreed upon is 41,000",
};

Deno.test("nothing that an owner sends holds a name, a content, a passphrase or a key", async () => {
  await onServer(async ({ origin, setupToken = "", transport: real, rows }) => {
    const { transport, sent } = recorded(real);
    const common = { origin, transport, kdf: QUICK_KDF };
    const { passphrase } = SECRETS;
    const { vault, recoveryKey } = await OwnerVault.create({ ...common, setupToken, passphrase });
    await vault.refresh();
    const folder = await vault.createFolder(null, SECRETS["folder name"]);
    const content = new Blob([SECRETS.content.repeat(50), randomBytes(1000)]);
    const file = await vault.upload(folder.id, {
      name: SECRETS["file name"],
      size: content.size,
      content,
      verify: true,
    });
    const { connectionString } = await vault.createGrant({
      label: SECRETS["connection label"],
      clientHint: "other",
      scopes: ["read", "organize", "write"],
      folderIds: "all",
      expiresInMs: 3_600_000,
    });
    await vault.rename(
      at(vault, `/${SECRETS["folder name"]}/${SECRETS["file name"]}`),
      SECRETS["new name"],
    );
    await vault.move([vault.tree.files.get(file.id)!], null);
    await vault.toBin([at(vault, `/${SECRETS["folder name"]}`)]);
    await vault.restore([folderAt(vault, `/Bin/${SECRETS["folder name"]}`)]);
    const [{ id }] = await vault.grants();
    await vault.extendGrant(id, { addFolders: true, expiresInMs: 7_200_000 });
    await vault.changePassphrase({ current: passphrase, next: SECRETS["new passphrase"] });
    const renewed = await vault.renewRecoveryKey({ passphrase: SECRETS["new passphrase"] });
    await vault.activity();
    const row = rows.folder(folder.id)!;
    const owner = rows.owner()!;
    await vault.lock();
    const again = await OwnerVault.recover({
      ...common,
      recoveryKey: renewed,
      newPassphrase: passphrase,
    });
    await again.refresh();
    await again.lock();

    const login = await recoveryLogin({ ownerId: owner.id, recoveryKey: renewed });
    const rootKey = await openRootKey({ login, record: owner.recoveryRootKey });
    const folderKey = await unwrapChainKey(rootKey, { wrapped: row.fkWrapped!, iv: row.fkIv! });
    const { secret, token, grantId } = parseConnectionString(connectionString);
    const bytes: Record<string, Uint8Array> = {
      "root key": rootKey,
      "folder key": folderKey,
      "connection secret": secret,
      "connection token": token,
      "connection wrap key": await deriveGrantWrapKey(secret, grantId),
    };
    const texts: Record<string, string> = {
      ...SECRETS,
      "recovery key": recoveryKey,
      "recovery key without hyphens": recoveryKey.replaceAll("-", ""),
      "renewed recovery key": renewed,
      "connection string": connectionString,
    };
    assert.ok(sent.length > 30, `${sent.length} requests`);
    // The look-through finds what is there.
    assert.ok(sent.some((request) => request.includes(folder.id)));
    for (const [what, value] of Object.entries(texts)) {
      for (const spelling of spellingsOfText(value)) refuteIn(sent, spelling, what);
    }
    for (const [what, value] of Object.entries(bytes)) {
      for (const spelling of spellings(value)) refuteIn(sent, spelling, what);
    }
  });
});

function refuteIn(sent: string[], spelling: string, what: string): void {
  assert.ok(spelling.length > 8, what);
  const found = sent.find((request) => request.includes(spelling));
  assert.equal(found, undefined, `the ${what} was sent`);
}

Deno.test("the look-through knows a text in base64 wherever it begins", () => {
  for (const before of ["", "a", "ab", "abc"]) {
    const hidden = contentOf(`${before}${SECRETS.content} and more`).toBase64();
    assert.ok(
      spellingsOfText(SECRETS.content).some((spelling) => hidden.includes(spelling)),
      before,
    );
  }
});

Deno.test("the token of a session goes to its server's interface only, and not with the ciphertext", async () => {
  await onServer(async ({ origin, setupToken = "", transport: real }) => {
    const { transport, sent } = recorded(real);
    const passphrase = SECRETS.passphrase;
    const options = { origin, transport, kdf: QUICK_KDF, setupToken, passphrase };
    const { vault } = await OwnerVault.create(options);
    const content = new Blob(["x"]);
    await vault.upload(null, { name: "x", size: 1, content });
    await vault.lock();
    const withToken = sent.filter((request) => /authorization/i.test(request));
    assert.ok(withToken.length > 2);
    for (const request of withToken) {
      const [, url] = request.split(/[ \n]/);
      assert.ok(url.startsWith(`${origin}/api/owner/v1/`), url);
      const token = /bearer (\S+)/i.exec(request)![1];
      assert.equal(
        request.split(token).length,
        2,
        "the token stands in its header and nowhere else",
      );
    }
    assert.ok(
      sent.some((request) => request.startsWith("PUT ") && !/authorization/i.test(request)),
    );
  });
});
