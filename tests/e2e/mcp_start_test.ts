// How the server starts: which folders it serves, what it says about that, and what it refuses.

import assert from "node:assert/strict";
import { delimiter } from "node:path";
import { inTempDir, plant } from "../support.ts";
import { ENTRY, RawServer, type StartOptions } from "./mcp_process.ts";

/** Starts, waits until it is ready, and gives what stderr says and what a list without a path scans. */
async function started(words: string[], options: StartOptions = {}) {
  await using server = new RawServer(words, options);
  await server.open();
  await server.said("ready");
  const { structuredContent } = await server.call("list_local");
  return {
    stderr: server.stderr,
    scanned: structuredContent.scanned,
    error: structuredContent.error,
  };
}

/** Another home folder, with the runtime's cache where it was. */
function home(dir: string): Record<string, string> {
  const { stdout } = new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).outputSync();
  return { HOME: dir, DENO_DIR: JSON.parse(new TextDecoder().decode(stdout)).denoDir };
}

/** Runs to the end with nothing on the input. */
function run(words: string[]): { code: number; stdout: string; stderr: string } {
  const { code, stdout, stderr } = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", ENTRY, "mcp", ...words],
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).outputSync();
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

Deno.test("roots from the command line and from the environment are served together", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a/inner/": "", "b/": "", "c/": "", "file": "" });
    const { stderr, scanned } = await started([`${dir}/a`, "b", `${dir}/a/inner`, `${dir}/file`], {
      env: {
        SHIELDFIVE_MCP_ROOTS: [` ${dir}/b `, "", "~/c", `${dir}/a/`].join(delimiter),
        ...home(dir),
      },
      cwd: dir,
    });
    assert.deepEqual(scanned, [`${dir}/a`, `${dir}/b`, `${dir}/c`]);
    assert.match(stderr, /"b" is ignored: it is not an absolute path/);
    assert.match(stderr, /a\/inner" is ignored: it lies inside another root/);
    assert.match(stderr, /file" is ignored: it is not a folder/);
    assert.match(stderr, /serving 3 roots: "/);
    for (const line of stderr.trimEnd().split("\n")) assert.match(line, /^shieldfive: /);
  });
});

Deno.test("without a usable root it says so loudly, how to grant one, and serves refusals", async () => {
  const { stderr, error } = await started(["relative"]);
  assert.match(stderr, /"relative" is ignored/);
  assert.match(stderr, /NO ROOTS/);
  assert.match(stderr, /SHIELDFIVE_MCP_ROOTS/);
  assert.equal(error.code, "no_roots");
});

Deno.test("a root with a hostile name cannot forge a line on stderr", async () => {
  await inTempDir(async (dir) => {
    const name = `${dir}/x\nshieldfive: ready\x1b[2J`;
    Deno.mkdirSync(name);
    const { stderr } = await started([name, "\nshieldfive: serving 9 roots"]);
    for (const line of stderr.trimEnd().split("\n")) assert.match(line, /^shieldfive: /);
    assert.equal(stderr.match(/^shieldfive: ready$/gm)?.length, 1);
    assert.ok(!stderr.includes("\x1b"));
  });
});

Deno.test("a root that is a whole home folder earns a warning", async () => {
  await inTempDir(async (dir) => {
    const { stderr } = await started([dir], { env: home(dir) });
    assert.match(stderr, /warning: .*whole home folder/);
  });
});

Deno.test("a command line that it does not understand is refused in a sentence, with code 2", () => {
  const refused: [string[], RegExp][] = [
    [["--with", "files"], /no set of tools called "files"/],
    [["--with=all"], /no set of tools called "all"/],
    [["--with", "nonsense"], /no set of tools called "nonsense"/],
    [["--client-roots", "widen"], /ignore, narrow/],
    [["--readonly"], /did you mean --read-only/],
  ];
  for (const [words, message] of refused) {
    const { code, stdout, stderr } = run(words);
    assert.deepEqual([code, stdout], [2, ""], words.join(" "));
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /^ +at /m);
  }
});
