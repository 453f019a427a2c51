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

/** The open rooms that derive keys. */
export class KdfRooms implements DerivationBackend {
  readonly #rooms: readonly Room[];
  readonly #concurrency: number;
  /** How keys are derived, and why not natively where they are not. */
  readonly status: KdfRoomStatus;

  private constructor(rooms: readonly Room[], concurrency: number, status: KdfRoomStatus) {
    this.#rooms = rooms;
    this.#concurrency = concurrency;
    this.status = status;
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
    const rooms = [openRoom(native, log)];
    try {
      const status = await rooms[0].call("status", undefined) as KdfRoomStatus;
      if (status.implementation === "wasm") {
        while (rooms.length < concurrency) rooms.push(openRoom(undefined, log));
        await Promise.all(rooms.map((room) => room.ready));
      }
      return new KdfRooms(rooms, concurrency, explained(status, addon, native));
    } catch (error) {
      for (const room of rooms) room.close();
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

function openRoom(addon: string | undefined, log: (line: string) => void): Room {
  return new Room({
    kind: "kdf",
    module: roomModule("kdf"),
    folders: addon === undefined ? [] : [addon],
    init: { addon } satisfies KdfRoomInit,
    log,
  });
}

function explained(
  status: KdfRoomStatus,
  addon: string | undefined,
  native: string | undefined,
): KdfRoomStatus {
  if (addon === undefined || native !== undefined) return status;
  return { ...status, why: `the main thread has no right (ffi) to load ${addon}` };
}
