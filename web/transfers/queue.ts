// Uploads and downloads, a few at a time. The queue outlives a lock that nobody asked for: what was under way
// when the session ended begins again once the vault is open.

import { OwnerError } from "../../vault/owner/error.ts";
import type { CallProgress } from "../vault/calls.ts";
import type { CallOptions, VaultClient } from "../vault/client.ts";

/** Something to be carried. */
export interface Job {
  kind: "upload" | "download";
  /** What of; shown as text. */
  name: string;
  /** Bytes, as far as they are known. */
  size: number;
  /** Does it, as often as it is called. */
  run(client: VaultClient, options: CallOptions): Promise<void>;
}

export type TransferState = "waiting" | "running" | "done" | "failed" | "stopped";

/** One job and how far it is. */
export interface Transfer {
  readonly id: number;
  readonly job: Job;
  readonly state: TransferState;
  readonly progress?: CallProgress;
  readonly error?: Error;
}

/** What a run of the queue came to, said once it has nothing left to do. */
export interface Outcome {
  uploaded: number;
  downloaded: number;
  failed: number;
}

const AT_A_TIME = 3;
/** The vault was closed under a job: it is none of the job's own failures. */
const INTERRUPTED: readonly string[] = ["session_ended", "locked"];

/** What another attempt would not change. */
const FINAL: readonly string[] = ["invalid_name", "empty_file", "too_large"];

/** Whether it is worth another attempt. */
export function canRetry({ state, error }: Transfer): boolean {
  return state === "stopped" ||
    state === "failed" && !(error instanceof OwnerError && FINAL.includes(error.code));
}

/** See the top of this file. */
export class TransferQueue {
  #transfers: readonly Transfer[] = [];
  #client: VaultClient | undefined;
  #next = 0;
  #outcome: Outcome = { uploaded: 0, downloaded: 0, failed: 0 };
  readonly #stops = new Map<number, AbortController>();
  readonly #listeners = new Set<() => void>();
  /** Told of what a run came to. */
  onDrained: (outcome: Outcome) => void = () => {};

  get transfers(): readonly Transfer[] {
    return this.#transfers;
  }

  /** Calls the listener after every change, until the function that it gives is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The vault is open: what waits goes on. */
  attach(client: VaultClient): void {
    this.#client = client;
    this.#begin();
  }

  /** The vault is closed: nothing new begins. */
  detach(): void {
    this.#client = undefined;
  }

  add(jobs: readonly Job[]): void {
    const added = jobs.map((job): Transfer => ({ id: this.#next++, job, state: "waiting" }));
    this.#set([...this.#transfers, ...added]);
    this.#begin();
  }

  stop(id: number): void {
    this.#stops.get(id)?.abort();
    this.#change(
      id,
      (transfer) => transfer.state === "waiting" ? { ...transfer, state: "stopped" } : transfer,
    );
    this.#tellIfDrained();
  }

  retry(id: number): void {
    this.#change(id, ({ job }) => ({ id, job, state: "waiting" }));
    this.#begin();
  }

  /** Takes what has ended off the list. */
  clear(): void {
    this.#set(this.#transfers.filter(isOpen));
  }

  /** Breaks everything off and forgets it. */
  forget(): void {
    for (const stop of this.#stops.values()) stop.abort();
    this.#set([]);
    this.#outcome = { uploaded: 0, downloaded: 0, failed: 0 };
  }

  #set(transfers: readonly Transfer[]): void {
    this.#transfers = transfers;
    for (const listener of this.#listeners) listener();
  }

  #change(id: number, change: (transfer: Transfer) => Transfer): void {
    this.#set(this.#transfers.map((each) => each.id === id ? change(each) : each));
  }

  #begin(): void {
    for (const transfer of this.#transfers) {
      if (this.#client === undefined || this.#stops.size >= AT_A_TIME) return;
      if (transfer.state === "waiting") this.#run(transfer, this.#client);
    }
  }

  async #run({ id, job }: Transfer, client: VaultClient): Promise<void> {
    const stop = new AbortController();
    this.#stops.set(id, stop);
    this.#change(id, (transfer) => ({ ...transfer, state: "running" }));
    const onProgress = (progress: CallProgress) =>
      this.#change(id, (transfer) => ({ ...transfer, progress }));
    try {
      await job.run(client, { signal: stop.signal, onProgress });
      this.#outcome[job.kind === "upload" ? "uploaded" : "downloaded"]++;
      this.#change(id, (transfer) => ({ ...transfer, state: "done" }));
    } catch (error) {
      this.#fail(id, job, stop.signal.aborted, error as Error);
    } finally {
      this.#stops.delete(id);
      this.#begin();
      this.#tellIfDrained();
    }
  }

  #fail(id: number, job: Job, stopped: boolean, error: Error): void {
    if (stopped) return this.#change(id, () => ({ id, job, state: "stopped" }));
    if (error instanceof OwnerError && INTERRUPTED.includes(error.code)) {
      this.#client = undefined; // it answers nothing any more; another one is attached
      return this.#change(id, () => ({ id, job, state: "waiting" }));
    }
    this.#outcome.failed++;
    this.#change(id, () => ({ id, job, state: "failed", error }));
  }

  #tellIfDrained(): void {
    const { uploaded, downloaded, failed } = this.#outcome;
    if (this.#transfers.some(isOpen) || uploaded + downloaded + failed === 0) return;
    const outcome = this.#outcome;
    this.#outcome = { uploaded: 0, downloaded: 0, failed: 0 };
    this.onDrained(outcome);
  }
}

/** Whether there is still something to do. */
export function isOpen({ state }: Transfer): boolean {
  return state === "waiting" || state === "running";
}
