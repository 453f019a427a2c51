// The main thread's side of the `keychain` room. The system's keychain can take seconds for an answer, wait
// for a person to unlock it, or never say anything; so the time is kept here, and nobody waits longer.

import { Room } from "../../containment/rooms/host.ts";
import { roomModule } from "../../containment/rooms/modules.ts";
import { type ProofRequest, PROVE, type Trial } from "../../containment/rooms/proof.ts";
import { mayLoad } from "@shieldfive/crypto/extra/addon.ts";
import { systemAlarm } from "../client/timing.ts";
import type { Alarm } from "../client/types.ts";
import { keychainAddon } from "./addon.ts";
import type { KeychainRoomInit } from "./keychain_room.ts";
import { keychainError } from "./trouble.ts";

/** Milliseconds that a keychain has for an answer when nobody is there to unlock it. */
export const PATIENCE_MS = 5_000;
/** Milliseconds after which whoever waits is told why. */
const SLOW_MS = 2_000;

export interface KeychainOptions {
  /** The native addon's file; absent: the one that came with the program. */
  addon?: string;
  /** Milliseconds for an answer. */
  patience?: number;
  /** Told once when an answer takes long: the keychain may have asked for its password. */
  onSlow?(): void;
  alarm?: Alarm;
  /** Where the room's log lines and the stacks of its bugs go. */
  log(line: string): void;
}

/**
 * The native addon's file, which the room gets the right to load. None where this thread lacks that right: a
 * room can only be given what it has, and without the addon there is no keychain.
 */
export function keychainGrants(addon = keychainAddon()): string[] {
  return addon === undefined || !mayLoad(addon) ? [] : [addon];
}

/**
 * The one entry in the system's keychain that holds the connection. Every call fails with a ToolError
 * `keychain_absent`, `keychain_locked`, `keychain_not_answering` or `keychain_failed`. A call that took too
 * long goes on in the room, and the ones after it wait for it: what was begun is done in its order.
 */
export class Keychain {
  readonly #room: Room;
  readonly #patience: number;
  readonly #alarm: Alarm;
  #onSlow?: () => void;

  /** Opens the room; `ready` settles when it has loaded. */
  constructor(options: KeychainOptions) {
    const { patience = PATIENCE_MS, alarm = systemAlarm } = options;
    const folders = keychainGrants(options.addon);
    this.#patience = patience;
    this.#alarm = alarm;
    this.#onSlow = options.onSlow;
    this.#room = new Room({
      kind: "keychain",
      module: roomModule("keychain"),
      folders,
      init: { addon: folders.at(0) } satisfies KeychainRoomInit,
      log: options.log,
    });
  }

  get ready(): Promise<void> {
    return this.#room.ready;
  }

  /** What the entry holds; undefined where there is none. */
  async read(): Promise<string | undefined> {
    return await this.#call("read") as string | undefined;
  }

  async write(text: string): Promise<void> {
    await this.#call("write", text);
  }

  /** Removes the entry; whether there was one. */
  async remove(): Promise<boolean> {
    return await this.#call("remove") as boolean;
  }

  /** Makes sure that an entry could be written now, by way of one that is removed again. */
  async tryOut(): Promise<void> {
    await this.#call("tryOut");
  }

  /** Has the room try what it may do and what it may not; see `misfits`. */
  async prove(request: ProofRequest): Promise<Trial[]> {
    return await this.#room.call(PROVE, request) as Trial[];
  }

  /** Ends the room, also in the middle of a call. */
  close(): void {
    this.#room.close();
  }

  async #call(method: string, args?: unknown): Promise<unknown> {
    const late = Promise.withResolvers<never>();
    const seconds = this.#patience / 1000;
    const stops = [
      this.#alarm(
        this.#patience,
        () => late.reject(keychainError("not_answering", `no answer within ${seconds} seconds`)),
      ),
      this.#alarm(Math.min(SLOW_MS, this.#patience), () => {
        this.#onSlow?.();
        this.#onSlow = undefined;
      }),
    ];
    const answer = this.#room.call(method, args, { name: "a call of the keychain" });
    answer.catch(() => {}); // when it comes too late, nobody hears of it
    try {
      return await Promise.race([answer, late.promise]);
    } finally {
      for (const stop of stops) stop();
    }
  }
}
