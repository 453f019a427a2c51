// The owner of a vault and the holders of its grants, both without keys: what they send has the right
// shape and nothing inside (see shapes.ts). They make, move and read rows and objects as real ones do.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { bytesToBase64, bytesToHex, randomBytes } from "@shieldfive/crypto";
import { formatOwnerRecord } from "@shieldfive/crypto/extra/owner_record.ts";
import { uuidV7 } from "@shieldfive/crypto/extra/uuid7.ts";
import { buildUploadProofV3, hashGrantToken } from "@shieldfive/crypto/vault";
import { type Answered, type CallAnswer, Caller } from "./caller.ts";
import { anyCiphertext, anyFileFields, anyFolderFields, anyName, anyWrap } from "./shapes.ts";

/** 32 random bytes in 43 characters. */
export function anyToken(): string {
  return randomBytes(32).toBase64({ alphabet: "base64url", omitPadding: true });
}

export interface GrantOptions {
  scopes?: ("read" | "organize" | "write")[];
  /** The folders; absent for the whole vault. */
  rootIds?: string[];
  writeBudgetBytes?: number | null;
  expiresInMs?: number;
}

/** An upload to be: what was asked for, and what was answered. */
export interface Reservation {
  id: string;
  ciphertext: Uint8Array<ArrayBuffer>;
  fields: ReturnType<typeof anyFileFields>;
  /** With the URL, where it went well. */
  reserved: CallAnswer;
}

/** An object that was put and what it is. */
export interface Stored {
  id: string;
  ciphertext: Uint8Array<ArrayBuffer>;
  sha256: string;
}

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** What both parties can do: upload, and take a file's ciphertext. */
export class Party extends Caller {
  /** Reserves an upload; the answer with the URL is in `reserved`. */
  async reserve(
    folderId: string | null,
    plaintextSize: number,
    chunkSize?: number,
  ): Promise<Reservation> {
    const id = uuidV7();
    const ciphertext = anyCiphertext(id, plaintextSize, chunkSize);
    const fields = anyFileFields();
    const reserved = await this.call("POST", "/files", {
      body: { id, folderId, ...fields, cipherVersion: 3, sizeBytes: ciphertext.length },
    });
    return { id, ciphertext, reserved, fields };
  }

  /** Puts bytes at an upload's URL as the client does. */
  async put(uploadUrl: string, ciphertext: Uint8Array<ArrayBuffer>): Promise<number> {
    const response = await this.fetch(uploadUrl, {
      method: "PUT",
      headers: { "content-type": "application/octet-stream" },
      body: ciphertext,
    });
    await response.body?.cancel();
    return response.status;
  }

  async finalize(
    id: string,
    ciphertext: Uint8Array<ArrayBuffer>,
    proofKey: string,
  ): Promise<CallAnswer> {
    const proof = await buildUploadProofV3({ proofKeyHex: proofKey, ciphertext });
    const ciphertextHash = createHash("sha1").update(ciphertext).digest("hex");
    return await this.call("POST", `/files/${id}/finalize`, { body: { proof, ciphertextHash } });
  }

  /** A whole upload that must succeed. */
  async upload(folderId: string | null, plaintextSize: number): Promise<Stored> {
    const { id, ciphertext, reserved } = await this.reserve(folderId, plaintextSize);
    assert.ok(reserved.status < 300, `reserve: ${reserved.status} ${reserved.text}`);
    const { uploadUrl, proofKey } = reserved.json;
    const status = await this.put(uploadUrl, ciphertext);
    assert.ok(status < 300, `put: ${status}`);
    const finalized = await this.finalize(id, ciphertext, proofKey);
    assert.equal(finalized.status, 200, finalized.text);
    return { id, ciphertext, sha256: sha256(ciphertext) };
  }
}

/** The holder of a grant. */
export class KeylessAgent extends Party {
  constructor(
    origin: string,
    token: string,
    readonly grantId: string,
    readonly trashFolderId: string | null,
    fetch?: typeof globalThis.fetch,
  ) {
    super(origin, "/api/agent/v1", token, fetch);
  }

  async download(fileId: string, headers?: Record<string, string>): Promise<Response> {
    return await this.raw("POST", `/files/${fileId}/download`, { headers });
  }

  async createFolder(parentId: string, id = uuidV7()): Promise<CallAnswer> {
    return await this.call("POST", "/folders", { body: { id, parentId, ...anyFolderFields() } });
  }
}

/** The owner, signed in. */
export class KeylessOwner extends Party {
  constructor(
    origin: string,
    session: string,
    readonly ownerId: string,
    readonly binId: string,
    readonly loginProof: string,
    fetch?: typeof globalThis.fetch,
  ) {
    super(origin, "/api/owner/v1", session, fetch);
  }

  /** Makes the vault of a new server. */
  static async setUp(
    origin: string,
    setupToken: string,
    fetch?: typeof globalThis.fetch,
  ): Promise<KeylessOwner> {
    const ownerId = uuidV7();
    const salt = bytesToBase64(randomBytes(16));
    const loginProof = anyToken();
    const bin = { id: uuidV7(), ...anyFolderFields() };
    const answer = await new Caller(origin, "/api/owner/v1", undefined, fetch).ok(
      "POST",
      "/setup",
      {
        body: {
          setupToken,
          ownerId,
          kdf: { salt, preset: "moderate" },
          loginProof,
          rootKey: formatOwnerRecord({ opens: "passphrase", owner: ownerId, salt, ...anyWrap() }),
          recovery: {
            loginProof: anyToken(),
            rootKey: formatOwnerRecord({ opens: "recovery", owner: ownerId, ...anyWrap() }),
          },
          mlKemPublicKey: bytesToBase64(randomBytes(1568)),
          bin,
        },
      },
    );
    return new KeylessOwner(origin, answer.session, ownerId, bin.id, loginProof, fetch);
  }

  /** The same owner after a restart of the server, or with another session. */
  async signInAgain(origin = this.origin): Promise<KeylessOwner> {
    const { ownerId, binId, loginProof, fetch } = this;
    const signedOut = new Caller(origin, this.base, undefined, fetch);
    const { session } = await signedOut.ok("POST", "/login", { body: { loginProof } });
    return new KeylessOwner(origin, session, ownerId, binId, loginProof, fetch);
  }

  async createFolder(parentId: string | null = null): Promise<string> {
    const id = uuidV7();
    await this.ok("POST", "/folders", { body: { id, parentId, ...anyFolderFields() } });
    return id;
  }

  async rename(kind: "files" | "folders", id: string): Promise<CallAnswer> {
    return await this.call("PATCH", `/${kind}/${id}`, { body: { name: anyName() } });
  }

  async content(fileId: string): Promise<Response> {
    return await this.raw("GET", `/files/${fileId}/content`);
  }

  async activity(): Promise<Answered[]> {
    return (await this.ok("GET", "/activity?limit=1000")).entries;
  }

  async grant(options: GrantOptions = {}): Promise<KeylessAgent> {
    const { scopes = ["read", "organize", "write"], rootIds, writeBudgetBytes = null } = options;
    const id = uuidV7();
    const token = anyToken();
    const mayChange = scopes.some((scope) => scope !== "read");
    const trashFolder = mayChange ? { id: uuidV7(), ...anyFolderFields() } : null;
    const granted = [...rootIds ?? [], ...trashFolder === null ? [] : [trashFolder.id]];
    await this.ok("POST", "/grants", {
      body: {
        id,
        label: anyName(),
        clientHint: "other",
        scopes,
        scopeAll: rootIds === undefined,
        includeMedia: false,
        rootIds: rootIds ?? [],
        expiresAt: new Date(Date.now() + (options.expiresInMs ?? 86_400_000)).toISOString(),
        writeBudgetBytes,
        tokenHash: hashGrantToken(token),
        pkFingerprint: bytesToHex(randomBytes(32)),
        trashFolder,
        keys: granted.map((objectId) => ({ kind: "folder", objectId, ...anyWrap() })),
        ownerCopy: {
          ...anyWrap(),
          scope: {
            grantId: id,
            scopeAll: rootIds === undefined,
            includeMedia: false,
            rootIds: rootIds ?? [],
            trashFolderId: trashFolder?.id ?? null,
            excludedIds: [],
            excludedKeyFingerprints: [],
          },
        },
      },
    });
    return new KeylessAgent(this.origin, token, id, trashFolder?.id ?? null, this.fetch);
  }
}
