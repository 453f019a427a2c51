// How two rooms share reading. Work is cut into batches; a room takes a batch by claiming it in shared
// memory, so that neither needs to hear from the other while it works: a room in the middle of its work
// receives no messages. A second room that is busy elsewhere just claims nothing; what one had claimed
// when its thread ended is free again.

import { CancelFlag, type Disk, type SharedFlag } from "../../../containment/mod.ts";
import { recheck, type WalkedFile } from "../../../containment/walked_file.ts";
import { Comparer } from "./compare.ts";
import { Findings } from "./findings.ts";
import { Looker } from "./look.ts";
import { type PackedFiles, unpackFile } from "./table.ts";
import { Tally } from "./tally.ts";

const FREE = 0;
const CLAIMED = 1;
const DONE = 2;
const FAILED = 3;

/**
 * What is done to the files of a batch: each looked at, each asked about again after it was read, or
 * all compared with each other.
 */
export type Task = "look" | "recheck" | "compare";

/** Work as it crosses to the other room. */
export interface Job extends PackedFiles {
  task: Task;
  /** Where each batch ends. */
  ends: number[];
  claims: SharedArrayBuffer;
  findings: SharedArrayBuffer;
  tally: SharedArrayBuffer;
  cancel: SharedArrayBuffer;
}

export interface WorkPorts {
  disk: Disk;
  signal: CancelFlag;
  tally: Tally;
}

/** What does the work in one thread. Its buffers are made when they are needed, and kept. */
export class Worktable {
  readonly #ports: WorkPorts;
  #looker?: Looker;
  #comparer?: Comparer;

  constructor(ports: WorkPorts) {
    this.#ports = ports;
  }

  run(task: Task, files: WalkedFile[], firstRow: number, findings: Findings): void {
    if (task === "compare") {
      this.#comparer ??= new Comparer(this.#ports);
      this.#comparer.compare(files.map((file, i) => ({ file, row: firstRow + i })), findings);
    } else if (task === "look") {
      this.#looker ??= new Looker(this.#ports);
      for (const [i, file] of files.entries()) this.#looker.look(file, findings, firstRow + i);
    } else {
      for (const [i, file] of files.entries()) this.#recheck(file, findings, firstRow + i);
    }
    this.#ports.tally.flush();
  }

  #recheck(file: WalkedFile, findings: Findings, row: number): void {
    const { disk, signal } = this.#ports;
    signal.throwIfCancelled();
    const refusal = recheck(disk, file);
    if (refusal === undefined) findings.setUntouched(row);
    else findings.setRefusal(row, refusal);
  }
}

/** The batches of one job as one of the rooms sees them. */
export class Batches {
  readonly #claims: Int32Array;
  readonly #ends: readonly number[];

  constructor(ends: readonly number[], claims?: SharedArrayBuffer) {
    this.#ends = ends;
    this.#claims = new Int32Array(claims ?? new SharedArrayBuffer(4 * ends.length));
  }

  get buffer(): SharedArrayBuffer {
    return this.#claims.buffer as SharedArrayBuffer;
  }

  get length(): number {
    return this.#ends.length;
  }

  /** The rows of a batch: the first one, and the end. */
  rows(batch: number): [from: number, to: number] {
    return [batch === 0 ? 0 : this.#ends[batch - 1], this.#ends[batch]];
  }

  /** Runs a batch unless the other room has it. */
  take(batch: number, run: (from: number, to: number) => void): void {
    if (Atomics.compareExchange(this.#claims, batch, FREE, CLAIMED) !== FREE) return;
    let outcome = FAILED;
    try {
      run(...this.rows(batch));
      outcome = DONE;
    } finally {
      Atomics.store(this.#claims, batch, outcome);
      Atomics.notify(this.#claims, batch);
    }
  }

  /**
   * Sleeps until the other room is done with what it claimed.
   *
   * @param gone raised when the other room is no more.
   * @returns the batches that it left unfinished, free to be taken.
   */
  wait(signal: CancelFlag, gone?: SharedFlag): number[] {
    const left: number[] = [];
    for (let batch = 0; batch < this.length; batch++) {
      while (Atomics.wait(this.#claims, batch, CLAIMED, 20) === "timed-out") {
        signal.throwIfCancelled();
        if (gone?.raised) break;
      }
      signal.throwIfCancelled();
      const state = Atomics.compareExchange(this.#claims, batch, CLAIMED, FREE);
      if (state === CLAIMED) left.push(batch);
      else if (state !== DONE) {
        throw new Error("the second room failed at its share; its own log line says why");
      }
    }
    return left;
  }
}

/** Takes a share of the jobs that come over the port. */
export function servePeer(port: MessagePort, disk: Disk): void {
  port.onmessage = ({ data }: MessageEvent<Job>) => {
    const signal = new CancelFlag(data.cancel);
    const table = new Worktable({ disk, signal, tally: new Tally(data.tally) });
    const batches = new Batches(data.ends, data.claims);
    const findings = new Findings(data.findings);
    const paths = data.paths.split("\0");
    try {
      for (let batch = 0; batch < batches.length && !signal.cancelled; batch++) {
        batches.take(batch, (from, to) => {
          const files = [];
          for (let i = from; i < to; i++) files.push(unpackFile(paths[i], data.stamps, i));
          table.run(data.task, files, from, findings);
        });
      }
    } catch (error) {
      // Whoever asked sees that the batch failed; a cancelled call is no news.
      if (!signal.cancelled) console.error((error as Error)?.stack ?? error);
    }
  };
}
