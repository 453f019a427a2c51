// Looking at the assistants on this machine: which of them are here, and what their files say about us.
// Nothing is changed, and a file that cannot be read in full is reported and left alone.

import {
  asToolError,
  type Disk,
  errnoOf,
  type FileRead,
  isMissing,
  lookAt,
  nativeRules,
  quote,
  readWhole,
  ToolError,
} from "../../containment/mod.ts";
import { parseText } from "./document.ts";
import type { ParsedText } from "./entry.ts";
import type { Location } from "./locations.ts";
import { decodeText } from "./text.ts";

/** A larger configuration is not read: the largest known ones have a few megabytes. */
const LIMIT = 64 << 20;

/** A client's file as it is now. */
export interface Config {
  location: Location;
  /** The file itself, where the location is a link to it: a path without links. */
  file: string;
  /** The location without links in the folders that lead there. */
  place: string;
  /** Absent when there is no file yet. */
  read?: FileRead;
  /** Whether the file begins with a byte order mark. */
  mark: boolean;
  parsed: ParsedText;
}

/** Whether the client is on this machine: its file is there, or the folder that it makes for itself. */
export function isHere({ file, sign }: Location, disk: Disk): boolean {
  return mayBe(disk, file) || mayBe(disk, sign);
}

function mayBe(disk: Disk, path: string): boolean {
  try {
    return lookAt(disk, path) !== undefined;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return true; // it is there, but may not be looked at
  }
}

/**
 * Reads and parses a client's file; one that is not there counts as an empty one.
 *
 * @throws ToolError that says why it cannot be worked with.
 */
export function readConfig(location: Location, disk: Disk): Config {
  const { client } = location;
  const { place, file } = theFileItself(location.file, disk);
  if (file === undefined) {
    return { location, place, file: place, mark: false, parsed: parseText("", client) };
  }
  let read: FileRead;
  try {
    read = readWhole(disk, file, LIMIT);
  } catch (error) {
    throw asToolError(error, "reading", file);
  }
  const { mark, text } = decodeText(read.bytes);
  return { location, place, file, read, mark, parsed: parseText(text, client) };
}

/** The place with the links in its folders followed, and the file that is there, if one is. */
function theFileItself(path: string, disk: Disk): { place: string; file?: string } {
  const { basename, dirname, join } = nativeRules;
  try {
    if (lookAt(disk, dirname(path)) === undefined) return { place: path };
    const place = join(disk.realPath(dirname(path)), basename(path));
    if (lookAt(disk, place) === undefined) return { place };
    return { place, file: disk.realPath(place) };
  } catch (error) {
    if (isMissing(error)) {
      throw new ToolError("not_a_file", `${quote(path)} leads by way of a link to nothing`);
    }
    throw asToolError(error, "looking", path);
  }
}
