// An assistant's client as small as it can be: a connection string, the agent interface, and the published
// cryptography. It shares nothing with the owner's library, so what it can open is what was granted.

import assert from "node:assert/strict";
import { decryptStreamPqHybridV1 } from "@shieldfive/crypto/streams/pq-hybrid-v1";
import { encryptBytes } from "@shieldfive/crypto/pq-hybrid-v1";
import {
  base64ToBytes,
  bytesToHex,
  hexToBytes,
  parseHeader,
  randomBytes,
} from "@shieldfive/crypto";
import {
  buildUploadProofV3,
  decryptName,
  decryptNameWithKey,
  deriveGrantWrapKey,
  encryptNameV6,
  grantBearerToken,
  type GrantKeyKind,
  parseConnectionString,
  parseNameEnvelope,
  unwrapChainKey,
  unwrapKeyForGrant,
  wrapChainKey,
} from "@shieldfive/crypto/vault";
import { uuidV7 } from "@shieldfive/crypto/extra/uuid7.ts";
import type { InProcessServer } from "../server/in_process.ts";
import type { Loose } from "./support.ts";

type NameKeys = Parameters<typeof decryptName>[1];

/** What the client sees of one row. */
export interface Seen {
  id: string;
  /** Null when it does not open. */
  name: string | null;
  /** From the topmost folder that it sees. */
  path: string;
  row: Loose;
}

async function orNull<T>(result: Promise<T>): Promise<T | null> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof Error && error.name === "VaultCryptoError") return null;
    throw error;
  }
}

export class Agent {
  readonly #server: Pick<InProcessServer, "origin" | "fetch">;
  readonly #credential: ReturnType<typeof parseConnectionString>;
  readonly #nameKeys: NameKeys | undefined;
  readonly keys = new Map<string, Uint8Array>();
  grant: Loose;
  folders: Seen[] = [];
  files: Seen[] = [];

  /** @param nameKeys for tests whose owner derives in no time; absent: Argon2id. */
  constructor(
    server: Pick<InProcessServer, "origin" | "fetch">,
    connectionString: string,
    nameKeys?: NameKeys,
  ) {
    this.#server = server;
    this.#nameKeys = nameKeys;
    this.#credential = parseConnectionString(connectionString);
  }

  async call(method: string, path: string, body?: unknown): Promise<Response> {
    return await this.#server.fetch(`${this.#server.origin}/api/agent/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${grantBearerToken(this.#credential)}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  }

  async json(method: string, path: string, body?: unknown): Promise<Loose> {
    const response = await this.call(method, path, body);
    const answer = await response.json();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  }

  key(kind: GrantKeyKind, id: string): Uint8Array | undefined {
    return this.keys.get(`${kind} ${id}`);
  }

  /** Loads everything that the connection sees, as the specification has it. */
  async load(): Promise<this> {
    const { grant, keys } = await this.json("GET", "/grant");
    this.grant = grant;
    assert.equal(grant.id, this.#credential.grantId);
    const { secret, grantId } = this.#credential;
    const grantWrapKey = await deriveGrantWrapKey(secret, grantId);
    this.keys.clear();
    for (const { kind, objectId, wrapped, iv } of keys) {
      const place = { grantWrapKey, grantId, kind, objectId };
      const key = await orNull(unwrapKeyForGrant({ ...place, wrapped: { wrapped, iv } }));
      if (key !== null) this.keys.set(`${kind} ${objectId}`, key);
    }
    const folders: Loose[] = await this.#all("folders");
    const files: Loose[] = await this.#all("files");
    await this.#openFolders(folders);
    this.folders = await Promise.all(folders.map((row) => this.#seen(row, row.parentId, folders)));
    this.files = await Promise.all(files.map((row) => this.#seen(row, row.folderId, folders)));
    for (const each of [...this.folders, ...this.files]) each.path = this.#path(each, folders);
    return this;
  }

  async #all(kind: "folders" | "files"): Promise<Loose[]> {
    const rows = [];
    for (let after = ""; after !== null;) {
      const page = await this.json("GET", `/${kind}?limit=1000${after && `&after=${after}`}`);
      rows.push(...page[kind]);
      after = page.next;
    }
    return rows;
  }

  async #openFolders(folders: Loose[]): Promise<void> {
    for (let before = -1; before !== this.keys.size;) {
      before = this.keys.size;
      for (const { id, parentId, fkWrapped, fkIv, isScopeRoot } of folders) {
        const parent = parentId && this.key("folder", parentId);
        if (this.key("folder", id) || isScopeRoot || !parent) continue;
        const key = await orNull(unwrapChainKey(parent, { wrapped: fkWrapped, iv: fkIv }));
        if (key !== null) this.keys.set(`folder ${id}`, key);
      }
    }
  }

  async #seen(row: Loose, parentId: string | null, folders: Loose[]): Promise<Seen> {
    const { id } = row;
    const envelope = parseNameEnvelope(row.name);
    const top = parentId === null || !folders.some((folder) => folder.id === parentId);
    const nameKey = this.key("name", id);
    const folderKey = parentId === null ? undefined : this.key("folder", parentId);
    const name = envelope === null || envelope.v !== 6
      ? null
      : (row.isScopeRoot || top) && nameKey
      ? await orNull(decryptNameWithKey({ envelope, nameKey, rowId: id }))
      : folderKey
      ? await orNull(decryptName({ envelope, folderKey, rowId: id }, this.#nameKeys))
      : null;
    return { id, name, path: "", row };
  }

  #path({ name, row }: Seen, folders: Loose[]): string {
    const parentId = row.parentId ?? row.folderId ?? null;
    const parent = this.folders.find(({ id }) => id === parentId);
    const above = parent && folders.length > 0 ? this.#path(parent, folders) : "";
    return `${above}/${name}`;
  }

  at(path: string): Seen {
    const found = [...this.folders, ...this.files].find((each) => each.path === path);
    assert.ok(found, `nothing at ${path}, but ${this.paths().join(", ")}`);
    return found;
  }

  /** All that it can name; the trash folder has no name for it. */
  paths(): string[] {
    return [...this.folders, ...this.files].map(({ path }) => path).sort();
  }

  /** The key by which it opens a file: of this row, or as it was handed out. */
  async fileKey({ id, row }: Seen): Promise<Uint8Array> {
    const folderKey = row.folderId && this.key("folder", row.folderId);
    const key = folderKey && row.pqkFkWrapped
      ? await unwrapChainKey(folderKey, { wrapped: row.pqkFkWrapped, iv: row.pqkFkIv })
      : this.key("file_pq", id);
    assert.ok(key, `no key for ${id}`);
    return key;
  }

  async text(path: string): Promise<string> {
    const seen = this.at(path);
    const response = await this.call("POST", `/files/${seen.id}/download`);
    assert.equal(response.status, 200);
    const ciphertext = new Uint8Array(await response.arrayBuffer());
    assert.equal(bytesToHex(parseHeader(ciphertext).fileId), seen.id.replaceAll("-", ""));
    const { plaintext } = decryptStreamPqHybridV1(new Blob([ciphertext]).stream(), {
      combinedKey: await this.fileKey(seen),
    });
    return await new Response(plaintext).text();
  }

  async rename(path: string, name: string): Promise<void> {
    const { id, row } = this.at(path);
    const parentId = row.parentId ?? row.folderId;
    const folderKey = this.key("folder", parentId)!;
    const envelope = await encryptNameV6({ name, folderKey, rowId: id }, this.#nameKeys);
    const kind = "folderId" in row ? "files" : "folders";
    await this.json("PATCH", `/${kind}/${id}`, { name: JSON.stringify(envelope) });
  }

  /** The fields of an item for another folder. */
  async #sealed({ id, name, row }: Seen, folderId: string): Promise<Record<string, string>> {
    const to = this.key("folder", folderId)!;
    const envelope = await encryptNameV6({ name: name!, folderKey: to, rowId: id }, this.#nameKeys);
    const sealed = { name: JSON.stringify(envelope) };
    if (!("folderId" in row)) {
      const { wrapped, iv } = await wrapChainKey(to, this.key("folder", id)!);
      return { ...sealed, fkWrapped: wrapped, fkIv: iv };
    }
    const from = this.key("folder", row.folderId);
    const csk = from
      ? await unwrapChainKey(from, { wrapped: row.cskWrapped, iv: row.cskIv })
      : this.key("file", id)!;
    const [c, p] = [
      await wrapChainKey(to, csk),
      await wrapChainKey(to, await this.fileKey({ id, name, row, path: "" })),
    ];
    return {
      ...sealed,
      cskWrapped: c.wrapped,
      cskIv: c.iv,
      pqkFkWrapped: p.wrapped,
      pqkFkIv: p.iv,
    };
  }

  async move(path: string, folder: string, { withPq = true } = {}): Promise<void> {
    const seen = this.at(path);
    const target = this.at(folder).id;
    const { pqkFkWrapped, pqkFkIv, ...fields } = await this.#sealed(seen, target);
    const pq = withPq && pqkFkWrapped ? { pqkFkWrapped, pqkFkIv } : {};
    const isFile = "folderId" in seen.row;
    const into = isFile ? { folderId: target } : { parentId: target };
    await this.json("PATCH", `/${isFile ? "files" : "folders"}/${seen.id}`, {
      ...into,
      ...fields,
      ...pq,
    });
  }

  async trash(...paths: string[]): Promise<void> {
    const items = await Promise.all(paths.map(async (path) => {
      const seen = this.at(path);
      const fields = await this.#sealed(seen, this.grant.trashFolderId);
      return { kind: "folderId" in seen.row ? "file" : "folder", id: seen.id, ...fields };
    }));
    const { results } = await this.json("POST", "/trash", { items });
    for (const { ok } of results) assert.ok(ok, JSON.stringify(results));
  }

  async createFolder(path: string, name: string): Promise<void> {
    const parentId = this.at(path).id;
    const parent = this.key("folder", parentId)!;
    const id = uuidV7();
    const { wrapped, iv } = await wrapChainKey(parent, randomBytes(32));
    const envelope = await encryptNameV6({ name, folderKey: parent, rowId: id }, this.#nameKeys);
    await this.json("POST", "/folders", {
      id,
      parentId,
      name: JSON.stringify(envelope),
      fkWrapped: wrapped,
      fkIv: iv,
    });
  }

  async upload(folder: string, name: string, text: string): Promise<string> {
    const folderId = this.at(folder).id;
    const folderKey = this.key("folder", folderId)!;
    const id = uuidV7();
    const envelopeKey = randomBytes(32);
    const { blob, combinedKey } = await encryptBytes(new TextEncoder().encode(text), {
      recipientPublicKey: base64ToBytes(this.grant.mlKemPublicKey),
      envelopeKey,
      fileId: hexToBytes(id.replaceAll("-", "")),
    });
    const [csk, pqk] = [
      await wrapChainKey(folderKey, envelopeKey),
      await wrapChainKey(folderKey, combinedKey),
    ];
    const envelope = await encryptNameV6({ name, folderKey, rowId: id }, this.#nameKeys);
    const { uploadUrl, proofKey } = await this.json("POST", "/files", {
      id,
      folderId,
      name: JSON.stringify(envelope),
      cskWrapped: csk.wrapped,
      cskIv: csk.iv,
      pqkFkWrapped: pqk.wrapped,
      pqkFkIv: pqk.iv,
      cipherVersion: 3,
      sizeBytes: blob.size,
    });
    const ciphertext = new Uint8Array(await blob.arrayBuffer());
    const put = await this.#server.fetch(uploadUrl, {
      method: "PUT",
      headers: { "content-type": "application/octet-stream" },
      body: ciphertext,
    });
    assert.ok(put.ok, `PUT: ${put.status}`);
    await put.body?.cancel();
    const sha1 = await crypto.subtle.digest("SHA-1", ciphertext);
    await this.json("POST", `/files/${id}/finalize`, {
      proof: await buildUploadProofV3({ proofKeyHex: proofKey, ciphertext }),
      ciphertextHash: bytesToHex(new Uint8Array(sha1)),
    });
    return id;
  }
}
