// Works on a vault as fast as it can until the server is gone: uploads, renames, moves, the Bin and back,
// undo and purge, by the owner and by a grant. Each worker has files of its own, so what it knows of them
// is certain; all of them write at the same time.

import assert from "node:assert/strict";
import type { seeded } from "../../../faults/seed.ts";
import type { CallAnswer } from "../keyless/caller.ts";
import type { KeylessAgent, KeylessOwner, Party } from "../keyless/parties.ts";
import { anyFileFields, anyName } from "../keyless/shapes.ts";
import { ABSENT, type Columns, KnownFile, stateOf } from "./model.ts";

/** Who works, and where. */
export interface Scene {
  owner: KeylessOwner;
  agent: KeylessAgent;
  /** Folders that both may use. */
  folders: string[];
  random: ReturnType<typeof seeded>;
}

/** Thrown by a call that the server's end left without an answer. */
class Gone extends Error {}

/** What a worker does. */
export type Kind = "upload" | "rename" | "move" | "bin" | "restore" | "purge" | "undo";

const LARGEST = 300_000;
/** Files that a worker has before it only changes them. */
const FILES = 12;

/** The last change of a file that can be undone, and what undoing it gives. */
interface Undoable {
  auditId: string;
  back: string;
}

export class Worker {
  /** Its own; those of an earlier life of the server stay its own. */
  readonly files: KnownFile[];
  /** How many changes of each kind were answered. */
  readonly done: Record<Kind, number> = {
    upload: 0,
    rename: 0,
    move: 0,
    bin: 0,
    restore: 0,
    purge: 0,
    undo: 0,
  };
  readonly #scene: Scene;
  readonly #party: Party;
  readonly #lastChange = new Map<string, Undoable>();

  constructor(scene: Scene, party: Party, files: KnownFile[]) {
    this.#scene = scene;
    this.#party = party;
    this.files = files;
  }

  /** All changes that were answered. */
  get answered(): number {
    return Object.values(this.done).reduce((sum, count) => sum + count);
  }

  /** Works until the server no longer answers. */
  async work(): Promise<void> {
    try {
      for (;;) {
        const { kind, act } = this.#next();
        await act();
        this.done[kind]++;
      }
    } catch (error) {
      if (!(error instanceof Gone)) throw error;
    }
  }

  /** An upload, or a change of one of its files. */
  #next(): { kind: Kind; act: () => Promise<void> } {
    const { random } = this.#scene;
    const half = this.files.find((file) => file.put !== undefined && file.state === ABSENT);
    if (half !== undefined) return { kind: "upload", act: () => this.#finalize(half) };
    const living = this.files.filter(({ state }) => state !== ABSENT);
    if (living.length < FILES && random.below(3) > 0 || living.length === 0) {
      return { kind: "upload", act: () => this.#upload() };
    }
    const file = living[random.below(living.length)];
    const kinds: Kind[] = this.#isBinned(file) ? ["restore", "purge"] : ["rename", "move", "bin"];
    if (this.#lastChange.has(file.id)) kinds.push("undo");
    const kind = kinds[random.below(kinds.length)];
    return { kind, act: () => this.#do(kind, file) };
  }

  #do(kind: Kind, file: KnownFile): Promise<void> {
    switch (kind) {
      case "upload":
        return this.#upload();
      case "rename":
        return this.#rename(file);
      case "move":
        return this.#move(file);
      case "bin":
        return this.#bin(file);
      case "restore":
        return this.#restore(file);
      case "purge":
        return this.#purge(file);
      case "undo":
        return this.#undo(file);
    }
  }

  #columns(file: KnownFile): Columns {
    const [folderId, name, cskWrapped, cskIv, pqkFkWrapped, pqkFkIv] = JSON.parse(file.state);
    return { folderId, name, cskWrapped, cskIv, pqkFkWrapped, pqkFkIv };
  }

  #isBinned(file: KnownFile): boolean {
    const { owner, agent } = this.#scene;
    return [owner.binId, agent.trashFolderId].includes(this.#columns(file).folderId);
  }

  #anyFolder(): string {
    const { folders, random } = this.#scene;
    return folders[random.below(folders.length)];
  }

  async #upload(): Promise<void> {
    const folderId = this.#anyFolder();
    const size = 1 + this.#scene.random.below(LARGEST);
    const { id, ciphertext, reserved, fields } = await answered(() =>
      this.#party.reserve(folderId, size)
    );
    requireOk(reserved);
    const file = new KnownFile(id, ciphertext);
    const status = await answered(() => this.#party.put(reserved.json.uploadUrl, ciphertext));
    assert.equal(status, 200);
    file.put = { proofKey: reserved.json.proofKey, to: stateOf({ folderId, ...fields }) };
    this.files.push(file);
    await this.#finalize(file);
  }

  async #finalize(file: KnownFile): Promise<void> {
    const { proofKey, to } = file.put!;
    file.pending = { to, records: 1 };
    const finalized = await answered(() =>
      this.#party.finalize(file.id, file.ciphertext, proofKey)
    );
    requireOk(finalized);
    file.settle();
    file.put = undefined;
  }

  /** Sends a change; notes before that it is under way, and after it that it is in effect. */
  async #change(
    file: KnownFile,
    columns: Columns | undefined,
    send: () => Promise<CallAnswer>,
  ): Promise<CallAnswer> {
    file.pending = { to: columns === undefined ? ABSENT : stateOf(columns), records: 1 };
    const back = file.state;
    const answer = await answered(send);
    requireOk(answer);
    file.settle();
    const auditId = answer.json.auditId ?? answer.json.results?.[0]?.auditId;
    if (columns === undefined || typeof auditId !== "string") this.#lastChange.delete(file.id);
    else this.#lastChange.set(file.id, { auditId, back });
    return answer;
  }

  async #rename(file: KnownFile): Promise<void> {
    const name = anyName();
    await this.#change(
      file,
      { ...this.#columns(file), name },
      () => this.#party.call("PATCH", `/files/${file.id}`, { body: { name } }),
    );
  }

  async #move(file: KnownFile): Promise<void> {
    const body = { folderId: this.#anyFolder(), ...anyFileFields() };
    await this.#change(
      file,
      body,
      () => this.#party.call("PATCH", `/files/${file.id}`, { body }),
    );
  }

  async #bin(file: KnownFile): Promise<void> {
    const { owner, agent } = this.#scene;
    const isAgent = this.#party === agent;
    const fields = anyFileFields();
    const body = { items: [{ kind: "file", id: file.id, ...fields }] };
    await this.#change(
      file,
      { folderId: isAgent ? agent.trashFolderId : owner.binId, ...fields },
      () => this.#party.call("POST", isAgent ? "/trash" : "/bin", { body }),
    );
  }

  async #restore(file: KnownFile): Promise<void> {
    const parentId = this.#anyFolder();
    const fields = anyFileFields();
    const body = { items: [{ kind: "file", id: file.id, parentId, ...fields }] };
    await this.#change(
      file,
      { folderId: parentId, ...fields },
      () => this.#scene.owner.call("POST", "/restore", { body }),
    );
  }

  async #purge(file: KnownFile): Promise<void> {
    const body = { items: [{ kind: "file", id: file.id }] };
    await this.#change(
      file,
      undefined,
      () => this.#scene.owner.call("POST", "/purge", { body }),
    );
  }

  async #undo(file: KnownFile): Promise<void> {
    const { auditId, back } = this.#lastChange.get(file.id)!;
    this.#lastChange.delete(file.id);
    file.pending = { to: back, records: 1 };
    const answer = await answered(() =>
      this.#scene.owner.call("POST", `/activity/${auditId}/undo`, { body: {} })
    );
    requireOk(answer);
    file.settle();
  }
}

/** A call that was answered. */
async function answered<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    // What fetch says of a connection that was refused or broke off.
    if (error instanceof TypeError) throw new Gone("the server is gone", { cause: error });
    throw error;
  }
}

function requireOk({ status, text, json }: CallAnswer): void {
  const items = json?.results as { ok: boolean }[] | undefined;
  assert.ok(status < 300 && (items?.every(({ ok }) => ok) ?? true), `${status} ${text}`);
}
