// Deriving keys in other rooms, from within the room that needs them: neither the passwords nor the keys
// come by the main thread.

import { PortCalls, SharedFlag } from "../containment/rooms/port.ts";
import type { Argon2Request, DerivationBackend } from "@shieldfive/crypto/extra/kdf_pool.ts";
import type { KdfDoors } from "./kdf.ts";

export class DoorsToKdf implements DerivationBackend {
  readonly #doors: readonly PortCalls[];
  readonly #each: number;

  constructor({ ports, gone, concurrency }: KdfDoors) {
    this.#doors = ports.map((port, i) =>
      new PortCalls(port, new SharedFlag(gone[i]), "the room that derives keys")
    );
    this.#each = concurrency;
  }

  /** How many derivations at a time are done faster than one after the other. */
  get concurrency(): number {
    return this.#each * this.#doors.filter(({ gone }) => !gone).length;
  }

  /** @throws ToolError `internal` when the room was lost; CryptoError's code and message otherwise. */
  async derive(request: Argon2Request): Promise<Uint8Array> {
    return await this.#idlest().call("derive", request) as Uint8Array;
  }

  /** The living room with the fewest derivations; a lost one, which says so, where none lives. */
  #idlest(): PortCalls {
    const rank = ({ gone, busy }: PortCalls) => gone ? Infinity : busy;
    return this.#doors.reduce((best, door) => rank(door) < rank(best) ? door : best);
  }
}
