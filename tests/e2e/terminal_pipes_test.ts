// Pipes and signals: output that nobody reads any more, output that is read slowly, and Ctrl-C.

import assert from "node:assert/strict";
import { shell, start } from "../cli/program.ts";
import { inTempDir, plant } from "../support.ts";

/** A folder with so many files, with names so long, that a listing of them fills any pipe. */
function plantMany(dir: string, count: number): void {
  Deno.mkdirSync(`${dir}/many`);
  for (let i = 0; i < count; i++) {
    Deno.writeFileSync(`${dir}/many/${"long-name-".repeat(23)}${i}`, new Uint8Array());
  }
}

Deno.test("a reader that stops reading ends the program quietly", () =>
  inTempDir(async (dir) => {
    plantMany(dir, 600);
    const { code, stdout, stderr } = await shell(
      "$SHIELDFIVE list --limit 10000 many | head -1; exit ${PIPESTATUS[0]}",
      { cwd: dir },
    );
    assert.equal(code, 141);
    assert.match(stdout, /^Size +Modified +Path\n$/);
    assert.equal(stderr, "");
  }));

Deno.test("two megabytes of JSON reach a reader that starts late, whole", () =>
  inTempDir(async (dir) => {
    plantMany(dir, 4800);
    const { code, stdout } = await shell(
      "$SHIELDFIVE list --json --limit 10000 many | (sleep 1; cat); exit ${PIPESTATUS[0]}",
      { cwd: dir },
    );
    assert.equal(code, 0);
    assert.ok(stdout.length > 2_000_000, `${stdout.length}`);
    assert.equal(JSON.parse(stdout).files.length, 4800);
  }));

Deno.test("all of it arrives also through a pipe that does not block", () =>
  inTempDir(async (dir) => {
    plantMany(dir, 900);
    const unblock = "import fcntl, os, sys; fcntl.fcntl(1, fcntl.F_SETFL, os.O_NONBLOCK); " +
      "os.execvp(sys.argv[1], sys.argv[1:])";
    const { code, stdout, stderr } = await shell(
      `which python3 > /dev/null || exit 77
       python3 -c '${unblock}' $SHIELDFIVE list --json --limit 10000 many | (sleep 1; cat)
       exit \${PIPESTATUS[0]}`,
      { cwd: dir },
    );
    if (code === 77) return console.log("skipped: there is no python3 here to unblock a pipe with");
    assert.equal(code, 0, stderr);
    assert.equal(JSON.parse(stdout).files.length, 900);
  }));

Deno.test("a full disk is told and exits 1", async () => {
  if (Deno.build.os !== "linux") return console.log("skipped: there is no /dev/full here");
  const { code, stderr } = await shell("$SHIELDFIVE --help > /dev/full");
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^shieldfive: error: the output could not be written \(ENOSPC\) \[io_error\]$/m,
  );
});

Deno.test("closed output streams are no reason to fail loudly", () =>
  inTempDir(async (dir) => {
    plant(dir, { "a": "a" });
    const { code } = await shell(
      "$SHIELDFIVE trash a --yes >&- 2>&-; test ! -e a && echo gone > went",
      { cwd: dir },
    );
    assert.equal(code, 0);
    assert.equal(Deno.readTextFileSync(`${dir}/went`), "gone\n");
  }));

/** Waits until the process has one of the folder's files open, where the system can tell. */
async function reading(pid: number, dir: string): Promise<void> {
  const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  if (Deno.build.os !== "linux") return await pause(3000);
  const open = () => {
    const fds = Array.from(Deno.readDirSync(`/proc/${pid}/fd`), ({ name }) => name);
    return fds.some((fd) => {
      try {
        return Deno.readLinkSync(`/proc/${pid}/fd/${fd}`).startsWith(dir);
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return false; // closed meanwhile
        throw error;
      }
    });
  };
  while (!open()) await pause(10);
}

/** Starts a scan that takes long, waits until it reads, and sends the program a signal. */
async function interrupted(dir: string, signal: Deno.Signal) {
  // Equal sizes make the search for duplicates read every byte.
  for (let i = 0; i < 4; i++) {
    new Deno.Command("truncate", { args: ["-s", "4G", `${dir}/f${i}`] }).outputSync();
  }
  const child = start(["dupes", "--json"], { cwd: dir });
  await child.stdin.close();
  const output = child.output();
  await reading(child.pid, dir);
  const sent = performance.now();
  child.kill(signal);
  const { code, stdout, stderr } = await output;
  const text = new TextDecoder();
  return {
    code,
    stdout: text.decode(stdout),
    stderr: text.decode(stderr),
    took: performance.now() - sent,
  };
}

for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const) {
  Deno.test(`${signal} stops a scan soon, says so, and exits ${code}`, () =>
    inTempDir(async (dir) => {
      const ended = await interrupted(dir, signal);
      assert.equal(ended.code, code, ended.stderr);
      assert.equal(JSON.parse(ended.stdout).error.code, "cancelled");
      assert.match(ended.stderr, /\[cancelled\]/);
      assert.ok(ended.took < 5000, `${ended.took} ms`);
    }));
}

Deno.test("Ctrl-C in the middle of a trash stops between two items, and nothing is lost", () =>
  inTempDir(async (dir) => {
    const names = Array.from({ length: 1000 }, (_, i) => `${i}.txt`);
    plant(dir, Object.fromEntries(names.map((name) => [name, name])));
    const child = start(["trash", "--yes", "--json", ...names], { cwd: dir });
    await child.stdin.close();
    const output = child.output();
    while (names.every((name) => isThere(`${dir}/${name}`))) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    child.kill("SIGINT");
    const { code, stdout } = await output;
    const outcome = JSON.parse(new TextDecoder().decode(stdout));
    assert.equal(code, 130);
    assert.equal(
      outcome.error?.code ?? "performed",
      outcome.error ? "cancelled_partially_applied" : "performed",
    );
    const moved: { original_path: string; trashed_to: string }[] = outcome.error === undefined
      ? outcome.items.map((item: { source: string; trashed_to: string }) => ({
        ...item,
        original_path: item.source,
      }))
      : outcome.error.detail.moved;
    for (const { original_path, trashed_to } of moved) {
      assert.equal(Deno.readTextFileSync(trashed_to), original_path.slice(dir.length + 1));
    }
    const left = names.filter((name) => isThere(`${dir}/${name}`));
    assert.equal(left.length + moved.length, 1000);
  }));

function isThere(path: string): boolean {
  try {
    return Deno.lstatSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
