// What decides that files are equal: all of their bytes. Of the files that share a size and a look, one
// is hashed while the others are compared with it, chunk by chunk and all in step; where they differ
// they part into sets of their own. Memory does not grow with the size of the files.

import {
  type CancelFlag,
  createHash,
  type Disk,
  type Hash,
  sameBytes,
} from "../../../containment/mod.ts";
import {
  OpenedFile,
  readChecked,
  refusalOf,
  type WalkedFile,
} from "../../../containment/walked_file.ts";
import type { Findings } from "./findings.ts";
import type { Tally } from "./tally.ts";

/** Bytes read of one file at a time. */
const CHUNK = 262_144;
/** Files open at a time in one thread; a system may allow a program no more than 256. */
const MAX_OPEN = 32;

export interface ComparePorts {
  disk: Disk;
  signal: CancelFlag;
  tally: Tally;
}

/** A file of the group that is being compared. */
interface Member {
  file: WalkedFile;
  row: number;
}

interface OpenMember extends Member {
  opened: OpenedFile;
}

/** Files that were equal so far, the first of them hashed so far. */
interface Run {
  members: OpenMember[];
  hash: Hash;
}

/** Compares groups one after the other with one pair of buffers. */
export class Comparer {
  readonly #ports: ComparePorts;
  readonly #leading = new Uint8Array(CHUNK);
  readonly #other = new Uint8Array(CHUNK);

  constructor(ports: ComparePorts) {
    this.#ports = ports;
  }

  /**
   * Finds out which files of a group have the same content. All have the same size. Each file is read
   * once; every row gets its finding, and the first row of each set the digest.
   */
  compare(members: Member[], findings: Findings): void {
    const { size } = members[0].file;
    if (size <= CHUNK) this.#small(members, size, findings);
    else if (members.length <= MAX_OPEN) this.#inStep(members, size, findings);
    else this.#byDigest(members, size, findings);
  }

  /** Files that fit the buffer: each is opened, read and closed before the next. */
  #small(members: Member[], size: number, findings: Findings): void {
    const leading = this.#leading.subarray(0, size);
    const other = this.#other.subarray(0, size);
    const equal: number[] = [];
    const rest = new Map<string, number[]>();
    for (const { file, row } of members) {
      const content = equal.length === 0 ? leading : other;
      if (!this.#readAll(file, content, findings, row)) continue;
      if (content === leading || sameBytes(content, leading)) equal.push(row);
      else addTo(rest, createHash("sha256").update(content).digest("hex"), row);
    }
    if (equal.length > 1) {
      findings.setEqual(equal, createHash("sha256").update(leading).digest("hex"));
    } else if (equal.length === 1) findings.setAlone(equal[0]);
    for (const [digest, rows] of rest) settle(rows, digest, findings);
  }

  #readAll(file: WalkedFile, buffer: Uint8Array, findings: Findings, row: number): boolean {
    const { disk, signal, tally } = this.#ports;
    signal.throwIfCancelled();
    try {
      readChecked(disk, file, buffer);
      tally.addBytes(buffer.length);
      return true;
    } catch (error) {
      findings.setRefusal(row, refusalOf(error, disk, file));
      return false;
    }
  }

  /** More files than may be open at a time: each is hashed on its own. */
  #byDigest(members: Member[], size: number, findings: Findings): void {
    const sets = new Map<string, number[]>();
    for (const member of members) {
      this.#orRefusal(member, findings, () => {
        addTo(sets, this.#digestOf(member.file, size), member.row);
      });
    }
    for (const [digest, rows] of sets) settle(rows, digest, findings);
  }

  #digestOf(file: WalkedFile, size: number): string {
    const hash = createHash("sha256");
    const opened = OpenedFile.checked(this.#ports.disk, file);
    try {
      for (let offset = 0; offset < size; offset += CHUNK) {
        hash.update(this.#chunk(opened, this.#leading, Math.min(CHUNK, size - offset)));
      }
    } finally {
      opened.close();
    }
    opened.confirm();
    return hash.digest("hex");
  }

  #inStep(members: Member[], size: number, findings: Findings): void {
    const open: OpenMember[] = [];
    try {
      this.#open(members, open, findings);
      let runs = this.#kept([{ members: open, hash: createHash("sha256") }], findings);
      for (let offset = 0; offset < size && runs.length > 0; offset += CHUNK) {
        const length = Math.min(CHUNK, size - offset);
        runs = runs.flatMap((run) => this.#step(run, length, findings));
      }
      for (const run of runs) {
        const rows = run.members.filter((member) => this.#confirmed(member, findings));
        settle(rows.map((member) => member.row), run.hash.digest("hex"), findings);
      }
    } finally {
      for (const member of open) member.opened.close();
    }
  }

  #open(members: Member[], open: OpenMember[], findings: Findings): void {
    for (const member of members) {
      this.#orRefusal(member, findings, () => {
        open.push({ ...member, opened: OpenedFile.checked(this.#ports.disk, member.file) });
      });
    }
  }

  /** Takes a run one chunk further; the runs that it parts into, each of two files or more. */
  #step(run: Run, length: number, findings: Findings): Run[] {
    const members = [...run.members];
    let chunk: Uint8Array | undefined;
    while (chunk === undefined && members.length > 1) {
      const [leader] = members;
      chunk = this.#chunkOf(leader, this.#leading, length, findings);
      if (chunk === undefined) members.shift();
    }
    if (chunk === undefined) return this.#kept([{ members, hash: run.hash }], findings);
    const parts = [{ members: [members[0]], chunk }];
    for (const member of members.slice(1)) {
      const other = this.#chunkOf(member, this.#other, length, findings);
      if (other === undefined) continue;
      const part = parts.find((part) => sameBytes(part.chunk, other));
      if (part === undefined) parts.push({ members: [member], chunk: other.slice() });
      else part.members.push(member);
    }
    // The hash is taken along before it swallows this chunk, in which the parts differ.
    const runs = parts.filter((part) => part.members.length > 1).map((part) => {
      const hash = parts.length > 1 ? run.hash.copy() : run.hash;
      return { members: part.members, hash: hash.update(part.chunk) };
    });
    this.#kept(parts.filter((part) => part.members.length === 1), findings);
    return runs;
  }

  /** The runs that still have files to compare; a file that is left alone is done with. */
  #kept<T extends { members: OpenMember[] }>(runs: T[], findings: Findings): T[] {
    return runs.filter((run) => {
      if (run.members.length > 1) return true;
      for (const member of run.members) {
        if (this.#confirmed(member, findings)) findings.setAlone(member.row);
      }
      return false;
    });
  }

  #confirmed(member: OpenMember, findings: Findings): boolean {
    return this.#orRefusal(member, findings, () => member.opened.confirm());
  }

  #chunkOf(
    member: OpenMember,
    buffer: Uint8Array,
    length: number,
    findings: Findings,
  ): Uint8Array | undefined {
    let chunk: Uint8Array | undefined;
    this.#orRefusal(member, findings, () => {
      chunk = this.#chunk(member.opened, buffer, length);
    });
    return chunk;
  }

  #chunk(opened: OpenedFile, buffer: Uint8Array, length: number): Uint8Array {
    this.#ports.signal.throwIfCancelled();
    const chunk = buffer.subarray(0, length);
    opened.readExactly(chunk);
    this.#ports.tally.addBytes(length);
    return chunk;
  }

  /** Does something with a file; false, with the reason written down, when the file refused. */
  #orRefusal(member: Member, findings: Findings, act: () => void): boolean {
    try {
      act();
      return true;
    } catch (error) {
      findings.setRefusal(member.row, refusalOf(error, this.#ports.disk, member.file));
      return false;
    }
  }
}

/** Writes down a set of equal files. */
function settle(rows: number[], digest: string, findings: Findings): void {
  if (rows.length === 1) findings.setAlone(rows[0]);
  else if (rows.length > 1) findings.setEqual(rows, digest);
}

function addTo(sets: Map<string, number[]>, digest: string, row: number): void {
  const rows = sets.get(digest);
  if (rows === undefined) sets.set(digest, [row]);
  else rows.push(row);
}
