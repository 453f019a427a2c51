// `trash --report FILE`: the extra copies that `dupes --json` found, each with the content that it
// must still have and the copy that must still be there. A report that is not exactly such a report
// is refused; nothing in it is guessed at.

import { errnoOf, isInside, nativeRules, quote, ToolError } from "../../containment/mod.ts";
import type { Environment } from "../environment.ts";
import { absolute, givenReach, openNamed, type RootSource } from "../roots.ts";
import type { Call } from "./call.ts";

/** Bytes of a report that are read at most. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Paths in one call (local-tools spec, 0.2). */
const MAX_PATHS = 1000;

interface Expectation {
  path: string;
  sha256: string;
  size: number;
  keep: string;
}

/** The call that trashes the copies of a report. */
export function reportedCopies(
  file: string,
  input: Record<string, unknown>,
  source: RootSource,
): Call {
  const report = parseReport(readReport(file, source.environment), file);
  const expect = report.copies;
  if (expect.length === 0) {
    throw new ToolError("invalid_path", `the report ${quote(file)} lists no copies to trash`);
  }
  if (expect.length > MAX_PATHS) {
    throw new ToolError(
      "invalid_argument",
      `the report ${quote(file)} lists ${expect.length} copies, and one call takes ${MAX_PATHS}: ` +
        "look for duplicates in one folder at a time, or use --limit to list fewer groups",
    );
  }
  const reach = givenReach(source) ?? openNamed(report.scanned);
  const omitted = report.omitted === 0
    ? []
    : [`the report leaves out ${report.omitted} copies or groups; they stay where they are`];
  return {
    input: { ...input, paths: expect.map(({ path }) => path), expect },
    reach: { ...reach, notices: [...reach.notices, ...omitted] },
  };
}

function readReport(file: string, environment: Environment): Uint8Array {
  try {
    if (file === "-") return environment.stdin.readAll(MAX_BYTES);
    return Deno.readFileSync(absolute(file, environment));
  } catch (error) {
    const errno = errnoOf(error);
    if (error instanceof RangeError) {
      throw new ToolError("invalid_argument", `the report has ${error.message}`);
    }
    if (errno === undefined) throw error;
    throw new ToolError("unreadable", `the report ${quote(file)} cannot be read (${errno})`);
  }
}

interface Report {
  scanned: string[];
  copies: Expectation[];
  /** Copies and groups that the report counts without listing them. */
  omitted: number;
}

/** @throws ToolError `invalid_argument` that names the place in the report. */
export function parseReport(bytes: Uint8Array, name: string): Report {
  const bad = (why: string) =>
    new ToolError(
      "invalid_argument",
      `${quote(name)} is no report of \`shieldfive dupes --json\`: ${why}`,
    );
  let data: unknown;
  try {
    data = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw bad(bytes.length === 0 ? "it is empty" : "it is not JSON");
  }
  const read = new Reader(bad);
  const report = read.object(data, "the report");
  if (report.error !== undefined) throw bad("it tells of a failure");
  const scanned = read.list(report.scanned, "scanned").map((p, i) => read.path(p, `scanned[${i}]`));
  if (scanned.length === 0) throw bad("scanned is empty");
  const copies: Expectation[] = [];
  let omitted = read.count(report.omitted_by_limit, "omitted_by_limit");
  for (const [i, value] of read.list(report.groups, "groups").entries()) {
    const at = `groups[${i}]`;
    const group = read.object(value, at);
    const sha256 = read.digest(group.sha256, `${at}.sha256`);
    const size = read.count(group.size, `${at}.size`);
    const oldest = read.object(group.oldest_copy, `${at}.oldest_copy`);
    const keep = read.path(oldest.path, `${at}.oldest_copy.path`);
    omitted += read.count(group.other_copies_omitted ?? 0, `${at}.other_copies_omitted`);
    for (const [j, other] of read.list(group.other_copies, `${at}.other_copies`).entries()) {
      const copy = `${at}.other_copies[${j}]`;
      const path = read.path(read.object(other, copy).path, `${copy}.path`);
      // All empty files are equal, and many are there for their name alone.
      if (size === 0) omitted++;
      else copies.push({ path, sha256, size, keep });
    }
  }
  for (const { path, keep } of copies) {
    const stray = [path, keep].find((each) => !scanned.some((folder) => isInside(each, folder)));
    if (stray !== undefined) throw bad(`${quote(stray)} is in none of the folders scanned`);
  }
  return { scanned, copies, omitted };
}

/** Takes a report apart, refusing whatever is not what it should be. */
class Reader {
  readonly #bad: (why: string) => ToolError;

  constructor(bad: (why: string) => ToolError) {
    this.#bad = bad;
  }

  object(value: unknown, at: string): Record<string, unknown> {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
    throw this.#bad(`${at} is not an object`);
  }

  list(value: unknown, at: string): unknown[] {
    if (Array.isArray(value)) return value;
    throw this.#bad(`${at} is not a list`);
  }

  count(value: unknown, at: string): number {
    if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
    throw this.#bad(`${at} is not a count`);
  }

  digest(value: unknown, at: string): string {
    if (typeof value === "string" && /^[0-9a-f]{64}$/.test(value)) return value;
    throw this.#bad(`${at} is not a SHA-256`);
  }

  /** An absolute path in its plain form: no `..`, which could lead out of what was scanned. */
  path(value: unknown, at: string): string {
    if (typeof value === "string" && nativeRules.isAbsolute(value) && !value.includes("\0")) {
      if (nativeRules.resolve(value) === value) return value;
    }
    throw this.#bad(`${at} is not a plain absolute path`);
  }
}
