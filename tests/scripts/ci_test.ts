// What continuous integration runs and reports, with a stand-in for everything that it starts.

import { strict as assert } from "node:assert";
import { fileURLToPath } from "node:url";
import { inTempDir } from "../support.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const WINDOWS = Deno.build.os === "windows";
const GREEN = "running 2 tests\\n\\nok | 12 passed (3 steps) | 0 failed (2s)\\n\\n";

/** What a command of deno prints and returns. */
type Reply = [output: string, code: number];

/** The commands of a run where all is well, and no compiled executable can be made. */
const WELL: Record<string, Reply> = {
  "task test": [GREEN, 0],
  "fmt --check": ["", 0],
  lint: ["", 0],
  check: ["", 0],
  "task compile": ["compile: the runtime part could not be had\\n", 1],
  "task compile --portable": ["wrote dist/shieldfive\\n", 0],
  "task smoke dist/shieldfive": ["ok  help\\n7 passed, 0 failed\\n", 0],
};

/** Runs .ci/run with nothing on PATH but a few system tools and a stand-in for npx. */
async function ci(replies: Record<string, Reply>, extra: Record<string, string> = {}) {
  let result = { code: -1, lines: [] as string[], calls: [] as string[] };
  await inTempDir(async (dir) => {
    const path = Deno.env.get("PATH")!.split(":");
    for (const tool of ["bash", "env", "dirname", "mktemp", "rm", "tee", "grep", "sed", "id"]) {
      const from = path.map((folder) => `${folder}/${tool}`).find((file) => exists(file));
      Deno.symlinkSync(from!, `${dir}/${tool}`);
    }
    const cases = Object.entries({ ...WELL, ...replies })
      .map(([words, [output, code]]) => `'${words}') printf '%b' '${output}'; exit ${code} ;;`);
    const npx = `#!/usr/bin/env bash
echo "$*|$CI|$(if read -r line; then echo input; else echo no input; fi)" >> ${dir}/calls
shift 2
case $* in
${cases.join("\n")}
esac
exit 99
`;
    for (const [name, script] of Object.entries({ npx, ...extra })) {
      // A stand-in takes the place of a link; written through it, it would replace the system's tool.
      if (exists(`${dir}/${name}`)) Deno.removeSync(`${dir}/${name}`);
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
    const calls = Deno.readTextFileSync(`${dir}/calls`).trimEnd().split("\n");
    result = { code, lines, calls };
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

function testCi(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: WINDOWS, fn });
}

testCi("ci ends with the number of tests and checks passed and exits with 0", async () => {
  const { code, lines, calls } = await ci({});
  assert.equal(lines.at(-1), "19 passed, 0 failed");
  assert.equal(code, 0);
  assert.deepEqual(
    calls,
    Object.keys(WELL).map((words) => `-y deno@2.9.6 ${words}|true|no input`),
  );
  assert.ok(lines.includes("ci: no compiled executable can be made here"));
  assert.ok(lines.includes("ci: the smoke suite runs on the self-extracting executable"));
});

testCi("ci tries the compiled executable too where one can be made", async () => {
  const { code, lines } = await ci({ "task compile": ["wrote dist/shieldfive\\n", 0] });
  assert.equal(lines.at(-1), "26 passed, 0 failed");
  assert.equal(code, 0);
  assert.ok(lines.includes("ci: the smoke suite runs on the compiled executable"));
});

testCi("ci adds up several summaries and sees through colours", async () => {
  const coloured = "\\033[32mok\\033[0m | 5 passed | 0 failed | 2 ignored \\033[90m(1s)\\033[0m\\n";
  const { code, lines } = await ci({ "task test": [GREEN + coloured, 0] });
  assert.equal(lines.at(-1), "24 passed, 0 failed");
  assert.equal(code, 0);
});

testCi("ci fails with the failed tests counted", async () => {
  const { code, lines } = await ci({
    "task test": ["FAILED | 11 passed | 2 failed (2s)\\n", 1],
    "task smoke dist/shieldfive": ["FAILED  help\\n6 passed, 1 failed\\n", 1],
  });
  assert.equal(lines.at(-1), "17 passed, 3 failed");
  assert.equal(code, 1);
});

testCi(
  "ci fails when the tests do not start, none ran, or pass but exit with an error",
  async () => {
    for (
      const [output, code, last] of [
        ["error: Type checking failed.\\n", 1, "7 passed, 1 failed"],
        ["ok | 0 passed | 0 failed (0ms)\\n", 0, "7 passed, 1 failed"],
        ["", 0, "7 passed, 1 failed"],
        [GREEN, 3, "19 passed, 1 failed"],
        ["the line ok | 3 passed is not a summary here\\n", 0, "7 passed, 1 failed"],
      ] as const
    ) {
      const result = await ci({ "task test": [output, code] });
      assert.equal(result.lines.at(-1), last);
      assert.equal(result.code, 1);
    }
  },
);

testCi("ci counts a formatter, linter or type checker that complains as failed", async () => {
  const one = await ci({ lint: ["", 1] });
  assert.equal(one.lines.at(-1), "19 passed, 1 failed");
  assert.equal(one.code, 1);
  const all = await ci({ lint: ["", 1], "fmt --check": ["", 1], check: ["", 1] });
  assert.equal(all.lines.at(-1), "19 passed, 3 failed");
  assert.equal(all.code, 1);
});

testCi("ci fails when the self-extracting executable is not made or its checks die", async () => {
  const none = await ci({ "task compile --portable": ["compile: no\\n", 1] });
  assert.equal(none.lines.at(-1), "12 passed, 1 failed");
  assert.equal(none.code, 1);
  const dead = await ci({ "task smoke dist/shieldfive": ["", 2] });
  assert.equal(dead.lines.at(-1), "12 passed, 1 failed");
  assert.equal(dead.code, 1);
});

testCi("ci goes on when what tests use cannot be installed", async () => {
  const { code, lines } = await ci({}, {
    "apt-get": "#!/usr/bin/env bash\necho apt-get failed; exit 100\n",
    id: "#!/usr/bin/env bash\necho 0\n",
  });
  const told = lines.find((line) => line.startsWith("ci: could not be installed: "));
  for (const needed of ["strace", "gnome-keyring", "dbus"]) {
    assert.ok(told?.split(" ").includes(needed), `${needed}: ${told}`);
  }
  assert.equal(code, 0);
});
