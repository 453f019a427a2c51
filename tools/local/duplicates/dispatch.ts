// The asking room's side of sharing: gives work out, does its own part of it, and waits for the rest.

import type { CancelFlag, Disk } from "../../../containment/mod.ts";
import type { Peer } from "../../tool.ts";
import { Findings } from "./findings.ts";
import { Batches, type Job, type Task, Worktable } from "./share.ts";
import type { FileTable } from "./table.ts";
import type { Tally } from "./tally.ts";

/** Work that was given out. `files` are indexes in the table; a file's row is its place among them. */
export interface Assignment {
  task: Task;
  files: readonly number[];
  batches: Batches;
  findings: Findings;
}

export interface DispatchPorts {
  disk: Disk;
  signal: CancelFlag;
  peer?: Peer;
}

/** Where each batch ends when so many files are cut into batches of one size. */
export function endsOf(files: number, batch: number): number[] {
  const ends: number[] = [];
  for (let end = batch; end < files; end += batch) ends.push(end);
  if (files > 0) ends.push(files);
  return ends;
}

/** Hands out the work of one call. */
export class Dispatcher {
  readonly #ports: DispatchPorts;
  readonly #table: FileTable;
  readonly #tally: Tally;
  readonly #own: Worktable;

  constructor(ports: DispatchPorts, table: FileTable, tally: Tally) {
    this.#ports = ports;
    this.#table = table;
    this.#tally = tally;
    this.#own = new Worktable({ ...ports, tally });
  }

  /**
   * Starts work on files. With `shared` the other room may begin at once.
   *
   * @param ends where each batch ends in `files`.
   */
  assign(task: Task, files: readonly number[], ends: number[], shared: boolean): Assignment {
    const batches = new Batches(ends);
    const findings = new Findings(files.length);
    const { peer, signal } = this.#ports;
    if (shared && peer !== undefined && !peer.gone.raised) {
      const job: Job = {
        task,
        ...this.#table.pack(files),
        ends,
        claims: batches.buffer,
        findings: findings.buffer,
        tally: this.#tally.buffer,
        cancel: signal.buffer,
      };
      peer.port.postMessage(job);
    }
    return { task, files, batches, findings };
  }

  /**
   * Works until every batch is done, here or there. Batches are taken from the end, since the other
   * room begins at the front; groups to compare are taken in order by both, the largest first. What
   * the other room was at when it was lost is done here from its beginning.
   */
  finish(assignments: readonly Assignment[]): void {
    const { signal, peer } = this.#ports;
    for (let i = assignments.length - 1; i >= 0; i--) this.#work(assignments[i]);
    for (const assignment of assignments) {
      const { batches, findings } = assignment;
      for (const batch of batches.wait(signal, peer?.gone)) {
        findings.clear(...batches.rows(batch));
        this.#take(assignment, batch);
      }
    }
  }

  #work(assignment: Assignment): void {
    const { length } = assignment.batches;
    for (let i = 0; i < length; i++) {
      this.#take(assignment, assignment.task === "compare" ? i : length - 1 - i);
    }
  }

  #take({ task, files, batches, findings }: Assignment, batch: number): void {
    batches.take(batch, (from, to) => {
      const walked = files.slice(from, to).map((file) => this.#table.file(file));
      this.#own.run(task, walked, from, findings);
    });
  }
}
