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
import type { Bound, Tool } from "./tool.ts";

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

/** The kinds of room that a session opens for these tools. */
export function roomKinds(tools: readonly Tool[]): RoomKind[] {
  const kinds: RoomKind[] = [];
  if (tools.some((tool) => tool.room === "disk-read")) kinds.push("disk-read");
  if (tools.some((tool) => tool.room === "disk-write")) kinds.push("disk-write", "link");
  return kinds;
}

/** The open rooms of one process. */
export class Session {
  readonly #options: SessionOptions;
  readonly #readers: Room[] = [];
  #writer?: Room;
  #links?: Room;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /**
   * Opens the rooms for these tools and no others.
   *
   * @param readers rooms for reading; a second one shares the work of tools that can split it.
   */
  open(tools: readonly Tool[], readers = 1): void {
    const kinds = roomKinds(tools);
    if (kinds.includes("disk-read")) this.#openReaders(readers);
    if (kinds.includes("disk-write")) this.#openWriter();
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

  #openWriter(): void {
    const { port1, port2 } = new MessageChannel();
    this.#links = this.#room("link", this.#folders, { links: port1 });
    this.#writer = this.#room("disk-write", this.#init, { links: port2 });
  }

  /** Settles when every opened room has loaded; only then may the main thread give up its rights. */
  async ready(): Promise<void> {
    await Promise.all(this.#all.map((room) => room.ready));
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
  read(
    tool: Tool,
    input: Record<string, unknown>,
    options: SessionCallOptions = {},
  ): Promise<unknown> {
    const room = tool.room === "disk-write" ? this.#writer : this.#idlest();
    return required(room, tool).call("run", toolCall(tool, input, options), named(tool, options));
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
  preview(
    tool: Tool,
    input: Record<string, unknown>,
    options: SessionCallOptions = {},
  ): Promise<Preview> {
    const room = required(this.#writer, tool);
    const call = room.call("preview", toolCall(tool, input, options), named(tool, options));
    return call as Promise<Preview>;
  }

  /**
   * Plans again, asks `approve`, and carries the plan out in the same breath.
   *
   * @throws ToolError `internal` with `changedAnything` when the room was lost, or met a bug, after the
   * approval: then nobody knows what was changed.
   */
  async perform(
    tool: Tool,
    input: Record<string, unknown>,
    approve: Approve,
    options: SessionCallOptions = {},
  ): Promise<unknown> {
    const room = required(this.#writer, tool);
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
  }
}

function toolCall(
  tool: Tool,
  input: Record<string, unknown>,
  { within }: SessionCallOptions,
): ToolCall {
  return { tool: tool.name, input, ...(within === undefined ? {} : { within }) };
}

function named(tool: Tool, options: SessionCallOptions): SessionCallOptions {
  return { name: tool.name, ...options };
}

function required(room: Room | undefined, tool: Tool): Room {
  if (room === undefined) throw new ToolError("internal", `no room is open for ${tool.name}`);
  return room;
}
