// The programs around the program: what continuous integration reports, and what the demo proves.

import { strict as assert } from "node:assert";
import { fileURLToPath } from "node:url";
import { line } from "../scripts/bench.ts";
import { median, parseTable } from "../scripts/bench/scripts.ts";
import { explain, PERMISSIONS, WORKERS } from "../scripts/compile.ts";
import { differences, fingerprint, plantHome } from "../scripts/home.ts";
import { ENTRY, shellLine } from "../scripts/program.ts";
import { inTempDir, plant } from "./support.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const WINDOWS = Deno.build.os === "windows";

/** What the stand-in for `npx -y deno@…` prints and returns, by its first deno argument. */
interface Replies {
  task: [output: string, code: number];
  fmt?: number;
  lint?: number;
  check?: number;
}

/** Runs .ci/run with nothing on PATH but a few system tools and a stand-in for npx. */
async function ci(replies: Replies, extra: Record<string, string> = {}) {
  let result = { code: -1, lines: [] as string[], calls: "" };
  await inTempDir(async (dir) => {
    const path = Deno.env.get("PATH")!.split(":");
    for (const tool of ["bash", "env", "dirname", "mktemp", "rm", "tee", "grep", "sed", "id"]) {
      const from = path.map((folder) => `${folder}/${tool}`).find((file) => exists(file));
      Deno.symlinkSync(from!, `${dir}/${tool}`);
    }
    const npx = `#!/usr/bin/env bash
echo "$*|$CI|$(if read -r line; then echo input; else echo no input; fi)" >> ${dir}/calls
case $3 in
task) printf '%b' '${replies.task[0]}'; exit ${replies.task[1]} ;;
fmt) exit ${replies.fmt ?? 0} ;;
lint) exit ${replies.lint ?? 0} ;;
check) exit ${replies.check ?? 0} ;;
esac
exit 99
`;
    for (const [name, script] of Object.entries({ npx, ...extra })) {
      Deno.writeTextFileSync(`${dir}/${name}`, script, { mode: 0o755 });
    }
    const child = new Deno.Command(`${ROOT}.ci/run`, {
      clearEnv: true,
      env: { PATH: dir, TMPDIR: dir },
      stdin: "null",
      stderr: "inherit",
    });
    const { code, stdout } = await child.output();
    const lines = new TextDecoder().decode(stdout).trimEnd().split("\n");
    result = { code, lines, calls: Deno.readTextFileSync(`${dir}/calls`) };
  });
  return result;
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

const GREEN = "running 2 tests\\n\\nok | 12 passed (3 steps) | 0 failed (2s)\\n\\n";

Deno.test({
  name: "ci ends with the number of tests passed and exits with 0",
  ignore: WINDOWS,
  async fn() {
    const { code, lines, calls } = await ci({ task: [GREEN, 0] });
    assert.equal(lines.at(-1), "12 passed, 0 failed");
    assert.equal(code, 0);
    assert.deepEqual(calls.trimEnd().split("\n"), [
      "-y deno@2.9.6 task test|true|no input",
      "-y deno@2.9.6 fmt --check|true|no input",
      "-y deno@2.9.6 lint|true|no input",
      "-y deno@2.9.6 check|true|no input",
    ]);
  },
});

Deno.test({
  name: "ci adds up several summaries and sees through colours",
  ignore: WINDOWS,
  async fn() {
    const coloured =
      "\\033[32mok\\033[0m | 5 passed | 0 failed | 2 ignored \\033[90m(1s)\\033[0m\\n";
    const { code, lines } = await ci({ task: [GREEN + coloured, 0] });
    assert.equal(lines.at(-1), "17 passed, 0 failed");
    assert.equal(code, 0);
  },
});

Deno.test({
  name: "ci fails with the failed tests counted",
  ignore: WINDOWS,
  async fn() {
    const { code, lines } = await ci({ task: ["FAILED | 11 passed | 2 failed (2s)\\n", 1] });
    assert.equal(lines.at(-1), "11 passed, 2 failed");
    assert.equal(code, 1);
  },
});

Deno.test({
  name:
    "ci fails when the tests do not start, when none ran, and when they pass but exit with an error",
  ignore: WINDOWS,
  async fn() {
    for (
      const [output, code, last] of [
        ["error: Type checking failed.\\n", 1, "0 passed, 1 failed"],
        ["ok | 0 passed | 0 failed (0ms)\\n", 0, "0 passed, 1 failed"],
        ["", 0, "0 passed, 1 failed"],
        [GREEN, 3, "12 passed, 1 failed"],
        ["the line ok | 3 passed is not a summary here\\n", 0, "0 passed, 1 failed"],
      ] as const
    ) {
      const result = await ci({ task: [output, code] });
      assert.equal(result.lines.at(-1), last);
      assert.equal(result.code, 1);
    }
  },
});

Deno.test({
  name: "ci counts a formatter, linter or type checker that complains as failed",
  ignore: WINDOWS,
  async fn() {
    const one = await ci({ task: [GREEN, 0], lint: 1 });
    assert.equal(one.lines.at(-1), "12 passed, 1 failed");
    assert.equal(one.code, 1);
    const all = await ci({ task: [GREEN, 0], fmt: 1, lint: 1, check: 1 });
    assert.equal(all.lines.at(-1), "12 passed, 3 failed");
    assert.equal(all.code, 1);
  },
});

Deno.test({
  name: "ci goes on when strace cannot be installed",
  ignore: WINDOWS,
  async fn() {
    const { code, lines } = await ci({ task: [GREEN, 0] }, {
      "apt-get": "#!/usr/bin/env bash\necho apt-get failed; exit 100\n",
      id: "#!/usr/bin/env bash\necho 0\n",
    });
    assert.ok(lines.includes("ci: strace could not be installed"));
    assert.equal(code, 0);
  },
});

async function demo(dir: string, ...args: string[]) {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", `${ROOT}scripts/demo.ts`, ...args],
    env: { TMPDIR: dir, TEMP: dir, TMP: dir },
    stdin: "null",
  });
  const { code, stdout, stderr } = await child.output();
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

Deno.test("the demo tidies, restores, proves it, and leaves nothing behind", async () => {
  await inTempDir(async (dir) => {
    const { code, stdout, stderr } = await demo(dir);
    assert.equal(stderr, "");
    assert.equal(code, 0);
    for (const command of ["list", "summary", "dupes", "trash", "trashed", "restore"]) {
      assert.match(stdout, new RegExp(`^\\$ shieldfive ${command}\\b`, "m"));
    }
    assert.match(stdout, /Planned \(nothing changed\)/);
    assert.match(stdout, /NOTHING WAS DELETED/);
    assert.match(stdout, /"format": 1/);
    assert.match(stdout, /^# Checked: all 9 files are back, with the same SHA-256/m);
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(stdout, /\x1b/);
    assert.deepEqual([...Deno.readDirSync(dir)], []);
  });
});

Deno.test("the demo leaves its folder with --keep and says where", async () => {
  await inTempDir(async (dir) => {
    const { code, stdout } = await demo(dir, "--keep");
    assert.equal(code, 0);
    const kept = stdout.match(/^# Left in place: (.+)$/m)?.[1];
    assert.equal(fingerprint(`${kept}/home`).get("Pictures/IMG_0412.jpg")?.size, 2_400_000);
    assert.equal((await demo(dir, "--kepe")).code, 2);
  });
});

Deno.test("the demo's comparison notices a changed byte, a moved file, a new one and another mode", async () => {
  await inTempDir((dir) => {
    const home = `${dir}/home`;
    plantHome(home, `${dir}/outside`, Date.now());
    const before = fingerprint(home);
    assert.deepEqual(differences(before, fingerprint(home)), []);

    const info = Deno.statSync(`${home}/Pictures/IMG_0412.jpg`);
    const decoy = Deno.readFileSync(`${home}/Pictures/IMG_0413.jpg`);
    Deno.writeFileSync(`${home}/Pictures/IMG_0412.jpg`, decoy);
    Deno.utimeSync(`${home}/Pictures/IMG_0412.jpg`, info.atime!, info.mtime!);
    Deno.renameSync(`${home}/Documents/thesis.docx`, `${home}/Documents/theses.docx`);
    if (!WINDOWS) Deno.chmodSync(`${home}/Downloads/shared.jpg`, 0o600);
    const found = differences(before, fingerprint(home)).join("\n");
    assert.match(found, /IMG_0412\.jpg: its content/);
    assert.match(found, /favourite\.jpg: its content/);
    assert.match(found, /thesis\.docx is gone/);
    assert.match(found, /theses\.docx was not there before/);
    if (!WINDOWS) assert.match(found, /shared\.jpg: its mode/);
  });
});

Deno.test("a printed command is one that a shell reads back", async () => {
  const words = ["trash", "two words", "it's", "", "$HOME", "a\nb", "plain-1.txt"];
  if (WINDOWS) return;
  const child = new Deno.Command("sh", {
    args: ["-c", `printf '%s\\0' ${shellLine(words)}`],
  });
  const { stdout } = await child.output();
  assert.deepEqual(new TextDecoder().decode(stdout).split("\0").slice(0, -1), words);
});

Deno.test("the bench reads a printed table and says whether a target is met", () => {
  const rows = parseTable([
    "(no rdfind: apt-get install rdfind)",
    "| command | wall s | A / this | exit |",
    "| --- | --- | --- | --- |",
    "| product | 1.500 (1.400-1.600) | 1 | 0 |",
    "| jdupes | 1.250 (1.200-1.300) | 1.20 (1.10-1.30) | 0 |",
  ].join("\n"));
  assert.deepEqual(rows.map((row) => row.command), ["product", "jdupes"]);
  assert.equal(median(rows[1], "A / this"), 1.2);
  assert.throws(() => median(rows[1], "peak MiB"), /no figure/);
  assert.throws(() => median(undefined, "A / this"), /no figure/);
  const figure = { what: "dupes", against: "jdupes", target: 1.2, unit: "times" } as const;
  assert.equal(line({ ...figure, measured: 1.2 }), "| dupes | jdupes | 1.20 | 1.20 | met |");
  assert.equal(line({ ...figure, measured: 1.21 }), "| dupes | jdupes | 1.21 | 1.20 | MISSED |");
});

Deno.test("compiling says in one sentence that the runtime part could not be had", () => {
  const url = "https://dl.deno.land/release/v2.9.6/denort-x86_64-unknown-linux-gnu.zip";
  const failed = `Compile mod.ts to shieldfive\nDownload ${url}\nerror: Writing deno compile ` +
    `executable\n\nCaused by:\n    1: error sending request for url (${url}): dns error\n`;
  const said = explain(failed, "2.9.6");
  assert.ok(said.includes(url) && said.includes("DENORT_BIN"));
  assert.equal(said.split("\n").length, 1);
  assert.equal(explain("error: Module not found\n", "2.9.6"), "error: Module not found");
});

Deno.test("the rights that are compiled in are enough for every room, and name nothing else", async () => {
  assert.doesNotMatch(PERMISSIONS.join(" "), /--allow-(all|net|run|ffi|import)|-A/);
  await inTempDir(async (dir) => {
    plant(dir, { "a.txt": "a" });
    const run = async (...args: string[]) => {
      const child = new Deno.Command(Deno.execPath(), {
        args: ["run", ...PERMISSIONS, ENTRY, ...args],
        cwd: dir,
        stdin: "null",
      });
      const { code, stderr } = await child.output();
      assert.equal(code, 0, `${args[0]}: ${new TextDecoder().decode(stderr)}`);
    };
    await run("list");
    await run("trash", "a.txt", "--yes");
    assert.equal(exists(`${dir}/a.txt`), false);
    await run("restore", "--yes");
    assert.equal(Deno.readTextFileSync(`${dir}/a.txt`), "a");
    await run("mcp", dir);
  });
});

Deno.test("every module that a worker runs is given to the compiler", () => {
  const named: string[] = [];
  const visit = (folder: string) => {
    for (const entry of Deno.readDirSync(ROOT + folder)) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory) visit(path);
      else if (/^serveRoom\(/m.test(Deno.readTextFileSync(ROOT + path))) named.push(path);
    }
  };
  for (const folder of ["cli", "tools", "containment"]) visit(folder);
  assert.deepEqual(named.sort(), [...WORKERS].sort());
});
