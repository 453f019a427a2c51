// What a client of the server knows of the files that it works on. Each change that was answered is in
// effect; one that was under way when the server was killed is in effect wholly or not at all. After the
// restart every file must be in a state that this allows, and everything about it must say the same.

import type { Answered } from "../keyless/caller.ts";
import { sha256 } from "../keyless/parties.ts";

/** Everything of a file's row that a change writes, as one text; a file that is not listed is "absent". */
export type State = string;
export const ABSENT: State = "absent";

/** The columns that belong together: half of a change would show as a mixture. */
export interface Columns {
  folderId: string | null;
  name: string;
  cskWrapped: string;
  cskIv: string;
  pqkFkWrapped: string | null;
  pqkFkIv: string | null;
}

export function stateOf(row: Columns): State {
  const { folderId, name, cskWrapped, cskIv, pqkFkWrapped, pqkFkIv } = row;
  return JSON.stringify([folderId, name, cskWrapped, cskIv, pqkFkWrapped, pqkFkIv]);
}

/** A change that was sent. */
export interface Change {
  to: State;
  /** What it adds to the activity. */
  records: number;
}

export class KnownFile {
  /** The last state that is certain. */
  state: State = ABSENT;
  /** Records of this file in the activity that are certain. */
  records = 0;
  /** Sent and not answered. */
  pending: Change | undefined;
  /** The upload's key and the state that finalize gives, as long as it was put and not finalized. */
  put: { proofKey: string; to: State } | undefined;

  constructor(readonly id: string, readonly ciphertext: Uint8Array<ArrayBuffer>) {}

  /** The pending change was answered, and so is in effect. */
  settle(): void {
    if (this.pending === undefined) return;
    this.state = this.pending.to;
    this.records += this.pending.records;
    this.pending = undefined;
  }

  /** Looks at what the restarted server says; gives what is wrong with it. */
  compare(row: Answered | undefined, records: number): string[] {
    const actual = row === undefined ? ABSENT : stateOf(row);
    const { pending, state } = this;
    const took = pending !== undefined && actual === pending.to;
    const problems: string[] = [];
    if (actual !== state && !took) {
      problems.push(`${this.id} is neither as it was nor as it was to be: ${actual}`);
    }
    const expected = this.records + (took ? pending.records : 0);
    // A change to the state that it had already leaves it open whether it happened.
    const open = took && actual === state ? [this.records, expected] : [expected];
    if (!open.includes(records)) {
      problems.push(`${this.id} has ${records} records in the activity and not ${expected}`);
    }
    if (row !== undefined && row.sha256 !== undefined && row.sha256 !== sha256(this.ciphertext)) {
      problems.push(`${this.id} is listed with another hash`);
    }
    this.state = actual;
    this.records = records;
    this.pending = undefined;
    if (actual !== ABSENT) this.put = undefined;
    return problems;
  }
}
