// Looks whether what the rows promise is there: for every file an object of its size and SHA-256, read
// from beginning to end. Changes nothing; what it finds is an object for `serve --check` to print.

import { passingHash } from "@shieldfive/crypto/extra/tap.ts";
import type { ListedObject, Objects } from "./objects/objects.ts";
import type { FileRow, Rows } from "./rows/rows.ts";

/** What is wrong with a file's object. */
export type ObjectFault = "missing" | "wrong_size" | "wrong_hash" | "unreadable";

/** What {@link checkVault} found; `sound` is false when the content of any file is not as it should be. */
export interface CheckReport {
  sound: boolean;
  /** Rows of files. */
  files: number;
  /** Bytes of ciphertext that were read. */
  bytesRead: number;
  /** Files whose content is lost or damaged, by their row. */
  faults: { fileId: string; storageKey: string; fault: ObjectFault; detail?: string }[];
  /** Objects that no row knows: they take space and nothing else. */
  orphans: { storageKey: string; size: number }[];
  /** Objects of uploads that are not finished; their time-out removes them. */
  uploads: { storageKey: string; size: number }[];
  /** Objects of purged files that are still to be removed. */
  purged: { storageKey: string; size: number }[];
  /** What writing left behind. */
  temporaries: { storageKey: string; size: number }[];
}

const PIECE = 256 * 1024;
const PAGE = 1000;

function* allFiles(rows: Rows): Generator<FileRow> {
  for (let page = rows.files({ limit: PAGE, after: null }); page.length > 0;) {
    yield* page;
    page = rows.files({ limit: PAGE, after: page[page.length - 1] });
  }
}

/** Reads the object through and compares; undefined when all is well. */
function faultOf(
  objects: Objects,
  file: FileRow,
  onRead: (bytes: number) => void,
): ObjectFault | undefined {
  const reader = objects.open(file.storageKey);
  if (reader === undefined) return "missing";
  try {
    if (reader.size !== file.ciphertextSize) return "wrong_size";
    const hash = passingHash("sha256");
    while (hash.size < reader.size) {
      const piece = reader.read(hash.size, PIECE);
      if (piece.length === 0) return "wrong_size";
      hash.absorb(piece);
      onRead(piece.length);
    }
    return hash.digest().toHex() === file.sha256 ? undefined : "wrong_hash";
  } finally {
    reader.close();
  }
}

/** Puts an object that is no file's where it belongs in the report. */
function sort(rows: Rows, purged: Set<string>, object: ListedObject, report: CheckReport): void {
  const { key: storageKey, size } = object;
  const entry = { storageKey, size };
  if (object.temporary) report.temporaries.push(entry);
  else if (rows.fileByStorageKey(storageKey) !== undefined) return;
  else if (purged.has(storageKey)) report.purged.push(entry);
  else if (rows.uploadByStorageKey(storageKey)?.state === "reserved") report.uploads.push(entry);
  else report.orphans.push(entry);
}

/**
 * Checks every object of a vault that nobody else has open.
 *
 * @param onProgress called after each file with how many were looked at.
 */
export function checkVault(
  rows: Rows,
  objects: Objects,
  onProgress: (files: number) => void = () => {},
): CheckReport {
  const report: CheckReport = {
    sound: true,
    files: 0,
    bytesRead: 0,
    faults: [],
    orphans: [],
    uploads: [],
    purged: [],
    temporaries: [],
  };
  for (const file of allFiles(rows)) {
    const { id: fileId, storageKey } = file;
    try {
      const fault = faultOf(objects, file, (bytes) => report.bytesRead += bytes);
      if (fault !== undefined) report.faults.push({ fileId, storageKey, fault });
    } catch (error) {
      // One object on a failing disk must not keep the others from being looked at.
      const detail = error instanceof Error ? error.message : String(error);
      report.faults.push({ fileId, storageKey, fault: "unreadable", detail });
    }
    onProgress(++report.files);
  }
  const purged = new Set(rows.purgedObjects().map((row) => row.storageKey));
  for (const object of objects.list()) sort(rows, purged, object, report);
  report.sound = report.faults.length === 0;
  return report;
}
