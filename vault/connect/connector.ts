// Getting connected, once for the command `login` and the tool vault_connect: a hand-off in the browser that
// runs on when its caller stops waiting, then the server's word that the connection is good, and only then is
// it stored (vault spec, 9). A connection that was made and cannot be stored is given back, not lost.

import { ToolError } from "../../containment/error.ts";
import { parseConnectionString } from "@shieldfive/crypto/vault";
import type { GrantQuestion } from "../client/check.ts";
import { pause, systemAlarm } from "../client/timing.ts";
import type { Alarm, GrantInfo } from "../client/types.ts";
import type { CredentialStore } from "../credential/store.ts";
import type { Asking } from "./address.ts";
import type { Handoff } from "./handoff.ts";
import type { Delivery } from "./listener.ts";
import type { Opening } from "./opener.ts";

/** A connection that the server accepts. */
export interface Connected {
  /** The connection string. */
  connection: string;
  origin: string;
  grant: GrantInfo;
  /** `memory`: nothing keeps it, and it is gone with this process. */
  stored: "keychain" | "file" | "memory";
  /** Why nothing keeps it. */
  trouble?: ToolError;
  warnings: string[];
}

/** A hand-off that somebody has to answer in the browser. */
export interface Waiting {
  /** To be opened in a browser. */
  address: string;
  /** When nobody listens any more, in milliseconds since 1970. */
  deadline: number;
  /** Whether a browser was opened; absent where none was asked for. */
  opening?: Opening;
}

export type Outcome =
  | { state: "connected"; connected: Connected }
  | { state: "pending"; waiting: Waiting };

export interface ConnectorOptions {
  /** Absent where only connections are taken that come in another way. */
  handoff?: Pick<Handoff, "begin" | "delivery" | "openBrowser" | "stop">;
  store: Pick<CredentialStore, "store" | "remember">;
  /** Where a connection is stored. */
  where: "keychain" | "file";
  /** Asks the server what a connection is good for. */
  check(question: GrantQuestion): Promise<GrantInfo>;
  /** Told of a connection at once, also when nobody waits for it any more. */
  onConnected?(connected: Connected): void;
  alarm?: Alarm;
}

/** What is asked for in the browser. */
export interface Wish extends Asking {
  /** Whether a browser is to be opened. */
  browser: boolean;
}

export interface ConnectOptions {
  /** Milliseconds after which the outcome is `pending`. */
  patience: number;
  signal?: AbortSignal;
  /** Told of the address before anything else happens, when this call began the hand-off. */
  onAddress?(waiting: Waiting): void;
  /** Told whether a browser was opened with it. */
  onOpening?(opening: Opening): void;
  /** Told every five seconds. */
  onProgress?(waitedMs: number): void;
}

interface Flow {
  waiting: Waiting;
  outcome: Promise<Connected>;
}

const TICK_MS = 5_000;

export class Connector {
  readonly #options: ConnectorOptions;
  readonly #alarm: Alarm;
  #flow?: Promise<Flow>;

  constructor(options: ConnectorOptions) {
    this.#options = options;
    this.#alarm = options.alarm ?? systemAlarm;
  }

  /**
   * Begins a hand-off or joins the one that is under way, and waits for its outcome; one that came when
   * nobody waited is given now. Whoever is cancelled stops waiting, and the hand-off goes on.
   *
   * @throws ToolError `cancelled` when it was denied in the browser, and when the signal is aborted;
   * `timeout`, `connect_failed`, `invalid_origin`, and as `check`.
   */
  async connect(wish: Wish, options: ConnectOptions): Promise<Outcome> {
    const flow = this.#flow ??= this.#begin(wish, options);
    let ended = true;
    try {
      const { waiting, outcome } = await flow;
      const connected = await this.#within(outcome, options);
      if (connected !== undefined) return { state: "connected", connected };
      ended = false;
      return { state: "pending", waiting };
    } catch (error) {
      ended = !options.signal?.aborted;
      throw error;
    } finally {
      if (ended) this.#forget(flow);
    }
  }

  /**
   * Takes a connection that did not come through the browser.
   *
   * @throws ToolError as `check`: nothing was stored.
   */
  async accept(connection: string, origin: string): Promise<Connected> {
    const grant = await this.#options.check({ connection, origin });
    const connected = { connection, origin, grant, stored: "memory" as const, warnings: [] };
    return await this.store(connected);
  }

  /**
   * Stores a connection, again where it could not be stored before.
   *
   * @param where absent: as it was wanted from the beginning.
   */
  async store(connected: Connected, where = this.#options.where): Promise<Connected> {
    const { store } = this.#options;
    const { connection, origin, grant } = connected;
    const known = { connection, origin, grant };
    try {
      const { done, warnings } = await store.store(connection, where);
      return { ...known, stored: done, warnings: [...warnings, ...await this.#remember(known)] };
    } catch (trouble) {
      if (!(trouble instanceof ToolError)) throw trouble;
      return { ...known, stored: "memory", trouble, warnings: [] };
    }
  }

  /** Ends the hand-off that is under way. */
  async stop(): Promise<void> {
    if (this.#flow !== undefined) await this.#handoff.stop();
  }

  get #handoff() {
    const { handoff } = this.#options;
    if (handoff !== undefined) return handoff;
    throw new ToolError("connect_failed", "there is no way through the browser here");
  }

  async #remember(
    { connection, origin }: Pick<Connected, "connection" | "origin">,
  ): Promise<string[]> {
    try {
      await this.#options.store.remember(parseConnectionString(connection).grantId, origin);
      return [];
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      return [`that the connection is for ${origin} could not be remembered: ${error.message}`];
    }
  }

  async #begin(
    { browser, ...asking }: Wish,
    { onAddress, onOpening }: ConnectOptions,
  ): Promise<Flow> {
    const { onConnected } = this.#options;
    const handoff = this.#handoff;
    const waiting: Waiting = await handoff.begin(asking);
    const flow = this.#flow!;
    const outcome = this.#outcome(asking.origin);
    outcome.then(onConnected, (error) => {
      // An answer that never came is not news; whoever asks again wants another try. What else went wrong
      // is told to whoever waits, or to the next who asks.
      if (error instanceof ToolError && error.code === "timeout") this.#forget(flow);
    });
    onAddress?.(waiting);
    if (browser) {
      waiting.opening = await handoff.openBrowser(waiting.address);
      onOpening?.(waiting.opening);
    }
    return { waiting, outcome };
  }

  #forget(flow: Promise<Flow>): void {
    if (this.#flow === flow) this.#flow = undefined;
  }

  async #outcome(origin: string): Promise<Connected> {
    const delivery = await this.#handoff.delivery();
    if (delivery.ended === "delivered") return await this.accept(delivery.connection, origin);
    throw notDelivered(delivery.ended);
  }

  /** The outcome, or undefined when it does not come in time. */
  async #within(
    outcome: Promise<Connected>,
    { patience, signal, onProgress }: ConnectOptions,
  ): Promise<Connected | undefined> {
    for (let waited = 0; waited < patience; waited += TICK_MS) {
      if (waited > 0) onProgress?.(waited);
      const over = new AbortController();
      const until = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
      try {
        const step = Math.min(TICK_MS, patience - waited);
        const connected = await Promise.race([outcome, pause(this.#alarm, step, until)]);
        if (connected !== undefined) return connected;
      } finally {
        over.abort();
      }
    }
    return undefined;
  }
}

function notDelivered(ended: Exclude<Delivery["ended"], "delivered">): ToolError {
  if (ended === "denied") {
    return new ToolError(
      "cancelled",
      "the request was denied in the browser; nothing is connected",
    );
  }
  if (ended === "timeout") {
    return new ToolError(
      "timeout",
      "nobody answered in the browser within 10 minutes; nothing is connected",
    );
  }
  return new ToolError("cancelled", "the waiting for the browser was ended; nothing is connected");
}
