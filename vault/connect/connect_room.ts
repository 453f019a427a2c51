// The worker that the `connect` room runs: it listens on 127.0.0.1 for a connection to be delivered, and
// starts the one program that opens a browser. It has no other right, and keeps nothing.

import { LOOPBACK } from "../../containment/rooms/permissions.ts";
import {
  type ProofRequest,
  PROVE,
  tryFiles,
  tryNet,
  tryRights,
} from "../../containment/rooms/proof.ts";
import { serveRoom } from "../../containment/rooms/worker.ts";
import { type Asking, pageAddress } from "./address.ts";
import { type Delivery, HANDOFF_LIMITS, HandoffListener } from "./listener.ts";
import { openAddress, type Opener, type Opening } from "./opener.ts";

/** What the main thread tells the room at its start. */
export interface ConnectRoomInit {
  /** How a browser is opened, by absolute path; absent where there is no way. */
  opener?: Opener;
}

/** A hand-off that waits. */
export interface Begun {
  /** To be opened in a browser. */
  address: string;
  /** When nobody listens any more, in milliseconds since 1970. */
  deadline: number;
}

serveRoom((init) => {
  const { opener } = init as ConnectRoomInit;
  let listener: HandoffListener | undefined;

  async function begin(asking: Asking): Promise<Begun> {
    listener?.stop();
    listener = await HandoffListener.open({ origin: asking.origin });
    const deadline = Date.now() + HANDOFF_LIMITS.flowMs;
    return { address: pageAddress(asking, listener, deadline), deadline };
  }

  return {
    begin: (asking) => begin(asking as Asking),
    /** Settles when the hand-off has ended. */
    delivery(): Promise<Delivery> {
      if (listener === undefined) throw new Error("nothing has begun");
      return listener.delivery;
    },
    stop: () => listener?.stop(),
    open(address): Promise<Opening> | Opening {
      if (opener === undefined) return { opened: false, why: "nothing here opens a browser" };
      return openAddress(address as string, opener);
    },
    [PROVE]: (args) => [
      ...tryRights(args as ProofRequest),
      ...tryNet([LOOPBACK]),
      ...tryFiles(["run"], opener === undefined ? [] : [opener.program]),
    ],
  };
}, { concurrent: true });
