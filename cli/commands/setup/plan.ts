// What is to be done to one file: the text that it should have, the change as a person is shown it, and
// all that the room needs to carry it out. It looks at the disk; nothing is written here.

import { type Disk, hashOf, quote, type Seen } from "../../../containment/mod.ts";
import { serversIn } from "../../clients/entry.ts";
import {
  type Config,
  type ParsedText,
  parseText,
  requireSameRest,
  type ServerCommand,
  withEntry,
  withoutEntry,
} from "../../clients/mod.ts";
import { encodeText, lineAt } from "../../clients/text.ts";
import { type SetUp, spliceBetween, undone, type Version } from "./journal.ts";
import { type Backup, backupFor, backupName, requireChangeable, TEMPORARY } from "./keeping.ts";

/** One file's part of a change, for the room that makes it. */
export interface Step {
  /** The file itself, with links followed. */
  file: string;
  /** A name beside it for the new bytes, until they take its place. */
  temporary: string;
  /** Names that only setup uses, where a killed process may have left something. */
  leftovers: string[];
  /** The file as it was read; absent when it is made new. */
  seen?: Seen;
  /** What it is to hold; absent when it is to be set aside. */
  bytes?: Uint8Array;
  /** The copy of the file as it is now that is made first. */
  backup?: Backup["copy"];
  /** Where a file that was made for our entry goes when the entry does. */
  aside?: string;
  /** What the journal is to know afterwards; absent when it is to forget the file. */
  setUp?: SetUp;
}

/** A file with what is to be done to it. */
export interface Plan {
  config: Config;
  action: "add" | "change" | "remove" | "none";
  /** The number of the first line that changes, and the lines that go and come. */
  line: number;
  gone: string[];
  come: string[];
  /** What else a person should know. */
  notes: string[];
  /** Absent when there is nothing to do. */
  step?: Step;
}

/** What planning needs to know of the world. */
export interface PlanPorts {
  disk: Disk;
  /** RFC 3339. */
  now: string;
  /** The user's numeric id, where the platform has one. */
  uid?: number;
}

/** The text before our entry came, as far as that can be known. */
interface Before {
  parsed: ParsedText;
  /** What was written when the file got what is taken out of it here. */
  version?: Version;
  /** Whether nobody else wrote to the file since. */
  untouched: boolean;
}

/**
 * Plans to put our entry in, or to bring it up to date.
 *
 * @throws ToolError when the file may not be changed.
 */
export function planEntry(
  config: Config,
  entry: ServerCommand,
  known: SetUp | undefined,
  { disk, now, uid }: PlanPorts,
): Plan {
  const { location: { client }, parsed, read, mark } = config;
  const after = withEntry(parsed, client, entry);
  if (after.text === parsed.text) return settled(config, "already set up");
  requireChangeable(config, disk, uid);
  // What is known of a file is worth nothing once somebody else took the entry out.
  const setUp = parsed.at === undefined ? undefined : known;
  const bytes = encodeText({ mark, text: after.text });
  const backup = read === undefined ? undefined : backupFor({ ...config, read }, setUp, disk);
  return {
    ...shownChange(config, parsed, after),
    config,
    action: parsed.at === undefined ? "add" : "change",
    notes: notesOn(config, backup),
    step: {
      ...stepFor(config, backup),
      bytes,
      backup: backup?.copy,
      setUp: {
        client: client.id,
        at: now,
        made: read === undefined || setUp?.made === true,
        ...(backup === undefined ? {} : { backup: backup.path }),
        versions: versionsOf(config, after, bytes, setUp),
      },
    },
  };
}

/** What has to be known to undo the writing of these bytes, and the one before it. */
function versionsOf(
  config: Config,
  after: ParsedText,
  bytes: Uint8Array,
  setUp: SetUp | undefined,
): Version[] {
  // An entry that nobody put here but the person is part of what an undoing has to bring back.
  const before = setUp === undefined ? undefined : beforeEntry(config, setUp);
  const base = before?.parsed ?? config.parsed;
  const splice = spliceBetween(base.text, after.text, after.at!);
  const version: Version = {
    sha256: hashOf(bytes),
    splice,
    lead: after.at! - splice.at,
    ownContainer: !base.hasContainer,
  };
  return before?.version === undefined ? [version] : [version, before.version];
}

/**
 * Plans to take our entry out: to what was there before it came, or, when the file was changed since, out
 * of what is there now.
 *
 * @throws ToolError when the file may not be changed.
 */
export function planRemoval(
  config: Config,
  known: SetUp | undefined,
  { disk, uid }: PlanPorts,
): Plan {
  const { location: { client }, parsed, read, mark, place } = config;
  if (parsed.at === undefined || read === undefined) return settled(config, "not set up");
  requireChangeable(config, disk, uid);
  const before: Before = known === undefined
    ? { parsed: withoutEntry(parsed, client, false), untouched: false }
    : beforeEntry(config, known);
  const plan = {
    ...shownChange(config, parsed, before.parsed),
    config,
    action: "remove" as const,
  };
  if (known?.made && before.untouched && before.parsed.text === "") {
    const aside = backupName(place, disk);
    const note = `the file was made for this entry and holds nothing else; it is set aside as ${
      quote(aside)
    }`;
    return { ...plan, notes: [note], step: { ...stepFor(config), aside } };
  }
  const backup = backupFor({ ...config, read }, known, disk);
  const notes = notesOn(config, backup);
  if (before.parsed.at !== undefined) notes.push("the entry that was there before comes back");
  const bytes = encodeText({ mark, text: before.parsed.text });
  return { ...plan, notes, step: { ...stepFor(config, backup), bytes, backup: backup.copy } };
}

function settled(config: Config, why: string): Plan {
  return { config, action: "none", line: 0, gone: [], come: [], notes: [why] };
}

function stepFor({ file, read }: Config, backup?: Backup): Step {
  const temporary = file + TEMPORARY;
  const leftovers = backup === undefined ? [temporary] : [temporary, backup.path + TEMPORARY];
  return { file, temporary, leftovers, seen: read?.seen };
}

/** The text without what we brought: exactly, where the file is as we wrote it or where that part is. */
function beforeEntry({ location: { client }, parsed, read }: Config, known: SetUp): Before {
  const same = known.versions.find(({ sha256 }) => sha256 === read?.seen.sha256);
  for (const version of same === undefined ? known.versions : [same]) {
    const at = version === same ? version.splice.at : parsed.at! - version.lead;
    const text = undone(parsed.text, version.splice, at);
    if (text === undefined) continue;
    const before = parseText(text, client);
    requireSameRest(parsed, before, client);
    return { parsed: before, version, untouched: version === same };
  }
  const ownContainer = known.versions[0]?.ownContainer ?? false;
  return { parsed: withoutEntry(parsed, client, ownContainer), untouched: false };
}

/** The lines that differ between our entry in one text and in the other, and nothing of anybody else. */
function shownChange(
  { location: { client } }: Config,
  before: ParsedText,
  after: ParsedText,
): Pick<Plan, "line" | "gone" | "come"> {
  const whole = (serversIn(before, client) === undefined) !==
    (serversIn(after, client) === undefined);
  const [old, now] = [before.shown(whole), after.shown(whole)];
  const most = Math.min(old.lines.length, now.lines.length);
  let first = 0;
  while (first < most && old.lines[first] === now.lines[first]) first++;
  let last = 0;
  while (last < most - first && old.lines.at(-1 - last) === now.lines.at(-1 - last)) last++;
  const line = old.lines.length > 0 ? lineAt(before.text, old.at) : lineAt(after.text, now.at);
  return {
    line: line + first,
    gone: old.lines.slice(first, old.lines.length - last),
    come: now.lines.slice(first, now.lines.length - last),
  };
}

function notesOn({ place, file, read, parsed }: Config, backup?: Backup): string[] {
  const notes: string[] = [];
  if (file !== place) {
    notes.push(`it is a link; the file that it leads to is changed, ${quote(file)}`);
  }
  if ((read?.info.nlink ?? 1) > 1) {
    notes.push("the file has other names (hard links), which keep the old content");
  }
  for (const name of parsed.doubled) {
    notes.push(`the server ${quote(name)} stands there twice; most clients take the last one`);
  }
  if (backup?.copy !== undefined) {
    notes.push(`the file as it is now is kept as ${quote(backup.path)}`);
  }
  return notes;
}
