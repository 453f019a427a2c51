// Whole runs with every system call written down by strace, where that is installed and allowed.

import { dirname } from "node:path";
import { placesOf } from "../../cli/places.ts";
import { catalogue } from "../../tools/catalogue.ts";
import { roomKinds } from "../../tools/session.ts";
import { type Check, expect, expectEqual, Skipped } from "./check.ts";
import { Session } from "./session.ts";
import type { Json, Subject } from "./subject.ts";
import { pathsOf, type SystemCall, systemCalls, TRACED, violations } from "./system_calls.ts";
import { expectEnded } from "./tree.ts";

/** A folder to grant, what lies beside it, and the subject whose calls are written down. */
interface Traced {
  /** Holds two copies, `a.txt` and `sub/b.txt`, and links to `outside` and a file in it. */
  root: string;
  outside: string;
  /** An empty folder to start from. */
  cwd: string;
  subject: Subject;
  /** The calls so far. */
  calls(): SystemCall[];
}

const COPY = "the same content in two files";

export const traced: Check[] = [
  reads("list", ["list"]),
  reads("dupes", ["dupes"]),
  writes("move", async ({ subject, root, cwd }) => {
    const words = ["move", `${root}/a.txt`, `${root}/sub/`, "--root", root, "--yes"];
    expectEnded(await subject.run(words, cwd));
    expectEqual("moved", Deno.readTextFileSync(`${root}/sub/a.txt`), COPY);
  }),
  writes("trash", async ({ subject, root, cwd }) => {
    const words = ["trash", `${root}/a.txt`, `${root}/out`, "--root", root, "--yes"];
    expectEnded(await subject.run(words, cwd));
    expectGone(`${root}/a.txt`);
  }),
  writes("mcp without a vault, with changes that were shown and confirmed,", async (run) => {
    const { root } = run;
    const subject = run.subject.with({ SHIELDFIVE_GRANT: "none" });
    await using session = new Session(subject, [root]);
    await session.open();
    await session.call("find_duplicates", {});
    await session.change("trash_local", { paths: [`${root}/a.txt`] });
    expectGone(`${root}/a.txt`);
    await session.change("restore_local", { paths: [`${root}/a.txt`] });
    expectEqual("restored", Deno.readTextFileSync(`${root}/a.txt`), COPY);
    await session.end();
  }),
  {
    name: "the rooms of doctor try to get out, and no try of theirs reaches the system",
    run: async (subject) => await triesWalls(await prepare(subject)),
  },
];

function reads(name: string, words: string[]): Check {
  return {
    name: `${name} changes nothing at all, opens nothing outside, no socket, no program`,
    async run(subject) {
      const run = await prepare(subject);
      expectEnded(await run.subject.run([...words, "--root", run.root], run.cwd));
      return expectWithin(run, []);
    },
  };
}

function writes(name: string, body: (run: Traced) => Promise<void>): Check {
  return {
    name: `${name} changes nothing but in the folder, opens nothing outside, no socket, no program`,
    async run(subject) {
      const run = await prepare(subject);
      await body(run);
      return expectWithin(run, [run.root]);
    },
  };
}

async function prepare(subject: Subject): Promise<Traced> {
  const folder = subject.folder();
  const [root, outside, cwd] = ["root", "outside", "cwd"].map((name) => `${folder}/${name}`);
  for (const path of [root, `${root}/sub`, outside, cwd]) Deno.mkdirSync(path);
  Deno.writeTextFileSync(`${root}/a.txt`, COPY);
  Deno.writeTextFileSync(`${root}/sub/b.txt`, COPY);
  Deno.writeTextFileSync(`${outside}/secret.txt`, COPY);
  Deno.symlinkSync(outside, `${root}/out`);
  Deno.symlinkSync(`${outside}/secret.txt`, `${root}/out.txt`);
  const log = `${folder}/log`;
  const calls = () => systemCalls(Deno.readTextFileSync(log));
  return { root, outside, cwd, subject: subject.under(await tracerTo(log)), calls };
}

/**
 * The words that start a program with its calls written to a file.
 *
 * @throws Skipped where that is impossible.
 */
async function tracerTo(log: string): Promise<string[]> {
  if (Deno.build.os !== "linux") throw new Skipped("strace is for Linux");
  const options = ["-f", "--seccomp-bpf", "-y", "-qq", "-e", "signal=none"];
  const words = [...options, "-e", `trace=${TRACED}`, "-o", log, "--"];
  try {
    const tried = new Deno.Command("strace", { args: [...words, "true"] });
    const { success, stderr } = await tried.output();
    if (!success) throw new Skipped(new TextDecoder().decode(stderr).split("\n")[0]);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new Skipped("there is no strace here");
  }
  return ["strace", ...words];
}

/** @throws Unexpected when the calls of the run show something that it may not do. */
function expectWithin({ subject, root, outside, cwd, calls }: Traced, granted: string[]): string {
  const own = Object.values(placesOf(subject.environment, subject.home) ?? {});
  const made = calls();
  const limits = { cwd, root, writable: [...granted, ...own], closed: [outside] };
  expectEqual("forbidden calls", violations(made, limits), []);
  const paths = made.flatMap((call) => pathsOf(call, cwd));
  expect(paths.includes(root), `calls about ${root}`, paths);
  return `${made.length} system calls`;
}

/**
 * Every room renames a name that nothing has, in the folder and outside of it. What a room says was
 * refused must not be among the calls: then the runtime refused it, and not the room's own code.
 */
async function triesWalls({ subject, root, cwd, calls }: Traced): Promise<string> {
  const { output, ...ended } = await subject.json(["doctor", "--root", root], cwd);
  expectEnded(ended);
  const rooms: Json[] = output.sections.flatMap(({ findings }: Json) => findings)
    .map(({ data }: Json) => data)
    // The ones that work in the folder; those of `serve` have an address and a folder of their own.
    .filter((data: Json) => data?.trials !== undefined && LOCAL_ROOMS.includes(data.kind));
  const renamed = calls().filter(({ name }) => name.startsWith("rename"))
    .map((call) => pathsOf(call, cwd)[0]);
  for (const folder of [root, dirname(root)]) {
    const tries = rooms.flatMap(({ kind, trials }) =>
      trials.filter(({ what, folder: at }: Json) => what === "write" && at === folder)
        .map(({ allowed }: Json) => ({ kind, allowed }))
    );
    expectEqual(`rooms that tried ${folder}`, tries.length, rooms.length);
    const may = tries.filter(({ allowed }) => allowed).map(({ kind }) => kind);
    expectEqual(`rooms that may change ${folder}`, may, changing(folder === root));
    const made = renamed.filter((path) => path.startsWith(`${folder}/.shieldfive-probe-`));
    expect(made.length === may.length, `${may.length} tries in ${folder} to be made`, made);
  }
  return `${rooms.length} rooms`;
}

/** The rooms of the tools that are tried here. */
const LOCAL_ROOMS: readonly string[] = roomKinds(catalogue.filter(({ set }) => set === "local"));

/** The rooms that may change something; making links takes the right to do it anywhere. */
function changing(inside: boolean): string[] {
  return inside ? ["disk-write", "link"] : ["link"];
}

function expectGone(path: string): void {
  const names = [...Deno.readDirSync(dirname(path))].map(({ name }) => `${dirname(path)}/${name}`);
  expect(!names.includes(path), `no ${path}`, names);
}
