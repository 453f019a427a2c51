// The rooms of a vault, opened together: the one that holds the connection and can reach the server, and those
// that derive keys for it. The main thread hands them a connection, and sees nothing of what it opens.

import type { SharedFlag } from "../containment/cancel.ts";
import { type CallOptions, Room } from "../containment/rooms/host.ts";
import { roomModule } from "../containment/rooms/modules.ts";
import type { RoomKind } from "../containment/rooms/permissions.ts";
import { type ProofRequest, PROVE, type Trial } from "../containment/rooms/proof.ts";
import type { GrantQuestion } from "../vault/client/check.ts";
import { addressOf } from "../vault/client/origin.ts";
import type { GrantInfo } from "../vault/client/types.ts";
import { kdfAddon, KdfRooms } from "../vault/kdf.ts";
import type { VaultRoomInit } from "./vault/room.ts";

export interface VaultRoomsOptions {
  /** The origin of the server that the rooms can reach, and no other. */
  origin: string;
  /** The way to the user's folders, for the tools that take files from there. */
  disk?: DiskDoor;
  log(line: string): void;
}

/** The way from the vault's room to the room for changes of the disk. */
export interface DiskDoor {
  port: MessagePort;
  /** Raised when the room for changes is no more. */
  gone: SharedFlag;
  /** To be raised when the vault's room is no more. */
  vaultGone: SharedFlag;
}

/** A room with what it may touch. */
export interface Granted {
  kind: RoomKind;
  granted: readonly string[];
}

/** The rooms that derive keys, with what they may touch. */
export function kdfRoomGrant(): Granted {
  const addon = kdfAddon();
  return { kind: "kdf", granted: addon === undefined ? [] : [addon] };
}

export class VaultRooms {
  readonly #room: Room;
  readonly #kdf: KdfRooms;
  readonly #origin: string;

  private constructor(room: Room, kdf: KdfRooms, origin: string) {
    this.#room = room;
    this.#kdf = kdf;
    this.#origin = origin;
  }

  /** Opens the rooms; they have loaded when it settles. @throws ToolError `internal` */
  static async open({ origin, disk, log }: VaultRoomsOptions): Promise<VaultRooms> {
    const kdf = await KdfRooms.open({ log });
    const { ports, ...doors } = kdf.doors;
    const address = addressOf(origin);
    const room = new Room({
      kind: "vault",
      module: roomModule("vault"),
      folders: [address],
      init: { address, kdf: doors, diskGone: disk?.gone.buffer } satisfies VaultRoomInit,
      ports: {
        ...Object.fromEntries(ports.map((port, i) => [`kdf${i}`, port])),
        ...(disk && { disk: disk.port }),
      },
      gone: disk?.vaultGone,
      log,
    });
    const rooms = new VaultRooms(room, kdf, origin);
    try {
      await room.ready;
      return rooms;
    } catch (error) {
      rooms.close();
      throw error;
    }
  }

  /** The room that carries out the tools. */
  get room(): Room {
    return this.#room;
  }

  /** Has the tools use this connection from now on. @throws ToolError `invalid_connection_string` */
  async adopt(connection: string): Promise<void> {
    await this.#room.call("adopt", { connection, origin: this.#origin } satisfies GrantQuestion);
  }

  /** Asks the server what a connection is good for. @throws ToolError as `checkGrant` */
  async check(connection: string, signal?: AbortSignal): Promise<GrantInfo> {
    const question: GrantQuestion = { connection, origin: this.#origin };
    const name = "asking the vault's server";
    return await this.#room.call("grant", question, { name, signal }) as GrantInfo;
  }

  /** Asks the server what the connection in use is good for. @throws ToolError as `VaultClient.grant` */
  async current(signal?: AbortSignal): Promise<GrantInfo> {
    const name = "asking the vault's server";
    return await this.#room.call("current", undefined, { name, signal }) as GrantInfo;
  }

  /** The ids of what was typed, by argument: see `resolve`. */
  async resolve(
    typed: Record<string, string | string[]>,
    options: CallOptions,
  ): Promise<Record<string, string | string[]>> {
    return await this.#room.call("resolve", typed, options) as Record<string, string | string[]>;
  }

  /** Has the rooms try what they may do and what they may not; see `misfits`. */
  async prove(request: ProofRequest): Promise<{ kind: RoomKind; trials: Trial[] }[]> {
    const [trials, keys] = await Promise.all([
      this.#room.call(PROVE, request) as Promise<Trial[]>,
      this.#kdf.prove(request),
    ]);
    return [
      { kind: "vault", trials },
      ...keys.map((trials) => ({ kind: "kdf" as const, trials })),
    ];
  }

  close(): void {
    this.#room.close();
    this.#kdf.close();
  }
}
