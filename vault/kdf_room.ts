// The worker that the `kdf` room runs: Argon2id and nothing else, with the right to load the one native
// addon for it and no other. Without an addon that loads it works in WebAssembly, which needs no right.

import {
  type Argon2Request,
  chooseArgon2,
  CryptoError,
} from "@shieldfive/crypto/extra/kdf_pool.ts";
import { ToolError } from "../containment/error.ts";
import { servePort } from "../containment/rooms/port.ts";
import { serveRoom } from "../containment/rooms/worker.ts";

/** What the main thread tells the room at its start. */
export interface KdfRoomInit {
  /** The addon's file, for which the room has the right to load it. */
  addon?: string;
}

/** How the room derives, and why not natively where it does not. */
export interface KdfRoomStatus {
  implementation: "native" | "wasm";
  why?: string;
}

serveRoom((init, ports) => {
  const chosen = chooseArgon2((init as KdfRoomInit).addon);

  async function derive(args: unknown): Promise<Uint8Array> {
    const request = args as Argon2Request;
    const { argon2 } = await chosen;
    try {
      return await argon2.derive(request);
    } catch (error) {
      if (error instanceof CryptoError) throw new ToolError(error.code, error.message);
      throw error;
    } finally {
      request.password.fill(0); // the room's copy
    }
  }

  servePort(ports.door, { derive });
  return {
    async status(): Promise<KdfRoomStatus> {
      const { argon2: { implementation }, why } = await chosen;
      return { implementation, ...(why === undefined ? {} : { why }) };
    },
    derive,
  };
}, { concurrent: true });
