// The change itself, one file after the other. Of each file there is a copy before it is touched; the
// journal knows of a new entry before the entry is there, and forgets it after it is gone, so that a
// process that is killed at any moment leaves nothing that cannot be undone. Two of these at once wait for
// each other.

import {
  asToolError,
  type CancelFlag,
  type Disk,
  errnoOf,
  type ErrorRecord,
  lookAt,
  moveNoReplace,
  type NotKept,
  replaceFile,
  requireSeen,
  ToolError,
} from "../../../containment/mod.ts";
import { journalWith, readJournal, type SetUp } from "./journal.ts";
import type { Step } from "./plan.ts";

/** All that the room is asked to do. */
export interface Orders {
  journal: {
    path: string;
    temporary: string;
    lock: string;
    /** Folders to be made for it, outermost first. */
    missing: string[];
  };
  steps: Step[];
}

/** How one file's part ended. */
export type Outcome =
  /** What the new file could not take over, and why the journal could not forget it. */
  | { notKept: NotKept[]; unforgotten?: string }
  | { error: ErrorRecord };

/** What carrying out needs beside its orders. */
export interface Ports {
  disk: Disk;
  signal: CancelFlag;
  /** Runs the body while no other process has the lock. */
  locked<T>(path: string, body: () => T): T;
}

/** Makes the changes; each file's part succeeds or fails by itself. */
export function carryOut({ journal, steps }: Orders, { disk, signal, locked }: Ports): Outcome[] {
  for (const folder of journal.missing) {
    try {
      disk.mkdir(folder, 0o700);
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw asToolError(error, "making", folder);
    }
  }
  return locked(journal.lock, () =>
    steps.map((step): Outcome => {
      try {
        signal.throwIfCancelled();
        return carryOutOne(step, journal, disk);
      } catch (error) {
        const failure = asToolError(error, "changing", step.file);
        if (!(failure instanceof ToolError)) throw error;
        return { error: failure.toRecord() };
      }
    }));
}

function carryOutOne(step: Step, journal: Orders["journal"], disk: Disk): Outcome {
  const { file, temporary, leftovers, seen, bytes, backup, aside, setUp } = step;
  const before = seen === undefined ? undefined : requireSeen(disk, file, seen);
  for (const leftover of leftovers) dropLeftover(disk, leftover);
  if (backup !== undefined) {
    replaceFile(disk, backup.path, backup.bytes, backup);
    // Whoever may read the file may read its copy, whatever the umask is.
    disk.chmod(backup.path, backup.mode);
  }
  if (setUp !== undefined) note(file, setUp, journal, disk);
  let notKept: NotKept[] = [];
  if (bytes !== undefined) {
    notKept = replaceFile(disk, file, bytes, { seen, temporary });
  } else if (aside !== undefined && before !== undefined) {
    moveNoReplace(disk, file, aside, before);
  }
  return setUp === undefined ? { notKept, ...forget(file, journal, disk) } : { notKept };
}

/** The entry is gone by now; a journal that still knows of it does no harm, and is told of. */
function forget(
  file: string,
  journal: Orders["journal"],
  disk: Disk,
): { unforgotten?: string } {
  try {
    note(file, undefined, journal, disk);
    return {};
  } catch (error) {
    const failure = asToolError(error, "writing", journal.path);
    if (!(failure instanceof ToolError)) throw error;
    return { unforgotten: failure.message };
  }
}

/** Removes what a killed process left under a name that only setup uses, and only under the lock. */
function dropLeftover(disk: Disk, temporary: string): void {
  if (lookAt(disk, temporary)?.isFile) disk.unlink(temporary);
}

function note(
  file: string,
  setUp: SetUp | undefined,
  { path, temporary }: Orders["journal"],
  disk: Disk,
): void {
  const journal = readJournal(disk, path);
  const bytes = journalWith(journal, file, setUp);
  dropLeftover(disk, temporary);
  replaceFile(disk, path, bytes, { seen: journal.seen, temporary });
}
