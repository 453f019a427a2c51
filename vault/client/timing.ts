// Waiting, and not waiting for ever. Time is handed in as an alarm, so that a test need not wait.

import { ToolError } from "../../containment/error.ts";
import { cancelled, timedOut } from "./refusals.ts";
import type { Alarm } from "./types.ts";

/** Milliseconds that a call may take whose answer is JSON (vault spec, 2). */
export const CALL_MS = 30_000;
/** Milliseconds without a byte after which a transfer is given up (vault spec, 14). */
export const IDLE_MS = 30_000;

/** The runtime's own. */
export const systemAlarm: Alarm = (milliseconds, ring) => {
  const timer = setTimeout(ring, milliseconds);
  return () => clearTimeout(timer);
};

/** @throws ToolError `cancelled`, or the signal's own reason where that is one. */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw reasonOf(signal);
}

/** Why something was stopped: by its caller, unless it says otherwise. */
export function reasonOf(signal: AbortSignal): ToolError {
  return signal.reason instanceof ToolError ? signal.reason : cancelled();
}

/**
 * Waits.
 *
 * @throws ToolError `cancelled`, at once.
 */
export async function pause(
  alarm: Alarm,
  milliseconds: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  throwIfCancelled(signal);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = alarm(milliseconds, resolve);
  const giveUp = () => reject(reasonOf(signal!));
  signal?.addEventListener("abort", giveUp);
  try {
    await promise;
  } finally {
    stop();
    signal?.removeEventListener("abort", giveUp);
  }
}

/**
 * The result, or the signal's reason where that comes first: whoever was asked may never answer, and need
 * not know of the signal.
 *
 * @throws ToolError as {@link reasonOf}
 */
export async function orAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(reasonOf(signal));
  if (signal.aborted) giveUp();
  else signal.addEventListener("abort", giveUp);
  try {
    return await Promise.race([result, promise]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

/** Rings when something that is waited for does not come. */
export class Watch {
  readonly #alarm: Alarm;
  readonly #overdue = new AbortController();
  #stop: (() => void) | undefined;

  constructor(alarm: Alarm) {
    this.#alarm = alarm;
  }

  /** Aborted with a `network_error` once the time was over. */
  get signal(): AbortSignal {
    return this.#overdue.signal;
  }

  /** Waits from now on, for so long. */
  arm(milliseconds: number): void {
    this.disarm();
    this.#stop = this.#alarm(milliseconds, () => this.#overdue.abort(timedOut()));
  }

  /** Waits no longer. */
  disarm(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}
