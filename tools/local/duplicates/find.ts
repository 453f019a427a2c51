// Finding the duplicates among the files of a table: by size, then by a cheap look, then by all of
// their bytes, as far as the budget goes. What the budget did not reach and what could not be read is
// handed back beside the sets, since a result that leaves something out must say so.

import type { CancelFlag } from "../../../containment/mod.ts";
import type { Refusal } from "../../../containment/walked_file.ts";
import { alike } from "./alike.ts";
import { type Bucket, bucketsOf } from "./buckets.ts";
import { type Budget, costOf, costsTwice } from "./budget.ts";
import { type Assignment, type Dispatcher, endsOf } from "./dispatch.ts";
import type { Finding } from "./findings.ts";
import { type KeeperOrder, orderedNames } from "./keeper.ts";
import type { Looks } from "./looks.ts";
import type { FileTable } from "./table.ts";

/** Files with the same content: indexes in the table, one for each file on disk. */
export interface DuplicateSet {
  sha256: string;
  size: number;
  files: number[];
}

/** What the budget did not pay for. */
export interface Unread {
  bucketsSkipped: number;
  bucketsInPart: number;
  files: Set<number>;
  /** The most space that could be won among them. */
  upperBound: number;
}

export interface Found {
  sets: DuplicateSet[];
  unread: Unread;
  /** Files that dropped out, each with the reason. */
  refused: Map<number, Refusal>;
}

/** A stretch of work whose progress can be told. */
export interface Step {
  label: "looking" | "comparing";
  /** Files of a look, bytes of a comparison. */
  total: number;
}

export interface FinderPorts {
  table: FileTable;
  looks: Looks;
  dispatcher: Dispatcher;
  budget: Budget;
  order: KeeperOrder;
  signal: CancelFlag;
  /** Called before a step with what it will take. */
  onStep(step: Step): void;
}

/** Work that is worth handing out: so many files, or so many bytes. */
const SHARED_FILES = 64;
const SHARED_BYTES = 4_000_000;

/** Files that are asked about again at a time. */
const RECHECK_BATCH = 256;

/** Files without a copy that are asked about again to see whether they changed; none if there are more. */
const MAX_RECHECKED = 20_000;

export class Finder {
  readonly #ports: FinderPorts;
  readonly #found: Found = {
    sets: [],
    unread: { bucketsSkipped: 0, bucketsInPart: 0, files: new Set(), upperBound: 0 },
    refused: new Map(),
  };

  constructor(ports: FinderPorts) {
    this.#ports = ports;
  }

  find(): Found {
    const { table, signal, looks, budget } = this.#ports;
    budget.spend(looks.count); // the looks that were taken while the walk went on
    const buckets = bucketsOf(table);
    for (let next = 0; next < buckets.length;) {
      signal.throwIfCancelled();
      const whole = this.#affordable(buckets, next);
      if (whole > next) this.#examine(buckets.slice(next, whole));
      else this.#examinePart(buckets[next]);
      next = Math.max(whole, next + 1);
    }
    signal.throwIfCancelled();
    return this.#found;
  }

  /** The end of the buckets from `from` on that the budget pays for whatever their files hold. */
  #affordable(buckets: Bucket[], from: number): number {
    const { budget, looks } = this.#ports;
    let { reads, bytes } = budget.left;
    let end = from;
    for (; end < buckets.length; end++) {
      for (const file of buckets[end].files) {
        const cost = costOf(buckets[end].size, looks.has(file));
        reads -= cost.reads;
        bytes -= cost.bytes;
      }
      if (reads < 0 || bytes < 0) break;
    }
    return end;
  }

  /** Reads as much of a bucket as the budget pays for, in the order in which keepers are chosen. */
  #examinePart({ size, files }: Bucket): void {
    const { unread } = this.#found;
    const part = this.#payable(size, files);
    if (part.length === 0) unread.bucketsSkipped++;
    else unread.bucketsInPart++;
    const read = new Set(part);
    for (const file of files) if (!read.has(file)) unread.files.add(file);
    unread.upperBound += size * (files.length - Math.max(part.length, 1));
    if (part.length > 0) this.#examine([{ size, files: part }]);
  }

  /** The first files of a bucket that can be paid for; none where it is fewer than two. */
  #payable(size: number, files: number[]): number[] {
    const { budget, looks, table, order } = this.#ports;
    let { reads, bytes } = budget.left;
    const least = costOf(size, files.some((file) => looks.has(file)));
    if (2 * least.reads > reads || 2 * least.bytes > bytes) return [];
    const named = files.map((file) => ({ file, name: orderedNames(table, file, order)[0] }));
    named.sort((a, b) => order(a.name, b.name));
    const part: number[] = [];
    for (const { file } of named) {
      const cost = costOf(size, looks.has(file));
      reads -= cost.reads;
      bytes -= cost.bytes;
      if (reads < 0 || bytes < 0) break;
      part.push(file);
    }
    return part.length < 2 ? [] : part;
  }

  /** Examines buckets that are paid for. */
  #examine(buckets: Bucket[]): void {
    // In the order of the walk, in which the system still knows the folders that it goes through.
    const files = Int32Array.from(buckets.flatMap((bucket) => bucket.files)).sort();
    this.#look(files);
    const { looks, table, budget, signal } = this.#ports;
    const { groups, alone, refused } = alike(files, table, looks, signal);
    for (const file of refused) this.#refuse(file, looks.finding(file));
    // Nothing is said about files that look like no other, so this only serves to name the changed.
    if (alone.length <= MAX_RECHECKED) this.#recheck(alone);
    for (const { size, files } of groups) if (costsTwice(size)) budget.spend(files.length);
    this.#compare(groups);
  }

  #look(files: Int32Array): void {
    const { looks, budget, onStep } = this.#ports;
    const before = looks.count;
    for (const file of files) looks.add(file);
    budget.spend(looks.count - before);
    onStep({ label: "looking", total: looks.count });
    looks.finish();
  }

  #refuse(file: number, finding: Finding): void {
    if (finding.kind === "changed" || finding.kind === "unreadable") {
      this.#found.refused.set(file, finding);
    }
  }

  /** Asks whether the files are still those that were walked, and writes down which are not. */
  #recheck(files: number[]): void {
    const { dispatcher } = this.#ports;
    const ends = endsOf(files.length, RECHECK_BATCH);
    const assignment = dispatcher.assign("recheck", files, ends, ends.length > 2);
    dispatcher.finish([assignment]);
    files.forEach((file, row) => this.#refuse(file, assignment.findings.get(row)));
  }

  #compare(groups: Bucket[]): void {
    if (groups.length === 0) return;
    groups.sort((a, b) => b.size * b.files.length - a.size * a.files.length);
    const files: number[] = [];
    const ends: number[] = [];
    let total = 0;
    for (const group of groups) {
      for (const file of group.files) files.push(file);
      ends.push(files.length);
      total += group.size * group.files.length;
    }
    const { dispatcher, onStep } = this.#ports;
    onStep({ label: "comparing", total });
    const shared = groups.length > 1 && (files.length >= SHARED_FILES || total >= SHARED_BYTES);
    const assignment = dispatcher.assign("compare", files, ends, shared);
    dispatcher.finish([assignment]);
    this.#gather(assignment);
  }

  /** Sorts what comparing came to into sets and refusals. */
  #gather({ files, findings }: Assignment): void {
    const sets = new Map<number, DuplicateSet>();
    files.forEach((file, row) => {
      if (row % 16_384 === 0) this.#ports.signal.throwIfCancelled();
      const finding = findings.get(row);
      this.#refuse(file, finding);
      if (finding.kind === "equal") {
        const set = sets.get(finding.leader);
        if (set !== undefined) set.files.push(file);
        else {
          const size = this.#ports.table.sizes[file];
          sets.set(finding.leader, {
            sha256: findings.digest(finding.leader),
            size,
            files: [file],
          });
        }
      }
    });
    for (const set of sets.values()) this.#found.sets.push(set);
  }
}
