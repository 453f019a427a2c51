// What a release takes from the sources: the version, the one time that everything in it carries,
// the pages that go along, and what stands against publishing it.

import { commitOf } from "../compile/commit.ts";
import type { Entry } from "./archive.ts";
import { type Notes, notesOf } from "./changelog.ts";
import { ReleaseFailure } from "./failure.ts";

/** Pages that go into every archive; the links in README lead to the others. */
const PAGES = ["CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md", "docs/tools.md"];

/** Zip archives know no earlier time. */
const EARLIEST = Date.UTC(1980, 0, 2);

export interface Source {
  version: string;
  /** SPDX id. */
  license: string;
  /** The time of the commit, or of `SOURCE_DATE_EPOCH` where that is set. */
  time: Date;
  notes: Notes;
  pages: Entry[];
  /** Why the result should not be published as it is. */
  doubts: string[];
}

/**
 * Reads the sources in a folder.
 *
 * @param folder the top of the sources, without a closing slash.
 * @param epoch `SOURCE_DATE_EPOCH`: seconds since 1970 in place of the commit's time
 * (https://reproducible-builds.org/specs/source-date-epoch).
 * @throws ReleaseFailure when something that a release needs is missing.
 */
export function readSource(folder: string, epoch?: string): Source {
  const { version, license } = JSON.parse(read(folder, "deno.json"));
  const notes = notesOf(read(folder, "CHANGELOG.md"), version);
  return {
    version,
    license,
    time: timeOf(folder, epoch),
    notes,
    pages: PAGES.map((path) => ({ path, bytes: new TextEncoder().encode(read(folder, path)) })),
    doubts: [
      ...(notes.date === undefined
        ? [`the heading of ${version} in CHANGELOG.md has no date yet`]
        : []),
      ...changedSince(folder),
    ],
  };
}

/** A text file with line feeds only, as it is in the repository. */
function read(folder: string, path: string): string {
  try {
    return Deno.readTextFileSync(`${folder}/${path}`).replaceAll("\r\n", "\n");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new ReleaseFailure(`${path} is missing in ${folder}`);
  }
}

function timeOf(folder: string, epoch: string | undefined): Date {
  const seconds = epoch ?? commitTime(folder);
  if (seconds === undefined) {
    throw new ReleaseFailure(
      `the time of the commit is not known, since git cannot tell it for ${folder}: set ` +
        "SOURCE_DATE_EPOCH to its seconds since 1970",
    );
  }
  const time = new Date(Number(seconds) * 1000);
  if (/^\d+$/.test(seconds) && time.getTime() >= EARLIEST) return time;
  throw new ReleaseFailure(
    `"${seconds}" is no time for a release: it takes seconds since 1970, in 1980 or later`,
  );
}

/** Seconds since 1970, or undefined where the folder is not the top of a git checkout. */
function commitTime(folder: string): string | undefined {
  if (commitOf(folder) === undefined) return undefined;
  const { stdout } = new Deno.Command("git", {
    args: ["--no-optional-locks", "-C", folder, "log", "-1", "--format=%ct"],
    stdin: "null",
    stderr: "null",
  }).outputSync();
  return new TextDecoder().decode(stdout).trim();
}

/** A doubt when files differ from the commit whose time the release carries. */
function changedSince(folder: string): string[] {
  const commit = commitOf(folder);
  if (commit === undefined) return ["git cannot tell whether these are the sources of a commit"];
  if (!commit.includes("modified")) return [];
  return ["the sources differ from the commit: commit, and make the release again"];
}
