// What `setup` remembers of the files that it changed, in the state folder: how each text was before our
// entry came, so that taking the entry out again gives the very same bytes. It holds no more of a file
// than the characters that were changed in it.

import {
  type Disk,
  lookAt,
  quote,
  readWhole,
  type Seen,
  ToolError,
} from "../../../containment/mod.ts";

export const JOURNAL_NAME = "setup-journal.json";

/** Characters of a text that were replaced by others. */
export interface Splice {
  /** In UTF-16 units, the byte order mark not counted. */
  at: number;
  removed: string;
  inserted: string;
}

/** A text with our entry, as it was written. */
export interface Version {
  /** SHA-256 of the file with the entry, lower-case hex. */
  sha256: string;
  /** From the text without the entry to the text with it. */
  splice: Splice;
  /** Where the entry begins, counted from the place of the splice; 0 or more. */
  lead: number;
  /** Whether the object that holds the servers was made for the entry. */
  ownContainer: boolean;
}

/** One file in which our entry is. */
export interface SetUp {
  client: string;
  /** Time of the last change, RFC 3339. */
  at: string;
  /** Whether the file itself was made for the entry. */
  made: boolean;
  /** The file as it was before, where there was one. */
  backup?: string;
  /** The newest first. The one before it counts while the newest was noted but not written. */
  versions: Version[];
}

/** The journal as it was read. What this version does not know in it is kept. */
export interface Journal {
  value: Record<string, unknown>;
  /** Absent when there is no journal yet. */
  seen?: Seen;
}

/** A larger journal is not read: a thousand files fit in less. */
const LIMIT = 16 << 20;

/** @throws ToolError `journal_invalid`; system errors as they are. */
export function readJournal(disk: Disk, path: string): Journal {
  if (lookAt(disk, path) === undefined) return { value: { format: 1, files: {} } };
  const { bytes, seen } = readWhole(disk, path, LIMIT);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw invalid(path, error);
  }
  if (!isObject(value) || value.format !== 1 || !isObject(value.files)) throw invalid(path);
  if (!Object.values(value.files).every(isSetUp)) throw invalid(path);
  return { value, seen };
}

function invalid(path: string, cause?: unknown): ToolError {
  return new ToolError(
    "journal_invalid",
    `${quote(path)} is not a record that this version can read; move it away to go on without it`,
    { cause },
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSetUp(value: unknown): boolean {
  if (!isObject(value) || typeof value.client !== "string") return false;
  if (typeof value.made !== "boolean" || !Array.isArray(value.versions)) return false;
  if (value.backup !== undefined && typeof value.backup !== "string") return false;
  return value.versions.every(isVersion);
}

function isVersion(value: unknown): boolean {
  if (!isObject(value) || !isObject(value.splice)) return false;
  const { at, removed, inserted } = value.splice;
  const isOffset = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
  return typeof value.sha256 === "string" && isOffset(value.lead) && isOffset(at) &&
    typeof removed === "string" && typeof inserted === "string";
}

/** What is known of a file; undefined when our entry was never put into it. */
export function setUpOf({ value }: Journal, file: string): SetUp | undefined {
  const files = value.files as Record<string, SetUp>;
  return Object.hasOwn(files, file) ? files[file] : undefined;
}

/** The bytes of a journal in which this is what is known of a file. */
export function journalWith({ value }: Journal, file: string, setUp?: SetUp): Uint8Array {
  const { [file]: _before, ...others } = value.files as Record<string, SetUp>;
  const files = setUp === undefined ? others : { ...others, [file]: setUp };
  return new TextEncoder().encode(JSON.stringify({ ...value, files }, null, 2) + "\n");
}

/** The smallest splice from one text to another that begins at `latest` or before. */
export function spliceBetween(before: string, after: string, latest: number): Splice {
  const most = Math.min(before.length, after.length);
  let at = 0;
  while (at < Math.min(most, latest) && before[at] === after[at]) at++;
  let same = 0;
  while (same < most - at && before.at(-1 - same) === after.at(-1 - same)) same++;
  return {
    at,
    removed: before.slice(at, before.length - same),
    inserted: after.slice(at, after.length - same),
  };
}

/** The text before a splice that begins at this place of the text; undefined when it is not there. */
export function undone(
  text: string,
  { removed, inserted }: Splice,
  at: number,
): string | undefined {
  if (at < 0 || !text.startsWith(inserted, at)) return undefined;
  return text.slice(0, at) + removed + text.slice(at + inserted.length);
}
