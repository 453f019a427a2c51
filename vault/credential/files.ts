// The main thread's side of the `credential` room.

import { Room } from "../../containment/rooms/host.ts";
import { roomModule } from "../../containment/rooms/modules.ts";
import { type ProofRequest, PROVE, type Trial } from "../../containment/rooms/proof.ts";
import type { ConnectionFile } from "./connection_file.ts";
import type { Remembered } from "./files_room.ts";
import { type CredentialPlaces, filesGranted } from "./places.ts";
import type { Servers } from "./servers.ts";

/** The files that a connection is kept in; every call fails with a ToolError. */
export class CredentialFiles {
  readonly #room: Room;
  /** The connection file; undefined where the user has no place for one. */
  readonly path: string | undefined;

  /** Opens the room; `ready` settles when it has loaded. */
  constructor(places: CredentialPlaces, log: (line: string) => void) {
    this.path = places.connection?.path;
    this.#room = new Room({
      kind: "credential",
      module: roomModule("credential"),
      folders: filesGranted(places),
      init: places,
      log,
    });
  }

  get ready(): Promise<void> {
    return this.#room.ready;
  }

  async read(): Promise<ConnectionFile> {
    return await this.#room.call("read", undefined) as ConnectionFile;
  }

  async write(text: string): Promise<void> {
    await this.#room.call("write", text);
  }

  /** Removes the connection file; whether there was one. */
  async remove(): Promise<boolean> {
    return await this.#room.call("remove", undefined) as boolean;
  }

  async servers(): Promise<Servers> {
    return await this.#room.call("servers", undefined) as Servers;
  }

  async remember(remembered: Remembered): Promise<void> {
    await this.#room.call("remember", remembered);
  }

  async forget(grantId: string): Promise<void> {
    await this.#room.call("forget", grantId);
  }

  /** Has the room try what it may do and what it may not; see `misfits`. */
  async prove(request: ProofRequest): Promise<Trial[]> {
    return await this.#room.call(PROVE, request) as Trial[];
  }

  close(): void {
    this.#room.close();
  }
}
