// A vault that nobody has set up yet, in a temporary folder, with a clock that stands still until a test
// moves it; and what the first visitor sends. Proofs and records have the right shape and nothing inside.

import assert from "node:assert/strict";
import { formatOwnerRecord } from "@shieldfive/crypto/extra/owner_record.ts";
import { uuidV7 } from "@shieldfive/crypto/extra/uuid7.ts";
import { cpSync } from "node:fs";
import { FileObjects } from "../../../../vault/server/objects/files.ts";
import type { Objects } from "../../../../vault/server/objects/objects.ts";
import type { Rows } from "../../../../vault/server/rows/rows.ts";
import { openRows } from "../../../../vault/server/rows/sqlite.ts";
import { type Context, LIMITS, type Limits } from "../../../../vault/server/service/context.ts";
import type { ServiceAnswer } from "../../../../vault/server/service/message.ts";
import { issueSetupToken } from "../../../../vault/server/service/owner/setup_token.ts";
import { Service } from "../../../../vault/server/service/service.ts";
import { anyFolderFields, anyWrap } from "../keyless/shapes.ts";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
const START = Date.UTC(2026, 0, 15, 12);

/** 32 random bytes in 43 characters: a token or a proof. */
export function anyToken(): string {
  return crypto.getRandomValues(new Uint8Array(32))
    .toBase64({ alphabet: "base64url", omitPadding: true });
}

function base64(bytes: number): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).toBase64();
}

/** The owner's columns that a passphrase decides, as the page sends them. */
export function passphraseFields(owner: string) {
  const salt = base64(16);
  return {
    kdf: { salt, preset: "moderate" },
    loginProof: anyToken(),
    rootKey: formatOwnerRecord({ opens: "passphrase", owner, salt, ...anyWrap() }),
  };
}

/** The same of a recovery key. */
export function recoveryFields(owner: string) {
  return {
    loginProof: anyToken(),
    rootKey: formatOwnerRecord({ opens: "recovery", owner, ...anyWrap() }),
  };
}

/** What the first visitor sends. */
export function setupFields(setupToken: string) {
  const ownerId = uuidV7();
  return {
    setupToken,
    ownerId,
    ...passphraseFields(ownerId),
    recovery: recoveryFields(ownerId),
    mlKemPublicKey: base64(1568),
    bin: { id: uuidV7(), ...anyFolderFields() },
    media: { id: uuidV7(), ...anyFolderFields() },
  };
}

/** What came back, with the body as a value where it is JSON. */
export interface Got {
  status: number;
  // deno-lint-ignore no-explicit-any -- what a test expects of it is the test.
  body: any;
  headers: Record<string, string>;
}

/** Whatever JSON gives; tests look into it field by field. */
export type Answered = Got["body"];

export interface Asked {
  token?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new Blob([bytes]).stream();
}

/** A vault that is still to be set up; `using` closes it. */
export class EmptyVault implements Disposable {
  readonly folder = Deno.makeTempDirSync();
  readonly faults: unknown[] = [];
  readonly limits: Limits;
  now = START;
  rows: Rows;
  objects: Objects;
  service: Service;

  /** @param from a data folder to begin with a copy of. */
  constructor(limits: Partial<Limits> = {}, from?: string) {
    if (from !== undefined) cpSync(from, this.folder, { recursive: true });
    this.limits = { ...LIMITS, ...limits };
    [this.rows, this.objects, this.service] = this.#opened();
  }

  get context(): Context {
    const { rows, objects, limits } = this;
    return {
      rows,
      objects,
      limits,
      now: () => this.now,
      version: "1.2.3",
      origin: "http://127.0.0.1:8080",
    };
  }

  #opened(): [Rows, Objects, Service] {
    this.rows = openRows(this.folder, () => this.now);
    this.objects = new FileObjects(this.folder, () => this.now);
    return [this.rows, this.objects, this.serve(this.context)];
  }

  /** Another service on the same vault, such as one with objects that fail. */
  serve(context: Context): Service {
    return this.service = new Service(context, (error) => this.faults.push(error));
  }

  /** As a process that ended and started again. */
  restart(): void {
    this.rows.close();
    [this.rows, this.objects, this.service] = this.#opened();
    this.service.sweep();
  }

  [Symbol.dispose](): void {
    this.rows.close();
    Deno.removeSync(this.folder, { recursive: true });
    if (this.faults.length > 0) throw this.faults[0];
  }

  id(): string {
    return uuidV7(this.now);
  }

  async ask(method: string, target: string, asked: Asked = {}): Promise<ServiceAnswer> {
    const [path, query = ""] = target.split("?");
    const { token, body } = asked;
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return await this.service.handle({
      method,
      path,
      query,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...asked.headers,
      },
      body: body === undefined ? null : streamOf(new TextEncoder().encode(text)),
    });
  }

  /** A request to the Owner API without a session. */
  async visit(method: string, path: string, body?: unknown, token?: string): Promise<Got> {
    const answer = await this.ask(method, `/api/owner/v1${path}`, { token, body });
    const { status, headers } = answer;
    return { status, headers, body: JSON.parse(String(answer.body)) };
  }

  setupToken(): string {
    const token = issueSetupToken(this.rows, this.now);
    assert.ok(token !== undefined);
    return token;
  }
}
