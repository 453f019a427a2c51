// The main thread's side of the `kdf` room: derivations are carried out there, as many at a time as there
// are cores. The native addon has threads of its own, so one room does; WebAssembly does not, so there it
// takes a room a core. All are opened at once, since the main thread can open none later.

import {
  type Argon2Request,
  type DerivationBackend,
  installedAddon,
  mayLoad,
} from "@shieldfive/crypto/extra/kdf_pool.ts";
import { Room } from "../containment/rooms/host.ts";
import { bundledAddon, roomModule } from "../containment/rooms/modules.ts";
import { SharedFlag } from "../containment/rooms/port.ts";
import { type ProofRequest, PROVE, type Trial } from "../containment/rooms/proof.ts";
import type { KdfRoomInit, KdfRoomStatus } from "./kdf_room.ts";

export type { KdfRoomStatus };

/** More cores are not used: derivations contend for the memory that they all go through. */
const MAX_CONCURRENCY = 8;

export interface KdfRoomsOptions {
  /** The native addon's file; absent: the one that came with the program. */
  addon?: string;
  /** Derivations at a time; absent: the number of cores, up to eight. */
  concurrency?: number;
  /** Where a room's log lines and the stacks of its bugs go. */
  log(line: string): void;
}

/** The file of the native addon that came with the program; undefined where there is none. */
export function kdfAddon(): string | undefined {
  return bundledAddon("argon2") ?? installedAddon();
}

/** The way that another room has to the rooms that derive keys: what it asks for passes by the main thread. */
export interface KdfDoors {
  /** One to each room. */
  ports: MessagePort[];
  /** For each of them, raised when the room behind it is no more. */
  gone: SharedArrayBuffer[];
  /** Derivations at a time through each. */
  concurrency: number;
}

/** A room, and the door to it. */
interface Opened {
  room: Room;
  door: MessagePort;
  gone: SharedFlag;
}

/** The open rooms that derive keys. */
export class KdfRooms implements DerivationBackend {
  readonly #opened: readonly Opened[];
  readonly #concurrency: number;
  /** How keys are derived, and why not natively where they are not. */
  readonly status: KdfRoomStatus;

  private constructor(opened: readonly Opened[], concurrency: number, status: KdfRoomStatus) {
    this.#opened = opened;
    this.#concurrency = concurrency;
    this.status = status;
  }

  get #rooms(): Room[] {
    return this.#opened.map(({ room }) => room);
  }

  /** The doors to the rooms, for one other room: the ports are to be handed to it. */
  get doors(): KdfDoors {
    return {
      ports: this.#opened.map(({ door }) => door),
      gone: this.#opened.map(({ gone }) => gone.buffer),
      concurrency: this.status.implementation === "native" ? this.#concurrency : 1,
    };
  }

  /**
   * Opens the rooms with exactly their rights. When it settles they have loaded, and the main thread may
   * give up its own.
   *
   * @throws ToolError `internal` when a room cannot be opened.
   */
  static async open(
    {
      addon = kdfAddon(),
      concurrency = Math.min(navigator.hardwareConcurrency, MAX_CONCURRENCY),
      log,
    }: KdfRoomsOptions,
  ): Promise<KdfRooms> {
    // A room can only be given what this thread has; asking for more would keep it from opening.
    const native = addon !== undefined && mayLoad(addon) ? addon : undefined;
    const opened = [openRoom(native, log)];
    try {
      const status = await opened[0].room.call("status", undefined) as KdfRoomStatus;
      if (status.implementation === "wasm") {
        while (opened.length < concurrency) opened.push(openRoom(undefined, log));
        await Promise.all(opened.map(({ room }) => room.ready));
      }
      return new KdfRooms(opened, concurrency, explained(status, addon, native));
    } catch (error) {
      for (const { room } of opened) room.close();
      throw error;
    }
  }

  /** How many derivations at a time are done faster than one after the other. */
  get concurrency(): number {
    if (this.status.implementation === "native") return this.#concurrency;
    return this.#rooms.filter((room) => !room.stopped).length;
  }

  /** @throws ToolError `internal` when the room was lost; CryptoError's code and message otherwise. */
  async derive(request: Argon2Request): Promise<Uint8Array> {
    const key = await this.#idlest().call("derive", request, { name: "a key derivation" });
    return key as Uint8Array;
  }

  /** The living room with the fewest derivations; a stopped one, which says so, where none lives. */
  #idlest(): Room {
    const rank = (room: Room) => room.stopped ? Infinity : room.busy;
    return this.#rooms.reduce((best, room) => rank(room) < rank(best) ? room : best);
  }

  /** Has every room try what it may do and what it may not; see `misfits`. */
  prove(request: ProofRequest): Promise<Trial[][]> {
    return Promise.all(
      this.#rooms.map(async (room) => await room.call(PROVE, request) as Trial[]),
    );
  }

  /** Ends the rooms; derivations that run fail. */
  close(): void {
    for (const room of this.#rooms) room.close();
  }
}

function openRoom(addon: string | undefined, log: (line: string) => void): Opened {
  const { port1: door, port2 } = new MessageChannel();
  const gone = new SharedFlag();
  const room = new Room({
    kind: "kdf",
    module: roomModule("kdf"),
    folders: addon === undefined ? [] : [addon],
    init: { addon } satisfies KdfRoomInit,
    ports: { door: port2 },
    gone,
    log,
  });
  return { room, door, gone };
}

function explained(
  status: KdfRoomStatus,
  addon: string | undefined,
  native: string | undefined,
): KdfRoomStatus {
  if (addon === undefined || native !== undefined) return status;
  return { ...status, why: `the main thread has no right (ffi) to load ${addon}` };
}
