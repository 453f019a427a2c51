// The way from a checked call to the room that may carry it out. A session opens the rooms that it
// is told it will need; after that the main thread can give up its own rights, since no room can
// be opened without them.

import { type Root, SharedFlag, ToolError } from "../containment/mod.ts";
import { type CallOptions, Room } from "../containment/rooms/host.ts";
import { roomModule } from "../containment/rooms/modules.ts";
import type { RoomKind } from "../containment/rooms/permissions.ts";
import { type ProofRequest, PROVE, type Trial } from "../containment/rooms/proof.ts";
import type { DiskRoomInit } from "./room.ts";
import type { Preview, ToolCall } from "./serve.ts";
import { type AnyTool, type Bound, type Tool, usesFolders } from "./tool.ts";
import type { VaultRooms } from "./vault_rooms.ts";

export interface SessionOptions {
  roots: Root[];
  version: string;
  protectedPaths: string[];
  uid?: number;
  log(line: string): void;
}

/** What a call brings along beside its input. */
export interface SessionCallOptions extends CallOptions {
  /** Folders to which the granted ones are narrowed for this call; absent: all that was granted. */
  within?: readonly string[];
}

/** Agrees to a plan or throws. Called with the plan as it would be carried out now. */
export type Approve = (
  fresh: { binding: { [field: string]: Bound }; output: Record<string, unknown> },
) => void;

/**
 * The kinds of room that a session opens for these tools.
 *
 * @param hasFolders whether any folder was granted, from which a tool of another room could take files.
 */
export function roomKinds(tools: readonly AnyTool[], hasFolders = true): RoomKind[] {
  const wanted = new Set(tools.map((tool) => tool.effect === "connect" ? undefined : tool.room));
  if (hasFolders && tools.some(usesFolders)) wanted.add("disk-write");
  const kinds: RoomKind[] = [];
  if (wanted.has("disk-read")) kinds.push("disk-read");
  if (wanted.has("disk-write")) kinds.push("disk-write", "link");
  if (wanted.has("vault")) kinds.push("vault", "kdf");
  return kinds;
}

/** What joins the vault's room with the room for changes of the disk. */
interface Passage {
  vaultSide: MessagePort;
  diskSide: MessagePort;
  /** Raised when the vault's room is no more. */
  vaultGone: SharedFlag;
  /** Raised when the room for changes is no more. */
  diskGone: SharedFlag;
}

function newPassage(): Passage {
  const { port1: vaultSide, port2: diskSide } = new MessageChannel();
  return { vaultSide, diskSide, vaultGone: new SharedFlag(), diskGone: new SharedFlag() };
}

/** The open rooms of one process. */
export class Session {
  readonly #options: SessionOptions;
  readonly #readers: Room[] = [];
  #writer?: Room;
  #links?: Room;
  #passage?: Passage;
  #vault?: Promise<VaultRooms>;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /**
   * Opens the rooms for these tools and no others, but for those of the vault.
   *
   * @param readers rooms for reading; a second one shares the work of tools that can split it.
   */
  open(tools: readonly AnyTool[], readers = 1): void {
    const hasFolders = this.#options.roots.length > 0;
    const kinds = roomKinds(tools, hasFolders);
    if (hasFolders && tools.some(usesFolders)) this.#passage = newPassage();
    if (kinds.includes("disk-read")) this.#openReaders(readers);
    if (kinds.includes("disk-write")) this.#openWriter(this.#passage);
  }

  /** Opens the rooms of the vault that is at this origin; after the others, with which they are joined. */
  openVault(origin: string): void {
    const { log } = this.#options;
    const passage = this.#passage;
    const disk = passage &&
      { port: passage.vaultSide, gone: passage.diskGone, vaultGone: passage.vaultGone };
    // Whoever only works on folders does not load what it takes.
    this.#vault = import("./vault_rooms.ts").then(({ VaultRooms }) =>
      VaultRooms.open({ origin, disk, log })
    );
    this.#vault.catch(() => {}); // told by ready and vault
  }

  get #folders(): string[] {
    return this.#options.roots.map((root) => root.path);
  }

  #room(
    kind: RoomKind,
    init: unknown,
    ports: Record<string, MessagePort>,
    gone?: SharedFlag,
  ): Room {
    return new Room({
      kind,
      module: roomModule(kind),
      folders: this.#folders,
      init,
      ports,
      gone,
      log: this.#options.log,
    });
  }

  get #init(): DiskRoomInit {
    const { log: _log, ...init } = this.#options;
    return init;
  }

  #openReaders(count: number): void {
    if (count === 1) {
      this.#readers.push(this.#room("disk-read", this.#init, {}));
      return;
    }
    const { port1, port2 } = new MessageChannel();
    const [first, second] = [new SharedFlag(), new SharedFlag()];
    const sides = [
      { peer: port1, gone: first, peerGone: second },
      { peer: port2, gone: second, peerGone: first },
    ];
    for (const { peer, gone, peerGone } of sides) {
      const init = { ...this.#init, peerGone: peerGone.buffer };
      this.#readers.push(this.#room("disk-read", init, { peer }, gone));
    }
  }

  #openWriter(passage?: Passage): void {
    const { port1, port2 } = new MessageChannel();
    this.#links = this.#room("link", this.#folders, { links: port1 });
    const ports = { links: port2, ...(passage && { vault: passage.diskSide }) };
    const init: DiskRoomInit = { ...this.#init, vaultGone: passage?.vaultGone.buffer };
    this.#writer = this.#room("disk-write", init, ports, passage?.diskGone);
  }

  /** Settles when every opened room has loaded; only then may the main thread give up its rights. */
  async ready(): Promise<void> {
    await Promise.all([...this.#all.map((room) => room.ready), this.#vault]);
  }

  /** The rooms of the vault. @throws ToolError `internal` where they were not opened, or could not be */
  async vault(): Promise<VaultRooms> {
    const rooms = await this.#vault;
    if (rooms === undefined) throw new ToolError("internal", "no room is open for the vault");
    return rooms;
  }

  /** Has every open room try what it may do and what it may not; see `misfits`. */
  prove(request: ProofRequest): Promise<{ kind: RoomKind; trials: Trial[] }[]> {
    return Promise.all(this.#all.map(async (room) => {
      const trials = await room.call(PROVE, request) as Trial[];
      return { kind: room.kind, trials };
    }));
  }

  get #all(): Room[] {
    return [...this.#readers, this.#writer, this.#links].filter((room) => room !== undefined);
  }

  /** Runs a reading tool. */
  async read(
    tool: Tool<never>,
    input: Record<string, unknown>,
    options: SessionCallOptions = {},
  ): Promise<unknown> {
    const room = tool.room === "vault" ? (await this.vault()).room : this.#diskRoom(tool);
    return await room.call("run", toolCall(tool, input, options), named(tool, options));
  }

  #diskRoom(tool: Tool<never>): Room {
    const room = tool.room === "disk-write" ? this.#writer : this.#idlest();
    if (room === undefined) throw new ToolError("internal", `no room is open for ${tool.name}`);
    return room;
  }

  /** The living reading room with the fewest calls; a stopped one where none lives. */
  #idlest(): Room | undefined {
    const rank = (room: Room) => room.stopped ? Infinity : room.busy;
    return this.#readers.reduce<Room | undefined>(
      (best, room) => best === undefined || rank(room) < rank(best) ? room : best,
      undefined,
    );
  }

  /** Plans a change without making it. */
  async preview(
    tool: Tool<never>,
    input: Record<string, unknown>,
    options: SessionCallOptions = {},
  ): Promise<Preview> {
    const room = tool.room === "vault" ? (await this.vault()).room : this.#diskRoom(tool);
    const call = room.call("preview", toolCall(tool, input, options), named(tool, options));
    return await call as Preview;
  }

  /**
   * Plans again, asks `approve`, and carries the plan out in the same breath.
   *
   * @throws ToolError `internal` with `changedAnything` when the room was lost, or met a bug, after the
   * approval: then nobody knows what was changed.
   */
  async perform(
    tool: Tool<never>,
    input: Record<string, unknown>,
    approve: Approve,
    options: SessionCallOptions = {},
  ): Promise<unknown> {
    const room = tool.room === "vault" ? (await this.vault()).room : this.#diskRoom(tool);
    let approved = false;
    try {
      return await room.call("perform", toolCall(tool, input, options), {
        ...named(tool, options),
        onAsk(_question, fresh) {
          approve(fresh as Parameters<Approve>[0]);
          approved = true;
        },
      });
    } catch (error) {
      if (!(error instanceof ToolError) || error.code !== "internal") throw error;
      const certain = approved ? "what was changed is not known" : "nothing was changed";
      throw new ToolError("internal", `${error.message}; ${certain}`, {
        changedAnything: approved,
        cause: error,
      });
    }
  }

  /** Ends all rooms at once; to be called when nothing runs. */
  close(): void {
    for (const room of this.#all) room.close();
    this.#vault?.then((rooms) => rooms.close(), () => {}); // could not be opened
  }
}

function toolCall(
  tool: Tool<never>,
  input: Record<string, unknown>,
  { within }: SessionCallOptions,
): ToolCall {
  return { tool: tool.name, input, ...(within === undefined ? {} : { within }) };
}

function named(tool: Tool<never>, options: SessionCallOptions): SessionCallOptions {
  return { name: tool.name, ...options };
}
