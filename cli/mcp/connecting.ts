// What vault_connect does: says that there is a working connection, or makes one in the browser, where the user
// may take longer than a caller waits. Whatever comes of that the next call is told (vault spec, 9).

import { ToolError } from "../../containment/mod.ts";
import type { VaultRooms } from "../../tools/vault_rooms.ts";
import {
  type Connected,
  type Connector,
  hintFor,
  labelFrom,
  type Waiting,
} from "../../vault/connect/mod.ts";
import type { CredentialStore, Source } from "../../vault/credential/mod.ts";
import { grantData } from "../connection/show.ts";
import type { Structured } from "./fit.ts";

/** Milliseconds that a call waits for the browser. */
const PATIENCE = 45_000;

/** Where a connection is kept; `memory`: nowhere, it is gone with this process. */
export type Place = Source | "memory";

/** What a call of vault_connect brings along. */
export interface ConnectScope {
  signal: AbortSignal;
  onProgress(progress: { done: number; total?: number; label: string }): void;
  /** What the client calls itself. */
  clientName?: string;
}

export interface ConnectingOptions {
  connector: Pick<Connector, "connect">;
  vault: Pick<VaultRooms, "current">;
  store: Pick<CredentialStore, "variable">;
  /** The server that a new connection is for. */
  origin: string;
  /** Where the connection in use is kept; undefined where there is none. */
  inUse(): Place | undefined;
  /** Settles when a connection that was just made is in use. */
  adopted(): Promise<void>;
}

export class Connecting {
  readonly #options: ConnectingOptions;
  /** Whether an answer of the browser may come, or has come, that no call was told. */
  #waiting = false;

  constructor(options: ConnectingOptions) {
    this.#options = options;
  }

  /** @throws ToolError as `Connector.connect` and `VaultClient.grant` */
  async connect({ reconnect }: { reconnect?: boolean }, scope: ConnectScope): Promise<Structured> {
    if (!reconnect && !this.#waiting) {
      const working = await this.#working(scope.signal);
      if (working !== undefined) return working;
    }
    return await this.#throughBrowser(scope);
  }

  /** The connection in use, where it is good; undefined where there is none, or it was revoked. */
  async #working(signal: AbortSignal): Promise<Structured | undefined> {
    const { vault, inUse } = this.#options;
    const stored = inUse();
    if (stored === undefined) return undefined;
    try {
      return { connected: true, grant: grantData(await vault.current(signal)), stored };
    } catch (error) {
      if (error instanceof ToolError && error.code === "grant_invalid") return undefined;
      throw error;
    }
  }

  async #throughBrowser(
    { signal, onProgress, clientName = "" }: ConnectScope,
  ): Promise<Structured> {
    const { connector, origin, adopted } = this.#options;
    const [client, label] = [hintFor(clientName), labelFrom(clientName)];
    const total = PATIENCE / 1000;
    try {
      const outcome = await connector.connect({ origin, client, label, browser: true }, {
        patience: PATIENCE,
        signal,
        onProgress: (waited) =>
          onProgress({ done: waited / 1000, total, label: "waiting for the browser" }),
      });
      this.#waiting = outcome.state === "pending";
      if (outcome.state === "pending") return pending(outcome.waiting);
      await adopted();
      return this.#made(outcome.connected);
    } catch (error) {
      // Whoever gives up waiting leaves the page in the browser.
      this.#waiting = signal.aborted;
      throw error;
    }
  }

  #made({ grant, stored, trouble, warnings }: Connected): Structured {
    const notes = [
      ...warnings,
      ...(trouble === undefined ? [] : [
        `it is not stored (${trouble.message}) and lasts until this server ends; after that, connecting ` +
        "again makes another connection in ShieldFive, so give the server the connection string in " +
        "SHIELDFIVE_GRANT instead",
      ]),
      ...(this.#options.store.variable === "set"
        ? ["SHIELDFIVE_GRANT is set and will be used in its place once the server is started again"]
        : []),
    ];
    return {
      connected: true,
      grant: grantData(grant),
      stored,
      ...(notes.length === 0 ? {} : { warnings: notes }),
    };
  }
}

function pending({ address, opening }: Waiting): Structured {
  const why = opening !== undefined && !opening.opened
    ? { warnings: [`no browser was opened (${opening.why}); the user has to open the page`] }
    : {};
  return { connected: false, pending: true, url: address, ...why };
}
