// A vault whose owner's keys the test holds, on the real service: rows, names, keys and contents of every
// format are made as an owner's client makes them, only that names cost nothing to derive. What a
// connection did is looked at with the owner's keys and in the server's rows.

import { fileIdOfRow } from "@shieldfive/crypto/extra/row_binding.ts";
import { uuidV7 } from "@shieldfive/crypto/extra/uuid7.ts";
import { encryptBytes as encryptAes } from "@shieldfive/crypto/aes-gcm-v1";
import {
  decryptToBytes,
  encryptBytes as encryptPq,
  generateMlKemKeypair,
} from "@shieldfive/crypto/pq-hybrid-v1";
import { randomBytes } from "@shieldfive/crypto";
import {
  createGrantCredential,
  decryptName,
  deriveGrantWrapKey,
  encryptNameV6,
  grantBearerToken,
  type GrantCredential,
  type GrantKeyKind,
  hashGrantToken,
  type NameEnvelope,
  parseNameEnvelope,
  unwrapChainKey,
  wrapChainKey,
  wrapKeyForGrant,
} from "@shieldfive/crypto/vault";
import { type ClientOptions, VaultClient } from "../../../vault/client/mod.ts";
import type { Alarm, StoragePut } from "../../../vault/client/types.ts";
import type { FileRow, FolderRow, GrantRow, Scope } from "../../../vault/server/rows/row_types.ts";
import type { Limits } from "../../../vault/server/service/context.ts";
import { type InProcessServer, openInProcess } from "../server/in_process.ts";
import {
  BIN,
  columnsOf,
  fileRow,
  folderRow,
  grantRow,
  ownerRow,
  putObject,
} from "../server/rows_support.ts";
import { exists } from "../../support.ts";
import { bytesOf } from "./bytes.ts";
import { addWraps } from "./grant_wraps.ts";
import { sealV4, writeV0 } from "./legacy.ts";
import { nameKeys, QuickKdf } from "./quick_kdf.ts";

export * from "./bytes.ts";
export { QuickKdf };

/** Memory, where there is such a folder: the server waits for the disk at every change. */
const PLACE = exists("/dev/shm") ? "/dev/shm" : undefined;

/** A key pair for all tests: making one takes a while. */
export const OWNER_KEYS = generateMlKemKeypair();

export type Format = 1 | 2 | 3;

/** What may be said of a file. */
export interface FileOptions {
  format?: Format;
  contentType?: string;
  /** Leaves out what connections read a post-quantum file by. */
  pending?: boolean;
  row?: Partial<FileRow>;
}

export interface GrantOptions {
  scopes?: Scope[];
  roots?: string[] | "all";
  row?: Partial<GrantRow>;
}

/** A connection as its holder has it. */
export interface Connected {
  credential: GrantCredential;
  trashId: string | null;
}

/** Waits are over at once, time limits are never: those are told by their length. */
export const impatient: Alarm = (milliseconds, ring) => {
  const isLimit = [30_000, 10_000, 120_000].includes(milliseconds);
  const timer = setTimeout(ring, isLimit ? 60_000 : 0);
  return () => clearTimeout(timer);
};

export class World implements Disposable {
  readonly folder = Deno.makeTempDirSync({ prefix: "shieldfive-", dir: PLACE });
  readonly server: InProcessServer;
  readonly rootKey = randomBytes(32);
  readonly folderKeys = new Map<string, Uint8Array>();
  readonly kdf = new QuickKdf();
  readonly log: string[] = [];

  constructor(limits: Partial<Limits> = {}) {
    this.server = openInProcess(`${this.folder}/data`, { limits });
    const { rows } = this.server;
    rows.transaction(() => {
      const mlKemPublicKey = OWNER_KEYS.publicKey.toBase64();
      rows.insertOwner({ ...ownerRow(), mlKemPublicKey });
      rows.insertFolder(folderRow(BIN, { kind: "bin" }));
    });
    this.folderKeys.set(BIN, randomBytes(32));
  }

  [Symbol.dispose](): void {
    this.server.close();
    Deno.removeSync(this.folder, { recursive: true });
  }

  get rows() {
    return this.server.rows;
  }

  keyOf(folderId: string | null): Uint8Array {
    const key = folderId === null ? this.rootKey : this.folderKeys.get(folderId);
    if (key === undefined) throw new Error("the test made no such folder");
    return key;
  }

  /** The text of a name's envelope. */
  async sealed(name: string, id: string, parentId: string | null): Promise<string> {
    const folderKey = this.keyOf(parentId);
    return JSON.stringify(await encryptNameV6({ name, folderKey, rowId: id }, nameKeys));
  }

  /** A name as old clients sealed it: bound to no row. */
  async sealedUnbound(name: string, parentId: string | null): Promise<string> {
    const salt = randomBytes(16);
    return await sealV4(name, salt, await nameKeys(this.keyOf(parentId), salt, "interactive"));
  }

  /** A folder's row, whose key the world knows from then on; it is not in the vault yet. */
  async newFolder(
    parentId: string | null,
    name: string,
    given: Partial<FolderRow> & { key?: Uint8Array } = {},
  ): Promise<FolderRow> {
    const { key = randomBytes(32), ...row } = given;
    const id = row.id ?? uuidV7();
    const wrap = await wrapChainKey(this.keyOf(parentId), key);
    this.folderKeys.set(id, key);
    return folderRow(id, {
      parentId,
      name: row.name ?? await this.sealed(name, id, parentId),
      fkWrapped: wrap.wrapped,
      fkIv: wrap.iv,
      createdAt: Date.now(),
      updatedAt: Date.now(),
      ...row,
    });
  }

  /** Puts many folders into the vault at once. */
  insertFolders(folders: readonly FolderRow[]): void {
    this.rows.transaction(() => {
      for (const row of folders) this.rows.insertFolder(row);
    });
  }

  async addFolder(...folder: Parameters<World["newFolder"]>): Promise<string> {
    const row = await this.newFolder(...folder);
    this.rows.insertFolder(row);
    return row.id;
  }

  async addFile(
    folderId: string | null,
    name: string,
    content: Uint8Array | string,
    { format = 3, contentType, pending, row = {} }: FileOptions = {},
  ): Promise<string> {
    const bytes = typeof content === "string" ? bytesOf(content) : content;
    const id = row.id ?? uuidV7();
    const { ciphertext, csk, pqk, columns } = await encrypted(id, bytes, format);
    const folderKey = this.keyOf(folderId);
    const [c, p] = [await wrapChainKey(folderKey, csk), pqk && await wrapChainKey(folderKey, pqk)];
    this.rows.insertFile(fileRow(id, {
      folderId,
      name: row.name ?? await this.sealed(name, id, folderId),
      ...columnsOf(putObject(this.server.objects, ciphertext)),
      ...columns,
      size: bytes.length,
      cipherVersion: format,
      contentType: contentType ?? null,
      cskWrapped: c.wrapped,
      cskIv: c.iv,
      pqkFkWrapped: pending ? null : p?.wrapped ?? null,
      pqkFkIv: pending ? null : p?.iv ?? null,
      createdAt: Date.now(),
      updatedAt: Date.now(),
      ...row,
    }));
    return id;
  }

  /** A connection with all the wraps that an owner's client makes for it. */
  async connect(options: GrantOptions = {}): Promise<Connected> {
    const { scopes = ["read", "organize", "write"], roots = "all", row = {} } = options;
    const credential = createGrantCredential({
      grantId: uuidV7(),
      mlKemPublicKey: OWNER_KEYS.publicKey,
    });
    const id = credential.grantId;
    const trashId = scopes.includes("organize") ? await this.addFolder(BIN, "its bin") : null;
    this.rows.insertGrant(grantRow(id, {
      tokenHash: hashGrantToken(grantBearerToken(credential)),
      scopes,
      scopeAll: roots === "all",
      trashFolderId: trashId,
      pkFingerprint: credential.publicKeyFingerprint,
      createdAt: Date.now(),
      expiresAt: Date.now() + 3_600_000,
      ...row,
    }));
    for (const root of roots === "all" ? [] : roots) this.rows.addGrantRoot(id, root);
    await addWraps(this, credential, { roots, trashId });
    return { credential, trashId };
  }

  async addKey(
    { secret, grantId }: GrantCredential,
    kind: GrantKeyKind,
    objectId: string,
    key: Uint8Array,
  ): Promise<void> {
    const grantWrapKey = await deriveGrantWrapKey(secret, grantId);
    const wrap = await wrapKeyForGrant({ grantWrapKey, grantId, kind, objectId, key });
    this.rows.putGrantKey({ grantId, kind, objectId, ...wrap });
  }

  /** The holder's client; the requests of it may be looked at, changed and failed on their way. */
  client({ credential }: Connected, over: Partial<ClientOptions> = {}): VaultClient {
    return new VaultClient({
      origin: this.server.origin,
      credential,
      kdf: this.kdf,
      fetch: this.server.fetch,
      storage: this.storage,
      log: (line) => this.log.push(line),
      alarm: impatient,
      ...over,
    });
  }

  /** The storage's PUT, which streams. */
  readonly storage: StoragePut = ({ url, headers, body, size, sent, signal }) =>
    this.server.transport.put(url, headers, body, size, sent, signal);

  /** A row's name, opened as its owner opens it. */
  async nameOf(id: string): Promise<string> {
    const folder = this.rows.folder(id);
    const file = this.rows.file(id);
    const parentId = folder?.parentId ?? file?.folderId ?? null;
    const envelope = parseNameEnvelope((folder ?? file)!.name) as NameEnvelope;
    const folderKey = this.keyOf(parentId);
    return await decryptName({ envelope, folderKey, rowId: id }, nameKeys);
  }

  /** A post-quantum file's content by the owner's own way to its key. */
  async contentOf(id: string): Promise<Uint8Array> {
    const { folderId, storageKey, cskWrapped: wrapped, cskIv: iv } = this.rows.file(id)!;
    const envelopeKey = await unwrapChainKey(this.keyOf(folderId), { wrapped, iv });
    const reader = this.server.objects.open(storageKey)!;
    const ciphertext = reader.read(0, reader.size);
    reader.close();
    return await decryptToBytes({
      blob: new Blob([ciphertext as Uint8Array<ArrayBuffer>]),
      recipientSecretKey: OWNER_KEYS.secretKey,
      envelopeKey,
    });
  }

  /** Learns the key of a folder that a connection made. */
  async learn(folderId: string): Promise<void> {
    const { parentId, fkWrapped, fkIv } = this.rows.folder(folderId)!;
    const wrap = { wrapped: fkWrapped!, iv: fkIv! };
    this.folderKeys.set(folderId, await unwrapChainKey(this.keyOf(parentId), wrap));
  }

  /** Actions that were recorded, the oldest first. */
  actions(): string[] {
    return this.rows.activity({ limit: 10_000, after: null }).reverse()
      .map(({ action, result, code }) => result === "ok" ? action : `${action}: ${code}`);
  }
}

/** A file's bytes and keys in one of the formats. */
async function encrypted(id: string, bytes: Uint8Array, format: Format) {
  const fileId = fileIdOfRow(id);
  if (format === 1) return await writeV0(bytes);
  if (format === 2) {
    const { blob, contentKey } = await encryptAes(bytes, { fileId });
    return { ciphertext: await plain(blob), csk: contentKey, pqk: undefined, columns: {} };
  }
  const envelopeKey = randomBytes(32);
  const recipientPublicKey = OWNER_KEYS.publicKey;
  const { blob, combinedKey } = await encryptPq(bytes, { recipientPublicKey, envelopeKey, fileId });
  return { ciphertext: await plain(blob), csk: envelopeKey, pqk: combinedKey, columns: {} };
}

async function plain(blob: Blob): Promise<Uint8Array> {
  return new Uint8Array(await blob.arrayBuffer());
}
