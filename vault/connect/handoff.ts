// The main thread's side of the `connect` room.

import { Room } from "../../containment/rooms/host.ts";
import { roomModule } from "../../containment/rooms/modules.ts";
import { type ProofRequest, PROVE, type Trial } from "../../containment/rooms/proof.ts";
import type { Asking } from "./address.ts";
import type { Begun, ConnectRoomInit } from "./connect_room.ts";
import type { Delivery } from "./listener.ts";
import type { Opener, Opening } from "./opener.ts";

/** What the room has to have the right to run. */
export function connectGrants(opener: Opener | undefined): string[] {
  return opener === undefined ? [] : [opener.program];
}

/** Takes connections that a browser delivers; every call fails with a ToolError. */
export class Handoff {
  readonly #room: Room;

  /**
   * Opens the room; `ready` settles when it has loaded.
   *
   * @param opener how a browser is opened, by absolute path; undefined where there is no way.
   */
  constructor(opener: Opener | undefined, log: (line: string) => void) {
    this.#room = new Room({
      kind: "connect",
      module: roomModule("connect"),
      folders: connectGrants(opener),
      init: { opener } satisfies ConnectRoomInit,
      log,
    });
  }

  get ready(): Promise<void> {
    return this.#room.ready;
  }

  /** Begins to listen; what listened before ends. @throws ToolError `connect_failed`, `invalid_origin` */
  async begin(asking: Asking): Promise<Begun> {
    return await this.#room.call("begin", asking, { name: "waiting for the browser" }) as Begun;
  }

  /** Settles when the one that began last has ended. */
  async delivery(): Promise<Delivery> {
    return await this.#room.call("delivery", undefined, {
      name: "waiting for the browser",
    }) as Delivery;
  }

  async stop(): Promise<void> {
    await this.#room.call("stop", undefined);
  }

  /** Opens the address in a browser. */
  async openBrowser(address: string): Promise<Opening> {
    return await this.#room.call("open", address, { name: "opening the browser" }) as Opening;
  }

  /** Has the room try what it may do and what it may not; see `misfits`. */
  async prove(request: ProofRequest): Promise<Trial[]> {
    return await this.#room.call(PROVE, request) as Trial[];
  }

  close(): void {
    this.#room.close();
  }
}
