// A vault in a temporary folder with the service on it and a clock that stands still until a test moves it;
// what the owner would have made is put into the rows directly.

import { createGrantCredential, grantBearerToken, hashGrantToken } from "@shieldfive/crypto/vault";
import { encryptBytes, generateMlKemKeypair } from "@shieldfive/crypto/pq-hybrid-v1";
import { fileIdOfRow } from "@shieldfive/crypto/extra/row_binding.ts";
import { uuidV7 } from "@shieldfive/crypto/extra/uuid7.ts";
import { FileObjects } from "../../../../vault/server/objects/files.ts";
import { newStorageKey } from "../../../../vault/server/objects/objects.ts";
import type {
  FileRow,
  FolderRow,
  GrantRow,
  Json,
  Scope,
} from "../../../../vault/server/rows/rows.ts";
import { openRows } from "../../../../vault/server/rows/sqlite.ts";
import { type Context, LIMITS, type Limits } from "../../../../vault/server/service/context.ts";
import type { ServiceAnswer } from "../../../../vault/server/service/message.ts";
import { Service } from "../../../../vault/server/service/service.ts";
import { BIN, fileRow, folderRow, grantRow, OWNER, ownerRow } from "../rows_support.ts";

export { BIN, OWNER };
export const MEDIA = "0190a000-0000-7000-8000-000000000003";
export const ORIGIN = "http://127.0.0.1:8080";
export const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 15, 12);

/** A key pair for all tests: making one takes a while. */
export const OWNER_KEYS = generateMlKemKeypair();

function base64(bytes: number): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).toBase64();
}

/** An envelope that nobody can open, of the right shape. */
export function sealedName(): string {
  return JSON.stringify({
    v: 6,
    ct: base64(9),
    iv: base64(12),
    tag: base64(16),
    salt: base64(16),
  });
}

export function sealedFolder() {
  return { name: sealedName(), fkWrapped: base64(48), fkIv: base64(12) };
}

export function sealedFile() {
  return { name: sealedName(), cskWrapped: base64(48), cskIv: base64(12) };
}

export function pqWraps() {
  return { pqkFkWrapped: base64(48), pqkFkIv: base64(12) };
}

/** A connection as a test holds it. */
export interface Connection {
  id: string;
  token: string;
  trash: string | null;
}

/** What a test says of a request. */
export interface Asked {
  as?: Connection;
  body?: unknown;
  /** A body that is no JSON of ours. */
  raw?: Uint8Array | string | ReadableStream<Uint8Array<ArrayBuffer>>;
  headers?: Record<string, string>;
}

/** What came back, with the body as a value where it is JSON. */
export interface Got {
  status: number;
  // deno-lint-ignore no-explicit-any -- what a test expects of it is the test.
  body: any;
  headers: Record<string, string>;
  route: string;
}

export function streamOf(
  bytes: Uint8Array,
  piece = 1 << 16,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let offset = 0;
  return new ReadableStream({
    pull(controller) {
      if (offset < bytes.length) {
        controller.enqueue(bytes.slice(offset, offset += piece));
      }
      if (offset >= bytes.length) controller.close();
    },
  });
}

export async function bytesOf(body: ServiceAnswer["body"]): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(body).arrayBuffer());
}

function bodyOf({ body, raw }: Asked) {
  if (raw instanceof ReadableStream) return raw;
  if (raw instanceof Uint8Array) return streamOf(raw);
  const text = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  return text === undefined ? null : streamOf(new TextEncoder().encode(text));
}

/** An open vault; `using` closes it. */
export class TestVault implements Disposable {
  readonly folder = Deno.makeTempDirSync();
  now = START;
  readonly rows = openRows(this.folder, () => this.now);
  readonly objects = new FileObjects(this.folder, () => this.now);
  readonly context: Context;
  readonly faults: unknown[] = [];
  service: Service;

  constructor(limits: Partial<Limits> = {}) {
    this.context = {
      rows: this.rows,
      objects: this.objects,
      now: () => this.now,
      limits: { ...LIMITS, ...limits },
      version: "0.0.0",
      origin: ORIGIN,
    };
    this.rows.transaction(() => {
      this.rows.insertOwner({
        ...ownerRow(),
        mediaFolderId: MEDIA,
        mlKemPublicKey: OWNER_KEYS.publicKey.toBase64(),
      });
      this.rows.insertFolder(folderRow(BIN, { kind: "bin" }));
      this.rows.insertFolder(folderRow(MEDIA, { kind: "media" }));
    });
    this.service = this.restarted();
  }

  /** The service of a process that started again on the same folder. */
  restarted(): Service {
    return this.service = new Service(this.context, (error) => this.faults.push(error));
  }

  [Symbol.dispose](): void {
    this.rows.close();
    Deno.removeSync(this.folder, { recursive: true });
    if (this.faults.length > 0) throw this.faults[0];
  }

  id(): string {
    return uuidV7(this.now);
  }

  addFolder(parentId: string | null, given: Partial<FolderRow> = {}): string {
    const id = given.id ?? this.id();
    this.rows.insertFolder(folderRow(id, {
      ...sealedFolder(),
      parentId,
      createdAt: this.now,
      updatedAt: this.now,
      ...given,
    }));
    return id;
  }

  /** A file whose object holds the bytes as they are. */
  addFile(
    folderId: string | null,
    bytes: Uint8Array = new Uint8Array(10),
    given: Partial<FileRow> = {},
  ): string {
    const id = given.id ?? this.id();
    const storageKey = newStorageKey();
    const writer = this.objects.create(storageKey);
    writer.write(bytes);
    const { size, sha1, sha256 } = writer.commit();
    this.rows.insertFile(fileRow(id, {
      ...sealedFile(),
      ...pqWraps(),
      folderId,
      storageKey,
      size,
      ciphertextSize: size,
      cipherPartsSha1: sha1,
      sha256,
      createdAt: this.now,
      updatedAt: this.now,
      ...given,
    }));
    return id;
  }

  /** A connection to some folders, or to the whole vault; one that organises has a trash folder. */
  addGrant(scopes: Scope[], roots: string[] | "all", given: Partial<GrantRow> = {}): Connection {
    const id = given.id ?? this.id();
    const credential = createGrantCredential({
      grantId: id,
      mlKemPublicKey: OWNER_KEYS.publicKey,
    });
    const token = grantBearerToken(credential);
    const trash = scopes.includes("organize") ? this.addFolder(BIN) : null;
    this.rows.insertGrant(grantRow(id, {
      tokenHash: hashGrantToken(token),
      scopes,
      scopeAll: roots === "all",
      includeMedia: false,
      trashFolderId: trash,
      pkFingerprint: credential.publicKeyFingerprint,
      createdAt: this.now,
      expiresAt: this.now + 24 * HOUR,
      ...given,
    }));
    if (roots !== "all") { for (const root of roots) this.rows.addGrantRoot(id, root); }
    return { id, token, trash };
  }

  /** A request as it is, with the answer as it is. */
  async ask(method: string, target: string, asked: Asked = {}): Promise<ServiceAnswer> {
    const [path, query = ""] = target.split("?");
    const authorization = asked.as && { authorization: `Bearer ${asked.as.token}` };
    return await this.service.handle({
      method,
      path,
      query,
      headers: { ...authorization, ...asked.headers },
      body: bodyOf(asked),
    });
  }

  /** A request to the agent API. */
  async call(method: string, target: string, asked: Asked = {}): Promise<Got> {
    const answer = await this.ask(method, `/api/agent/v1${target}`, asked);
    const { status, headers, route } = answer;
    const body = typeof answer.body === "string" ? JSON.parse(answer.body) : answer.body;
    return { status, headers, route, body };
  }

  /** All records, the oldest first. */
  audits() {
    return this.rows.activity({ limit: 10_000, after: null }).reverse();
  }
}

/** A file of suite 0x03 for a row, as a client makes it. */
export async function encrypted(
  rowId: string,
  plaintext: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
  const { blob } = await encryptBytes(plaintext, {
    recipientPublicKey: OWNER_KEYS.publicKey,
    envelopeKey: crypto.getRandomValues(new Uint8Array(32)),
    fileId: fileIdOfRow(rowId),
  });
  return new Uint8Array(await blob.arrayBuffer());
}

/** What a new file of so many bytes is announced with. */
export function announced(
  id: string,
  folderId: string,
  sizeBytes: number,
  given: Record<string, Json> = {},
) {
  return {
    id,
    folderId,
    ...sealedFile(),
    ...pqWraps(),
    cipherVersion: 3,
    sizeBytes,
    ...given,
  };
}
