// A setup that is ended at any of its calls, or at which one of them fails: the file is the old one or the
// new one, and what is left behind can be undone to the last byte.

import assert from "node:assert/strict";
import { type Disk, realDisk } from "../../containment/mod.ts";
import { inTempDir } from "../support.ts";
import { systemError } from "../tools/changing.ts";
import { benchIn, clientCalled, ENTRY, runOn } from "./clients.ts";

const TEXT = '{\n  // mine\n  "mcpServers": {},\n  "a": 1\n}';
const OTHER = { ...ENTRY, args: ["mcp", "/elsewhere"] };

/** The real disk without waiting for it. */
const HASTY: Disk = { ...realDisk, sync: () => {}, syncDir: () => {} };

class Killed extends Error {}

/** A disk whose call of one number fails; after a kill no call does anything, as nobody is there. */
function failingAt(last: number, how: "kill" | "EIO"): { disk: Disk; reached(): boolean } {
  let calls = 0;
  const disk = Object.entries(HASTY).map(([name, call]) => [name, (...args: unknown[]) => {
    calls++;
    if (how === "kill" && calls >= last) throw new Killed();
    if (how === "EIO" && calls === last) throw systemError("EIO");
    return (call as (...args: unknown[]) => unknown)(...args);
  }]);
  return { disk: Object.fromEntries(disk), reached: () => calls >= last };
}

function textOf(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return undefined;
  }
}

const SCENES: Record<string, { start?: string; first?: typeof ENTRY; then?: typeof ENTRY }> = {
  "putting in": { start: TEXT, then: ENTRY },
  "bringing up to date": { start: TEXT, first: ENTRY, then: OTHER },
  "taking out": { start: TEXT, first: ENTRY },
  "making a file": { then: ENTRY },
  "bringing a made file up to date": { first: ENTRY, then: OTHER },
  "setting a made file aside": { first: ENTRY },
};

for (const how of ["kill", "EIO"] as const) {
  const title = how === "kill" ? "ended at any call" : "in which any call fails";
  Deno.test(`a setup ${title} leaves the old file or the new one, and can be undone`, () =>
    inTempDir((dir) => {
      const ended = { old: 0, new: 0 };
      for (const [what, { start, first, then }] of Object.entries(SCENES)) {
        const states = statesOf(dir, what, start, first, then);
        for (let at = 1, reached = true; reached; at++) {
          const bench = benchIn(`${dir}/${what} ${at}`, clientCalled("cursor"));
          const { file } = bench.location;
          if (start !== undefined) Deno.writeTextFileSync(file, start);
          if (first !== undefined) runOn(bench, first, HASTY);
          const broken = failingAt(at, how);
          try {
            runOn(bench, then, broken.disk);
          } catch (error) {
            const expected = error instanceof Killed ||
              (error as { code?: string }).code === "EIO" ||
              /journal|EIO/.test(String(error));
            assert.ok(expected, `${what} ${at}: ${error}`);
          }
          reached = broken.reached();
          const now = textOf(file);
          assert.ok(states.includes(now), `${what}, call ${at}: ${now}`);
          ended[now === states[0] ? "old" : "new"]++;
          if (start !== undefined && (first ?? then) !== undefined && now !== start) {
            assert.equal(textOf(`${file}.shieldfive-backup`), start, "the backup comes first");
          }
          // The next run, whatever it is, finds its way back to the beginning.
          if (at % 2 === 0) runOn(bench, OTHER, HASTY);
          runOn(bench, undefined, HASTY);
          assert.equal(textOf(file), start, `${what}, undone after call ${at}`);
          const left = [...Deno.readDirSync(`${dir}/${what} ${at}`)].map(({ name }) => name)
            .filter((name) => name.endsWith(".shieldfive-new"));
          if (at % 2 === 0) assert.deepEqual(left, [], "leftovers are taken away by the next run");
        }
      }
      assert.ok(ended.old > 40 && ended.new > 30, JSON.stringify(ended));
    }));
}

/** What the file may hold while one is made of the other: before, and after. */
function statesOf(
  dir: string,
  what: string,
  start: string | undefined,
  first: typeof ENTRY | undefined,
  then: typeof ENTRY | undefined,
): (string | undefined)[] {
  const bench = benchIn(`${dir}/${what} whole`, clientCalled("cursor"));
  const { file } = bench.location;
  if (start !== undefined) Deno.writeTextFileSync(file, start);
  if (first !== undefined) runOn(bench, first, HASTY);
  const before = textOf(file);
  runOn(bench, then, HASTY);
  return [before, textOf(file)];
}
