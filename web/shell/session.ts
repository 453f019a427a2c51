// From the first look at the server to the open vault and back: what the page shows as a whole.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Opened } from "../vault/calls.ts";
import type { VaultClient } from "../vault/client.ts";
import type { LockReason } from "../vault/context.tsx";
import { startVault } from "../vault/start.ts";

/** Where the page stands. */
export type Gate =
  | { at: "starting" }
  | { at: "unreachable"; error: Error }
  | { at: "new"; setupToken: string }
  /** The vault is made; its recovery key has not been put away yet. */
  | { at: "made"; opened: Opened; recoveryKey: string }
  /** There is a vault; `reason` is why it is locked again. */
  | { at: "locked"; reason?: LockReason }
  | { at: "open"; opened: Opened };

export interface Session {
  gate: Gate;
  client: VaultClient;
  setGate(gate: Gate): void;
  /** Asks the server again. */
  restart(): void;
  lock(reason: LockReason): void;
}

/** How long a farewell to the server may take; the keys are gone after it in any case. */
const FAREWELL_MS = 2_000;

/** The setup token out of the address, which then does not show it any longer. */
function takeSetupToken(): string {
  const token = new URLSearchParams(location.hash.slice(1)).get("setup") ?? "";
  if (location.hash !== "") history.replaceState(null, "", location.pathname + location.search);
  return token;
}

/** Signs out and forgets everything. */
async function close(client: VaultClient): Promise<void> {
  const farewell = client.call("lock", []).catch(() => {}); // the session then ends by itself
  await Promise.race([farewell, new Promise((resolve) => setTimeout(resolve, FAREWELL_MS))]);
  client.close();
}

/**
 * The page's session.
 *
 * @param onEnd the session ended by itself.
 */
export function useSession(onEnd: (reason: LockReason) => void): Session {
  const [client, setClient] = useState(startVault);
  const [gate, setGate] = useState<Gate>({ at: "starting" });
  const setupToken = useRef<string>(undefined);
  setupToken.current ??= takeSetupToken();

  const lock = (reason: LockReason) => {
    close(client);
    setClient(startVault());
    setGate({ at: "locked", reason });
  };
  const ask = async () => {
    setGate({ at: "starting" });
    try {
      const { initialized } = await client.call("status", []);
      setGate(initialized ? { at: "locked" } : { at: "new", setupToken: setupToken.current! });
    } catch (error) {
      setGate({ at: "unreachable", error: error as Error });
    }
  };
  useEffect(() => {
    ask();
  }, []);
  useEffect(() => {
    client.onEnd = (reason) => {
      if (gate.at === "open") onEnd(reason);
    };
  });
  return { gate, client, setGate, restart: ask, lock };
}
