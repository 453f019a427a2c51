import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import process from "node:process";
import { CancelFlag, openRoots, type Progress, SharedFlag } from "../../containment/mod.ts";
import type { CallOptions } from "../../containment/rooms/host.ts";
import { duplicates } from "../../tools/local/duplicates.ts";
import type { Job } from "../../tools/local/duplicates/share.ts";
import { Session } from "../../tools/session.ts";
import { letDie } from "../dying.ts";
import { inTempDir, plant, testAlone } from "../support.ts";
import { bytes, find, flipped, pathsOf, type Result } from "./finding.ts";

const GIB = 2 ** 30;

/** The arguments as a checked call has them, with the terminal's budget. */
const WHOLE = {
  include_hidden: false,
  max_files: 1_000_000,
  limit: 10_000,
  skip_dirs: "default",
  include_bundles: false,
  one_volume: false,
  min_bytes: 1,
  max_files_hashed: 1_000_000,
  keep: "oldest",
  include_cloud_only: false,
};

/**
 * Runs the body with a session whose two reading rooms share their work, and gives what they logged,
 * which is nothing when all is well.
 */
async function withRooms(
  dir: string,
  body: (call: (options?: CallOptions, over?: object) => Promise<Result>) => Promise<void>,
  log: string[] = [],
): Promise<string[]> {
  const session = new Session({
    roots: openRoots([dir]).roots,
    version: "0",
    protectedPaths: [],
    log: (line) => log.push(line),
  });
  session.open([duplicates], 2);
  try {
    await session.ready();
    await body((options, over) =>
      session.read(duplicates, { ...WHOLE, ...over }, options) as Promise<Result>
    );
  } finally {
    session.close();
  }
  return log;
}

/** A tree that is large enough for both rooms: small and large files, copies and near copies. */
function plantMany(dir: string): void {
  for (let i = 0; i < 2600; i++) {
    const content = i % 900;
    plant(dir, { [`d${i % 9}/s${i}`]: bytes(200 + content % 13, 1 + content) });
  }
  for (let i = 0; i < 60; i++) {
    const large = bytes(150_000 + i % 3, 1 + i % 8);
    plant(dir, { [`l/${i}`]: i % 5 === 0 ? flipped(large, 75_000) : large });
  }
  for (let i = 0; i < 20; i++) Deno.linkSync(`${dir}/l/${i}`, `${dir}/l/link-${i}`);
}

/** A file of this size that occupies next to nothing, with these bytes at its end. */
function plantSparse(path: string, size: number, end: Uint8Array): void {
  const file = Deno.openSync(path, { write: true, create: true });
  file.seekSync(size - end.length, Deno.SeekMode.Start);
  file.writeSync(end);
  file.close();
}

Deno.test("two rooms find exactly what one finds", () =>
  inTempDir(async (dir) => {
    plantMany(dir);
    const alone = find(dir, WHOLE);
    ok(alone.duplicate_groups > 900);
    const log = await withRooms(dir, async (call) => {
      const shared = await call();
      deepEqual(shared.groups, alone.groups);
      deepEqual(
        [shared.hash_reads, shared.bytes_hashed, shared.reclaimable_bytes, shared.complete],
        [alone.hash_reads, alone.bytes_hashed, alone.reclaimable_bytes, true],
      );
      // A budget that can run out gives no look to a file that the order of worth does not.
      const tight = { max_files_hashed: 900 };
      const [one, two] = [find(dir, { ...WHOLE, ...tight }), await call({}, tight)];
      deepEqual(two.groups, one.groups);
      deepEqual(two.hash_reads, one.hash_reads);
      ok(two.hash_reads <= 900);
    });
    deepEqual(log, []);
  }));

// A look opens files, asking again looks at names only, and comparing alone asks an open file.
for (const [operation, after] of [["open", 100], ["lstat", 300], ["stat", 200]] as const) {
  Deno.test(`a second room that is lost while it calls ${operation} is done without`, () =>
    inTempDir(async (dir) => {
      plantMany(dir);
      for (let i = 0; i < 1500; i++) plant(dir, { [`alone/${i}`]: `no other: ${1000 + i}` });
      const alone = find(dir, WHOLE);
      using _ = letDie({ kind: "disk-read", nth: 1, operation, after });
      const log: string[] = [];
      await withRooms(dir, async (call) => {
        // How much a second room gets to do is a matter of luck, so it gets many chances to die.
        let searches = 0;
        for (; log.length === 0 && searches < 50; searches++) {
          deepEqual((await call()).groups, alone.groups);
        }
        deepEqual(log, ["the disk-read room stopped: its thread ended"]);
        deepEqual((await call()).groups, alone.groups);
      }, log);
      equal(log.length, 1);
    }));
}

Deno.test("a search whose own room is lost fails, and the next one runs in the room that is left", () =>
  inTempDir(async (dir) => {
    plantMany(dir);
    const alone = find(dir, WHOLE);
    using _ = letDie({ kind: "disk-read", operation: "open", after: 100 });
    const log = await withRooms(dir, async (call) => {
      await rejects(call(), {
        code: "internal",
        message: "the disk-read room stopped before it had finished find_duplicates",
      });
      deepEqual((await call()).groups, alone.groups);
    });
    deepEqual(log, ["the disk-read room stopped: its thread ended"]);
  }));

/** What a search hands over to a second room that never gets to it. */
async function handedOver(dir: string, args: object): Promise<{ result: Result; jobs: Job[] }> {
  const { port1, port2 } = new MessageChannel();
  const jobs: Job[] = [];
  const { promise: last, resolve } = Promise.withResolvers<void>();
  port2.onmessage = ({ data }) => data === "last" ? resolve() : jobs.push(data);
  const result = find(dir, { ...WHOLE, ...args }, {
    peer: { port: port1, gone: new SharedFlag() },
  });
  port1.postMessage("last");
  await last;
  port1.close();
  port2.close();
  return { result, jobs };
}

Deno.test("a second room that is busy changes nothing but the time", () =>
  inTempDir(async (dir) => {
    plantMany(dir);
    const { result, jobs } = await handedOver(dir, {});
    deepEqual(result.groups, find(dir, WHOLE).groups);
    deepEqual(new Set(jobs.map((job) => job.task)), new Set(["look", "compare"]));
  }));

Deno.test("no more looks are handed over than the budget pays for", () =>
  inTempDir(async (dir) => {
    plantMany(dir);
    for (const max_files_hashed of [600, 1500]) {
      const { result, jobs } = await handedOver(dir, { max_files_hashed });
      const looks = jobs.filter((job) => job.task === "look");
      const files = looks.reduce((sum, job) => sum + job.ends[job.ends.length - 1], 0);
      ok(files > 256 && files <= result.hash_reads, `${files} looks, ${result.hash_reads} reads`);
      ok(result.hash_reads <= max_files_hashed);
      deepEqual(result.groups, find(dir, { ...WHOLE, max_files_hashed }).groups);
    }
  }));

testAlone(
  import.meta.url,
  "a cancelled search stops in both rooms at once",
  () =>
    inTempDir(async (dir) => {
      for (let i = 0; i < 6; i++) {
        // Equal at both ends and in the middle, so that there is no end to comparing.
        plantSparse(`${dir}/${i}`, (i < 3 ? 40 : 41) * GIB, new Uint8Array([1]));
      }
      const log = await withRooms(dir, async (call) => {
        const abort = new AbortController();
        const seen: Progress[] = [];
        const onProgress = (progress: Progress) => {
          seen.push(progress);
          if (progress.label === "comparing" && progress.done > 100_000_000) abort.abort();
        };
        let aborted = 0;
        abort.signal.addEventListener("abort", () => aborted = performance.now());
        await rejects(call({ onProgress, signal: abort.signal }), { code: "cancelled" });
        ok(performance.now() - aborted < 1000, "the call ended soon after it was cancelled");
        equal(seen.at(-1)?.unit, "bytes");
        equal(seen.at(-1)?.total, 3 * 81 * GIB);
        const before = process.cpuUsage();
        await new Promise((resolve) => setTimeout(resolve, 400));
        const { user, system } = process.cpuUsage(before);
        ok(user + system < 200_000, `${user + system} µs of work went on after the end`);
      });
      deepEqual(log, []);
    }),
);

Deno.test("files of more than 4 GiB that differ in the last byte are told apart at once", () =>
  inTempDir((dir) => {
    for (const [name, end] of [["a", 1], ["b", 2]] as const) {
      plantSparse(`${dir}/${name}`, Math.floor(4.4 * GIB), new Uint8Array([end]));
    }
    const result = find(dir);
    equal(result.duplicate_groups, 0);
    ok(result.bytes_hashed < 100_000);
  }));

testAlone(
  import.meta.url,
  "comparing large files takes no more memory than comparing small ones",
  () =>
    inTempDir((dir) => {
      for (const name of ["a", "b"]) plantSparse(`${dir}/${name}`, 0.25 * GIB, new Uint8Array([1]));
      find(dir, { min_bytes: GIB });
      const before = Deno.memoryUsage().rss;
      let peak = before;
      const progress = () => void (peak = Math.max(peak, Deno.memoryUsage().rss));
      const result = find(dir, {}, { progress, signal: new CancelFlag() });
      equal(result.groups[0].size, 0.25 * GIB);
      match(result.groups[0].sha256, /^[0-9a-f]{64}$/);
      ok(peak - before < 60_000_000, `memory grew by ${peak - before} bytes`);
      deepEqual(pathsOf(dir, result), [["a", "b"]]);
    }),
);
