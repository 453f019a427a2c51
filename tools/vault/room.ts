// The worker that the `vault` room runs: it holds the connection, with all its keys, and carries out the
// vault's tools. It can reach the one server and nothing else; keys of names are derived in other rooms, which
// it asks over ports of its own, so that the main thread sees none.

import { SharedFlag } from "../../containment/cancel.ts";
import { ToolError } from "../../containment/error.ts";
import { type ProofRequest, PROVE, tryNet, tryRights } from "../../containment/rooms/proof.ts";
import { type CallPorts, type Method, serveRoom } from "../../containment/rooms/worker.ts";
import { parseConnectionString, VaultCryptoError } from "@shieldfive/crypto/vault";
import { checkGrant, type GrantQuestion } from "../../vault/client/check.ts";
import { VaultClient } from "../../vault/client/client.ts";
import type { KdfDoors } from "../../vault/kdf.ts";
import { DoorsToKdf } from "../../vault/kdf_doors.ts";
import { throttled, toolMethods } from "../serve.ts";
import type { VaultContext } from "./context.ts";
import { diskThrough } from "./disk_gateway.ts";
import { findVaultTool } from "./tools.ts";
import { resolve, type Typed } from "./work/mod.ts";

/** What the main thread tells the room at its start. */
export interface VaultRoomInit {
  /** The address that the room may reach. */
  address: string;
  /** The rooms that derive keys; the ports to them are called `kdf0`, `kdf1`, … */
  kdf: Omit<KdfDoors, "ports">;
  /** Where a port `disk` leads to the user's folders: raised when the room behind it is no more. */
  diskGone?: SharedArrayBuffer;
}

serveRoom((init, ports) => {
  const { address, kdf, diskGone } = init as VaultRoomInit;
  const derive = new DoorsToKdf({ ...kdf, ports: kdf.gone.map((_, i) => ports[`kdf${i}`]) });
  const disk = ports.disk && diskThrough(ports.disk, new SharedFlag(diskGone));
  const log = (line: string) => console.log(line);
  let client: VaultClient | undefined;

  function contextFor(ports: CallPorts, within?: readonly string[]): VaultContext {
    if (client === undefined) {
      throw new ToolError(
        "not_connected",
        "there is no connection to a vault; call vault_connect to make one",
      );
    }
    const { signal } = ports.signal;
    const progress = throttled(ports.progress);
    return { client, signal, progress, ...(disk && { disk: disk({ within, signal }) }) };
  }

  const methods = toolMethods({
    find: findVaultTool,
    context: ({ within }, ports) => contextFor(ports, within),
  });

  return {
    ...methods,
    perform: oneAtATime(methods.perform),
    resolve: (args, ports) => resolve(contextFor(ports), args as Typed),
    /** Asks what a connection is good for, without using it for anything else. */
    grant: (args, { signal }) => checkGrant(args as GrantQuestion, { log, signal: signal.signal }),
    /** Asks what the connection in use is good for. */
    current(_args, ports) {
      const { client, signal } = contextFor(ports);
      return client.grant(signal);
    },
    /** Uses this connection from now on. */
    adopt(args) {
      const { connection, origin } = args as GrantQuestion;
      const next = new VaultClient({
        origin,
        credential: credentialIn(connection),
        kdf: derive,
        log,
      });
      client?.close();
      client = next;
    },
    /** Forgets the connection. */
    drop() {
      client?.close();
      client = undefined;
    },
    [PROVE]: (args) => [...tryRights(args as ProofRequest), ...tryNet([address])],
  };
}, { concurrent: true });

function credentialIn(connection: string) {
  try {
    return parseConnectionString(connection);
  } catch (error) {
    if (!(error instanceof VaultCryptoError)) throw error;
    throw new ToolError(error.code, error.message);
  }
}

/** Changes never overlap, as those of the disk do not; what only looks need not wait for them. */
function oneAtATime(method: Method): Method {
  let tail: Promise<unknown> = Promise.resolve();
  return (args, ports) => {
    const done = tail.then(() => method(args, ports));
    tail = done.catch(() => {}); // told to its own caller
    return done;
  };
}
