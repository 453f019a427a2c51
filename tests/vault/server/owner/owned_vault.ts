// A vault that its owner has set up over the Owner API and is signed in to, with what tests need of its
// owner and its connections. Names, wraps and proofs have the right shape and nothing inside.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { buildUploadProofV3, hashGrantToken } from "@shieldfive/crypto/vault";
import type { Limits } from "../../../../vault/server/service/context.ts";
import type { ServiceAnswer } from "../../../../vault/server/service/message.ts";
import {
  anyCiphertext,
  anyFileFields,
  anyFolderFields,
  anyName,
  anyWrap,
} from "../keyless/shapes.ts";
import {
  type Answered,
  anyToken,
  DAY,
  EmptyVault,
  type Got,
  setupFields,
  streamOf,
} from "./empty_vault.ts";

export { anyFileFields, anyFolderFields, anyName, anyWrap };
export {
  type Answered,
  anyToken,
  DAY,
  EmptyVault,
  type Got,
  HOUR,
  MINUTE,
  passphraseFields,
  recoveryFields,
  setupFields,
} from "./empty_vault.ts";

/** One connection of the vault. */
export interface Connection {
  id: string;
  token: string;
  trash: string | null;
}

export interface GrantOptions {
  scopes?: ("read" | "organize" | "write")[];
  /** The folders; absent for the whole vault. */
  rootIds?: string[];
  /** What is to be otherwise. */
  given?: Record<string, unknown>;
}

/** A vault with an owner who is signed in. */
export class OwnedVault extends EmptyVault {
  setup = setupFields("");
  session = "";

  static async open(limits: Partial<Limits> = {}): Promise<OwnedVault> {
    const vault = new OwnedVault(limits);
    vault.setup = setupFields(vault.setupToken());
    const answer = await vault.visit("POST", "/setup", vault.setup);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    vault.session = answer.body.session;
    return vault;
  }

  /** The same vault once more, in a folder of its own. */
  copy(): OwnedVault {
    const twin = new OwnedVault(this.limits, this.folder);
    const { setup, session, now } = this;
    return Object.assign(twin, { setup, session, now });
  }

  /** Begins a new session, after the old one has ended. */
  async signIn(): Promise<void> {
    const { loginProof } = this.setup;
    const { status, body } = await this.visit("POST", "/login", { loginProof });
    assert.equal(status, 200);
    this.session = body.session;
  }

  get bin(): string {
    return this.setup.bin.id;
  }

  get media(): string {
    return this.setup.media.id;
  }

  /** A request of the signed-in owner. */
  async own(method: string, path: string, body?: unknown): Promise<Got> {
    return await this.visit(method, path, body, this.session);
  }

  /** One that must go well; gives its body. */
  async ok(method: string, path: string, body?: unknown): Promise<Answered> {
    const got = await this.own(method, path, body);
    assert.ok(got.status === 200 || got.status === 201, JSON.stringify(got));
    return got.body;
  }

  /** One that must be refused with a status and a code. */
  async refused(
    status: number,
    code: string,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Got> {
    const got = await this.own(method, path, body);
    assert.deepEqual([got.status, got.body.code], [status, code], JSON.stringify(got.body));
    return got;
  }

  /** A request of a connection. */
  async agent(by: Connection, method: string, path: string, body?: unknown): Promise<Got> {
    const answer = await this.ask(method, `/api/agent/v1${path}`, { token: by.token, body });
    const { status, headers } = answer;
    const json = typeof answer.body === "string" ? JSON.parse(answer.body) : null;
    if (answer.body instanceof ReadableStream) await answer.body.cancel();
    return { status, headers, body: json };
  }

  async addFolder(parentId: string | null = null): Promise<string> {
    const id = this.id();
    await this.ok("POST", "/folders", { id, parentId, ...anyFolderFields() });
    return id;
  }

  /** Uploads a file as the owner, or as a connection. */
  async addFile(folderId: string | null, size = 100, by?: Connection): Promise<string> {
    const id = this.id();
    const bytes = anyCiphertext(id, size);
    const ask = async (path: string, body: unknown) =>
      by === undefined
        ? await this.ok("POST", path, body)
        : (await this.agent(by, "POST", path, body)).body;
    const { uploadUrl, proofKey } = await ask("/files", {
      id,
      folderId,
      ...anyFileFields(),
      cipherVersion: 3,
      sizeBytes: bytes.length,
    });
    assert.equal((await this.put(uploadUrl, bytes)).status, 200);
    const stored = await ask(`/files/${id}/finalize`, await this.finalization(bytes, proofKey));
    assert.equal(stored.status, "stored", JSON.stringify(stored));
    return id;
  }

  async put(uploadUrl: string, bytes: Uint8Array<ArrayBuffer>): Promise<ServiceAnswer> {
    const { pathname, search } = new URL(uploadUrl);
    return await this.service.handle({
      method: "PUT",
      path: pathname,
      query: search.slice(1),
      headers: {
        "content-length": String(bytes.length),
        "content-type": "application/octet-stream",
      },
      body: streamOf(bytes),
    });
  }

  async finalization(ciphertext: Uint8Array<ArrayBuffer>, proofKeyHex: string) {
    return {
      proof: await buildUploadProofV3({ proofKeyHex, ciphertext }),
      ciphertextHash: createHash("sha1").update(ciphertext).digest("hex"),
    };
  }

  /** What POST /grants takes, for a connection that may do everything unless the test says otherwise. */
  grantFields(options: GrantOptions = {}) {
    const { scopes = ["read", "organize", "write"], rootIds, given = {} } = options;
    const id = this.id();
    const token = anyToken();
    const trashFolder = scopes.length > 1 ? { id: this.id(), ...anyFolderFields() } : null;
    const trash = trashFolder?.id ?? null;
    const covers = { scopeAll: rootIds === undefined, includeMedia: false, rootIds: rootIds ?? [] };
    const granted = [...covers.rootIds, ...(trash === null ? [] : [trash])];
    const fields = {
      id,
      label: anyName(),
      clientHint: "claude-code",
      scopes,
      ...covers,
      expiresAt: new Date(this.now + DAY).toISOString(),
      writeBudgetBytes: null,
      tokenHash: hashGrantToken(token),
      pkFingerprint: "0".repeat(64),
      trashFolder,
      keys: granted.map((objectId) => ({ kind: "folder", objectId, ...anyWrap() })),
      ownerCopy: {
        ...anyWrap(),
        scope: {
          grantId: id,
          ...covers,
          trashFolderId: trash,
          excludedIds: [this.bin],
          excludedKeyFingerprints: ["a".repeat(64)],
        },
      },
      ...given,
    };
    return { fields, connection: { id, token, trash } satisfies Connection };
  }

  async addGrant(options: GrantOptions = {}): Promise<Connection> {
    const { fields, connection } = this.grantFields(options);
    await this.ok("POST", "/grants", fields);
    return connection;
  }

  /** The records of some actions, the newest first. */
  async activity(...actions: string[]): Promise<Answered[]> {
    const { entries } = await this.ok("GET", "/activity");
    return entries.filter(({ action }: Answered) => actions.includes(action));
  }
}
