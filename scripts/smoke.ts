// `deno task smoke [PATH]`: tries whatever executable was built, as somebody would who was handed the
// file. One line for each check; the last line counts them, and the exit code is 1 when one failed. All
// that is planted, and all that the executable may take for the user's own, lies in a temporary folder
// that is removed at the end.

import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { errnoOf } from "../containment/mod.ts";
import { type Area, type Check, expectEqual, Skipped, Unexpected } from "./smoke/check.ts";
import { changes } from "./smoke/changes.ts";
import { help } from "./smoke/help.ts";
import { local } from "./smoke/local.ts";
import { mcp } from "./smoke/mcp.ts";
import { serve } from "./smoke/serve.ts";
import { startup } from "./smoke/startup.ts";
import { Subject } from "./smoke/subject.ts";
import { vault } from "./smoke/vault.ts";
import { walls } from "./smoke/walls.ts";

const PROJECT = resolve(fileURLToPath(new URL("..", import.meta.url)));

/** What is tried, in this order. A new part of the program adds its area. */
export const AREAS: readonly Area[] = [help, local, changes, mcp, serve, vault, walls, startup];

/** Checks that run at the same time: each works in folders of its own. */
const AT_ONCE = 2;

/** Comes first: without it nothing else need be tried, and what a first run makes is there for the rest. */
const STARTS: Check = {
  name: "the executable starts",
  async run(subject) {
    const { code, stderr } = await subject.run(["--version"]);
    expectEqual("exit code and stderr", [code, stderr], [0, ""]);
  },
};

/** How many checks passed and how many failed; the ones that could not be tried are in neither. */
export interface Tally {
  passed: number;
  failed: number;
}

/**
 * Tries an executable.
 *
 * @param executable its absolute path.
 * @param say prints a line.
 */
export async function smoke(
  executable: string,
  areas: readonly Area[],
  say: (line: string) => void,
): Promise<Tally> {
  const work = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "shieldfive-smoke-" }));
  const tally = { passed: 0, failed: 0 };
  try {
    const subject = new Subject(executable, work);
    say(await attempt("start", STARTS, subject, tally));
    if (tally.failed > 0) return tally;
    for (const { name, checks, alone } of areas) {
      const run = (check: Check) => attempt(name, check, subject, tally);
      for (const line of sideBySide(checks, alone ? 1 : AT_ONCE, run)) say(await line);
    }
    return tally;
  } finally {
    Deno.removeSync(work, { recursive: true });
  }
}

/** The results of all items in their order, so many of them being worked on at a time. */
function sideBySide<T, R>(items: T[], atOnce: number, work: (item: T) => Promise<R>): Promise<R>[] {
  const results: Promise<R>[] = [];
  for (const item of items) {
    const before = results.at(-atOnce);
    results.push(before === undefined ? work(item) : before.then(() => work(item)));
  }
  return results;
}

/** Runs a check, counts it, and gives its line. */
async function attempt(
  area: string,
  check: Check,
  subject: Subject,
  tally: Tally,
): Promise<string> {
  const line = (result: string, note?: string | void) =>
    `${result.padEnd(8)}${area}: ${check.name}${note ? `: ${note}` : ""}`;
  try {
    const note = await check.run(subject);
    tally.passed++;
    return line("ok", note);
  } catch (error) {
    if (error instanceof Skipped) return line("skipped", error.message);
    tally.failed++;
    // Any other error comes from looking into an answer that is not of the expected form.
    return line("FAILED", error instanceof Unexpected ? error.message : String(error));
  }
}

/** Where a path that was typed starts: a task runs in the project's folder, wherever it is called from. */
function startingFolder(): string {
  const called = Deno.env.get("INIT_CWD");
  return called !== undefined && Deno.cwd() === PROJECT ? called : Deno.cwd();
}

/** The executable that was asked for, or what is wrong with it in one sentence. */
function executableAt(typed: string | undefined): { path: string } | { problem: string } {
  const path = typed === undefined
    ? resolve(PROJECT, "dist", Deno.build.os === "windows" ? "shieldfive.exe" : "shieldfive")
    : resolve(startingFolder(), typed);
  try {
    const { isFile, mode } = Deno.statSync(path);
    if (!isFile) return { problem: `${path} is not a file` };
    if (mode !== null && (mode & 0o111) === 0) return { problem: `${path} is not executable` };
    return { path };
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    if (errno !== "ENOENT") return { problem: `${path} cannot be looked at (${errno})` };
    const build = typed === undefined ? "; `deno task compile` makes it" : "";
    return { problem: `there is no file ${path}${build}` };
  }
}

async function main(args: string[]): Promise<number> {
  if (args.length > 1) {
    console.error("smoke: name one executable, or none for the one in dist");
    return 2;
  }
  const found = executableAt(args[0]);
  if ("problem" in found) {
    console.error(`smoke: ${found.problem}`);
    return 2;
  }
  const { passed, failed } = await smoke(found.path, AREAS, console.log);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
