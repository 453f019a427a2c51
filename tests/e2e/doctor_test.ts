// `shieldfive doctor` from outside: the real program, on machines that are well and on ones that are not.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { VERSION } from "../../cli/version.ts";
import { COMMAND, type Finished, onTerminal, type RunOptions, shieldfive } from "../cli/program.ts";
import { inTempDir, plant } from "../support.ts";

const ENTRY = fileURLToPath(new URL("../../mod.ts", import.meta.url));

interface Found {
  check: string;
  state: "ok" | "note" | "problem";
  text: string;
  fix?: string;
  // deno-lint-ignore no-explicit-any
  data?: any;
}

interface Report {
  works: boolean;
  problems: number;
  notes: number;
  sections: { section: string; title: string; findings: Found[] }[];
  // deno-lint-ignore no-explicit-any
  last_operation?: any;
}

/** A folder with a home of its own, `home`, and a root to look at, `root`. */
function onMachine(body: (dir: string, options: RunOptions) => Promise<void>): Promise<void> {
  return inTempDir(async (dir) => {
    plant(dir, { "home/": "", "root/a.txt": "a", "root/sub/b.txt": "b" });
    const env = {
      HOME: `${dir}/home`,
      XDG_CONFIG_HOME: "",
      XDG_STATE_HOME: "",
      XDG_CACHE_HOME: "",
      CLAUDE_CONFIG_DIR: "",
      CODEX_HOME: "",
      COPILOT_HOME: "",
      DENO_DIR: denoDir(),
    };
    await body(dir, { cwd: `${dir}/root`, env });
  });
}

/** Where the runtime that runs this test keeps its packages; in another home it would look elsewhere. */
function denoDir(): string {
  const { stdout } = new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).outputSync();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}

function parsed({ stdout, stderr }: Finished): Report {
  assert.match(stdout, /^\{/, stderr);
  return JSON.parse(stdout);
}

async function examined(args: string[], options: RunOptions): Promise<Report> {
  const finished = await shieldfive(["doctor", "--json", ...args], options);
  const report = parsed(finished);
  assert.equal(finished.code, report.works ? 0 : 1);
  assert.equal(report.works, report.problems === 0);
  return report;
}

function findings(report: Report, check: string): Found[] {
  return report.sections.flatMap(({ findings }) => findings).filter((f) => f.check === check);
}

function problems(report: Report): Found[] {
  return report.sections.flatMap(({ findings }) => findings).filter((f) => f.state === "problem");
}

/** The command that starts the program under test, as it says itself. */
function itself(report: Report): { command: string; args: string[] } {
  const [{ data }] = findings(report, "program.started");
  return { command: data.command, args: data.args };
}

function isCheckout(): boolean {
  return [...Deno.readDirSync(new URL("../..", import.meta.url))].some(({ name }) =>
    name === ".git"
  );
}

/** Everything that can be seen of a folder's entries without opening them, and what is in the files. */
function everything(folder: string): string[] {
  const lines: string[] = [];
  const visit = (path: string) => {
    const info = Deno.lstatSync(path);
    const { size, mode, uid, gid, nlink, ino } = info;
    const times = [info.mtime?.getTime(), info.ctime?.getTime()];
    const content = info.isFile ? Deno.readTextFileSync(path) : "";
    lines.push(JSON.stringify([path, size, mode, uid, gid, nlink, ino, times, content]));
    if (!info.isDirectory) return;
    for (const name of [...Deno.readDirSync(path)].map((entry) => entry.name).sort()) {
      visit(`${path}/${name}`);
    }
  };
  visit(folder);
  return lines;
}

Deno.test("on a machine that is well, doctor says so of every part and exits 0", () =>
  onMachine(async (dir, options) => {
    const { code, stdout, stderr } = await shieldfive(["doctor"], options);
    assert.deepEqual([code, stderr], [0, ""], stdout);
    const version = `  ok       shieldfive ${VERSION}`;
    const line = stdout.split("\n").find((line) => line.startsWith(version))!;
    assert.match(line.slice(version.length), isCheckout() ? /^, commit [0-9a-f]{12}$/ : /^$/);
    assert.match(stdout, /^ {2}ok {7}deno 2\.[\d.]+, v8 [\w.-]+, \w+-\S+$/m);
    assert.ok(stdout.includes(`  ok       started from its sources, ${ENTRY}\n`), stdout);
    assert.ok(
      stdout.includes(`  configuration  ${dir}/home/.config/shieldfive  (not there yet)\n`),
      stdout,
    );
    assert.ok(stdout.includes(`  ok       ${dir}/root, the current folder, is on the volume /`));
    assert.ok(
      stdout.includes(`  ok       ${dir}/root/.shieldfive-mcp-trash, made when it is needed\n`),
    );
    assert.ok(
      stdout.includes(
        "  ok       room disk-read works, and its walls stand\n" +
          `             read: ${dir}/root\n             nothing else\n`,
      ),
      stdout,
    );
    assert.match(stdout, /^ {2}ok {7}room disk-write works, and its walls stand$/m);
    assert.match(stdout, /^ {2}ok {7}room link works, and its walls stand$/m);
    assert.match(stdout, /\nUnfinished work\n {2}ok {7}none\n/);
    assert.match(stdout, /\n\nAll is well\.\n$/);
  }));

Deno.test("doctor changes nothing: not in the roots, the trash, its own places or those of assistants", () =>
  onMachine(async (dir, options) => {
    plant(`${dir}/home`, {
      ".config/shieldfive/shell.json": "{}",
      ".local/state/shieldfive/audit/": "",
      ".cursor/mcp.json": `{"mcpServers":{"shieldfive":{"command":"/nowhere","args":["mcp"]}}}`,
      ".claude.json": "{",
    });
    plant(dir, { "root/.shieldfive-mcp-incoming-1-1": "half" });
    const trashed = await shieldfive(["trash", "--yes", "a.txt"], options);
    assert.equal(trashed.code, 0, trashed.stderr);
    const before = everything(dir);
    const args = ["--root", `${dir}/root`, "--root", `${dir}/home`, "--root", `${dir}/missing`];
    const { code } = await shieldfive(["doctor", ...args], options);
    assert.equal(code, 1);
    await examined(args, options);
    assert.deepEqual(everything(dir), before);
  }));

Deno.test("the JSON has the fields and the checks that docs/doctor.md names", () =>
  onMachine(async (dir, options) => {
    plant(dir, { "root/.shieldfive-mcp-incoming-12-3": "half" });
    plant(`${dir}/home`, { ".cursor/": "" });
    await shieldfive(["trash", "--yes", "a.txt"], options);
    const env = { ...options.env, SHIELDFIVE_MCP_ROOTS: `${dir}/root:${dir}/missing` };
    const report = await examined([], { ...options, env });
    assert.deepEqual(Object.keys(report), [
      "works",
      "problems",
      "notes",
      "sections",
      "last_operation",
    ]);
    assert.deepEqual(report.sections.map(({ section }) => section), [
      "program",
      "environment",
      "places",
      "protected",
      "roots",
      "trash",
      "rooms",
      "remains",
      "operations",
      "connection",
      "assistants",
    ]);
    const page = Deno.readTextFileSync(new URL("../../docs/doctor.md", import.meta.url));
    const rows = [...page.matchAll(/^\| (?:`(\w+)`)? *\| `([\w.]+)` +\| (.+) \|$/gm)];
    for (const { section, findings } of report.sections) {
      for (const finding of findings) {
        const row = rows.find(([, , check]) => check === finding.check);
        assert.ok(row, `docs/doctor.md does not name the check ${finding.check} of ${section}`);
        assert.ok(finding.state !== "problem" || finding.fix, `${finding.check} says no way out`);
        assert.ok(["ok", "note", "problem"].includes(finding.state));
        assert.doesNotMatch(finding.text, /\.$/);
        const known = Object.keys(finding).filter((key) =>
          !["check", "state", "text", "fix", "data"].includes(key)
        );
        assert.deepEqual(known, []);
        const named = /the same/.test(row[3]) ? rows.find(([, , c]) => c === "root")![3] : row[3];
        for (const field of Object.keys(finding.data ?? {})) {
          assert.ok(named.includes(`\`${field}\``), `${finding.check} has a field ${field}`);
        }
      }
    }
    const [{ data }] = findings(report, "root");
    assert.equal(data.path, `${dir}/root`);
    assert.equal(data.source, "SHIELDFIVE_MCP_ROOTS");
    assert.equal(data.device_number, Deno.lstatSync(`${dir}/root`).dev);
    assert.ok(data.free_bytes > 0);
  }));

Deno.test("a broken root is a problem with a way out, and the others are looked at all the same", () =>
  onMachine(async (dir, options) => {
    const roots = ["root", "missing", "root/a.txt", "root/sub"];
    const { code, stdout } = await shieldfive(
      ["doctor", ...roots.flatMap((root) => ["--root", `${dir}/${root}`])],
      options,
    );
    assert.equal(code, 1, stdout);
    assert.match(
      stdout,
      /^ {2}problem {2}\S+\/missing is left out: it does not exist: mend that, or name another folder \(--root\)$/m,
    );
    assert.match(stdout, /^ {2}problem {2}\S+a\.txt is left out: it is not a folder: /m);
    assert.match(stdout, /^ {2}note {5}\S+\/sub is left out: it lies inside another root, /m);
    assert.match(stdout, /^ {2}ok {7}\S+\/root is on the volume /m);
    assert.match(stdout, /^ {2}ok {7}room disk-write works/m);
    assert.match(stdout, /\n2 problems, 1 note\.\n$/);
    const alone = await examined(["--root", `${dir}/missing`], options);
    assert.deepEqual(problems(alone).map(({ check }) => check), ["root.rejected"]);
    assert.equal(findings(alone, "room").length, 10);
  }));

Deno.test("interrupted work is told, with the batch that was not finished and the last operation", () =>
  onMachine(async (dir, options) => {
    plant(dir, {
      "root/sub/.deep/.shieldfive-mcp-incoming-12-3": "half",
      "root/.shieldfive-mcp-incoming-12-4/inside": "half",
    });
    for (const name of ["a.txt", "sub/b.txt"]) {
      const trashed = await shieldfive(["trash", "--yes", name], options);
      assert.equal(trashed.code, 0, trashed.stderr);
    }
    const well = await examined([], options);
    assert.equal(well.works, true);
    assert.deepEqual(findings(well, "remains.copy").map(({ state, data }) => [state, data.path]), [
      ["note", `${dir}/root/.shieldfive-mcp-incoming-12-4`],
      ["note", `${dir}/root/sub/.deep/.shieldfive-mcp-incoming-12-3`],
    ]);
    assert.deepEqual(findings(well, "remains.batch"), []);
    const [last, first] = findings(well, "operation");
    assert.deepEqual(well.last_operation, last.data);
    assert.equal(last.data.tool, "trash_local");
    assert.equal(last.data.trash_directory, `${dir}/root/.shieldfive-mcp-trash`);
    assert.deepEqual([last.data.items, last.data.present], [1, 1]);
    assert.ok(last.data.at > first.data.at);

    const manifests = [last, first].map(({ data }) => `${data.folder}/manifest.json`);
    const record = Deno.readTextFileSync(manifests[0]);
    Deno.writeTextFileSync(manifests[0], record.replace(`"state": "moved"`, `"state": "planned"`));
    Deno.writeTextFileSync(manifests[1], record.slice(1));
    const ill = await examined([], options);
    assert.deepEqual(
      findings(ill, "remains.batch").map(({ state, data }) => [state, data.folder, data.manifest]),
      [["note", last.data.folder, "ok"], ["problem", first.data.folder, "unreadable"]],
    );
    assert.equal(problems(ill).length, 1);
  }));

Deno.test("an assistant is well when what it starts is this program; otherwise doctor says how to mend it", () =>
  onMachine(async (dir, options) => {
    const { command, args } = itself(await examined([], options));
    const server = [...args, "mcp", `${dir}/root`, "--read-only"];
    const entry = (command: string) =>
      JSON.stringify({ mcpServers: { shieldfive: { command, args: server } } });
    plant(`${dir}/home`, { ".cursor/mcp.json": entry(command) });
    const well = await examined([], options);
    assert.deepEqual(
      findings(well, "assistant").map(({ state, text, data }) => [state, text, data.points_here]),
      [["ok", "Cursor starts this shieldfive", true]],
    );
    plant(`${dir}/home`, {
      ".cursor/mcp.json": entry(`${dir}/gone`),
      ".gemini/settings.json": "{",
    });
    const { code, stdout } = await shieldfive(["doctor"], options);
    assert.equal(code, 1, stdout);
    assert.match(
      stdout,
      /^ {2}problem {2}Cursor: its command "[^"]*gone" is not there: run `shieldfive setup client cursor`$/m,
    );
    assert.match(
      stdout,
      /^ {2}problem {2}Gemini CLI: its configuration cannot be understood: .*: mend \S+settings\.json$/m,
    );
  }));

Deno.test("started without a right, doctor says which one and where that leaves the rest", () =>
  onMachine((dir, { env, cwd }) => {
    const run = (...rights: string[]) => {
      const { code, stdout } = new Deno.Command(Deno.execPath(), {
        args: ["run", "--no-prompt", ...rights, ENTRY, "doctor", "--json", "--root", `${dir}/root`],
        cwd,
        env,
        stdin: "null",
        stderr: "piped",
      }).outputSync();
      return { code, report: JSON.parse(new TextDecoder().decode(stdout)) as Report };
    };
    const { code, report } = run(`--allow-read=${dir}/home`);
    assert.equal(code, 1);
    assert.deepEqual(findings(report, "program.rights")[0].data.missing, [
      "read",
      "write",
      "sys=uid",
      "sys=statfs",
      "env",
    ]);
    assert.match(findings(report, "root.rejected")[0].text, /cannot be read \(NOT_CAPABLE\)/);
    assert.deepEqual(findings(report, "room").map(({ state }) => state), [
      "problem",
      "problem",
      "problem",
      ...["note", "note", "problem", "note", "note", "problem"],
    ]);
    assert.ok(findings(report, "environment.withheld")[0].data.names.includes("HOME"));

    env!.SHIELDFIVE_EXECUTABLE = `${dir}/shieldfive`; // to tell what it is takes the right to read
    const told = run("--allow-env").report;
    assert.equal(findings(told, "program.started")[0].data.code, "NOT_CAPABLE");
    assert.equal(findings(told, "protected.place")[0].state, "problem");
    delete env!.SHIELDFIVE_EXECUTABLE;

    const reading = run("--allow-read", "--allow-env", "--allow-sys=uid,statfs");
    assert.deepEqual(findings(reading.report, "program.rights")[0].data.missing, ["write"]);
    assert.deepEqual(
      findings(reading.report, "room").map(({ state, data }) => [data.kind, state]),
      [
        ["disk-read", "ok"],
        ["disk-write", "problem"],
        ["link", "problem"],
        ["serve-front", "note"],
        ["keychain", "note"],
        ["credential", "problem"],
        ["connect", "note"],
        ["vault", "note"],
        ["kdf", "ok"],
      ],
    );
    const { args } = itself(report);
    const enough = run(...args.filter((word) => word.startsWith("--allow-")));
    assert.equal(enough.code, 0, JSON.stringify(problems(enough.report)));
    return Promise.resolve();
  }));

Deno.test("a command that may not read its variables refuses, since one of them may set a limit", () =>
  onMachine((dir, { env, cwd }) => {
    const { code, stderr } = new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-prompt", "--allow-read", "--allow-env=HOME", ENTRY, "list", dir],
      cwd,
      env: { ...env, SHIELDFIVE_MCP_ROOTS: `${dir}/home` },
      stderr: "piped",
    }).outputSync();
    const text = new TextDecoder().decode(stderr);
    assert.equal(code, 2, text);
    assert.match(
      text,
      /error: the runtime was started without the right to read .*SHIELDFIVE_MCP_ROOTS/,
    );
    assert.match(text, /hint: `shieldfive doctor` says/);
    return Promise.resolve();
  }));

/** Runs `doctor --json` in a process of its own that alone sees what the commands mount. */
function withMounts(mounts: string, args: string[], { cwd, env }: RunOptions): Report | undefined {
  if (Deno.uid() !== 0) {
    console.log("skipped: mounting takes the rights of root");
    return undefined;
  }
  const { stdout, stderr } = new Deno.Command("unshare", {
    args: [
      "-m",
      "sh",
      "-ec",
      `${mounts}; exec "$@"`,
      "sh",
      ...COMMAND,
      "doctor",
      "--json",
      ...args,
    ],
    cwd,
    env,
    stdin: "null",
  }).outputSync();
  const text = new TextDecoder();
  return parsed({ code: 0, stdout: text.decode(stdout), stderr: text.decode(stderr) });
}

Deno.test("on a volume that is mounted read-only nothing could be trashed, which is a problem", () =>
  onMachine((dir, options) => {
    const root = `${dir}/root`;
    const mounts = `mount --bind '${root}' '${root}'; mount -o remount,bind,ro '${root}'`;
    const report = withMounts(mounts, ["--root", root], options);
    if (report === undefined) return Promise.resolve();
    assert.deepEqual(problems(report).map(({ check }) => check), ["trash"]);
    assert.match(problems(report)[0].text, /its volume is mounted read-only$/);
    assert.equal(findings(report, "root")[0].data.mount_point, root);
    assert.equal(findings(report, "root")[0].data.read_only, true);
    // The system told the room so too, whatever the list of mounts says.
    const writer = findings(report, "room").find(({ data }) => data.kind === "disk-write")!;
    const tries = writer.data.trials.filter(({ what }: { what: string }) => what === "write");
    assert.deepEqual(
      tries.map(({ folder, allowed, errno }: Record<string, unknown>) => [folder, allowed, errno]),
      [[undefined, false, undefined], [root, true, "EROFS"], [dir, false, undefined]],
    );
    return Promise.resolve();
  }));

Deno.test("volumes inside a root are told, each with its own trash or with why it has none", () =>
  onMachine((dir, options) => {
    plant(dir, { "root/usb stick/": "", "root/again/": "", "elsewhere/file": "x" });
    const mounts = `mount -t tmpfs -o size=1M stick '${dir}/root/usb stick'; ` +
      `mount --bind '${dir}/elsewhere' '${dir}/root/again'`;
    const report = withMounts(mounts, ["--root", `${dir}/root`], options);
    if (report === undefined) return Promise.resolve();
    assert.equal(report.works, true);
    const volumes = findings(report, "root.volume").map(({ data }) => data);
    assert.deepEqual(volumes.map(({ path }) => path), [
      `${dir}/root/again`,
      `${dir}/root/usb stick`,
    ]);
    assert.deepEqual(
      [volumes[1].mount_point, volumes[1].file_system, volumes[1].device],
      [`${dir}/root/usb stick`, "tmpfs", "stick"],
    );
    assert.deepEqual(findings(report, "trash").map(({ state, data }) => [state, data.base]), [
      ["ok", `${dir}/root`],
      ["note", `${dir}/root/again`],
      ["ok", `${dir}/root/usb stick`],
    ]);
    assert.match(findings(report, "trash")[1].text, /is the same volume .* mounted once more/);
    assert.match(findings(report, "trash")[1].fix!, /--root/);
    return Promise.resolve();
  }));

/** `doctor --json` run by a user without rights; undefined, after saying why, where that cannot be. */
function asNobody(args: string[], { cwd, env }: RunOptions): Report | undefined {
  const user = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
  const start = (words: string[], extra: Record<string, string> = {}) =>
    new Deno.Command("setpriv", {
      args: [...user, ...words],
      cwd,
      env: { ...env, ...extra },
      stdin: "null",
    }).outputSync();
  if (Deno.uid() !== 0 || !start(["cat", ENTRY, COMMAND[0]]).success) {
    console.log("skipped: this takes root, and a checkout and a runtime that everybody can read");
    return undefined;
  }
  // The packages that the program is loaded with, which lie in the home of root.
  const packages = "npm";
  const cache = Deno.makeTempDirSync();
  try {
    new Deno.Command("sh", {
      args: [
        "-ec",
        'mkdir -p "$2/$3"; cp -r "$1/$3/." "$2/$3/"; chmod -R a+rwX "$2"',
        "sh",
        denoDir(),
        cache,
        packages,
      ],
    }).outputSync();
    const [runtime, run, ...rest] = COMMAND;
    const words = [runtime, run, "--cached-only", ...rest, "doctor", "--json", ...args];
    const { stdout, stderr } = start(words, {
      DENO_DIR: cache,
    });
    const text = new TextDecoder();
    return parsed({ code: 0, stdout: text.decode(stdout), stderr: text.decode(stderr) });
  } finally {
    Deno.removeSync(cache, { recursive: true });
  }
}

Deno.test("a root that the user may not write or not read is a problem", () =>
  onMachine((dir, options) => {
    Deno.chmodSync(dir, 0o755);
    plant(dir, { "closed/file": "x", "mine/file": "x" });
    Deno.chmodSync(`${dir}/closed`, 0o700);
    Deno.chownSync(`${dir}/mine`, 65534, 65534);
    Deno.chownSync(`${dir}/home`, 65534, 65534);
    const roots = ["root", "closed", "mine"].flatMap((name) => ["--root", `${dir}/${name}`]);
    const report = asNobody(roots, options);
    if (report === undefined) return Promise.resolve();
    assert.deepEqual(problems(report).map(({ check, text }) => [check, text]), [
      ["root.rejected", `${dir}/closed is left out: it cannot be read (EACCES)`],
      [
        "trash",
        `nothing in ${dir}/root can be trashed: this user may not write into ${dir}/root`,
      ],
    ]);
    assert.deepEqual(findings(report, "trash").map(({ state }) => state), ["problem", "ok"]);
    assert.equal(Deno.readTextFileSync(`${dir}/closed/file`), "x");
    return Promise.resolve();
  }));

Deno.test("a trash that leads elsewhere, and pipes where files should be, are problems and hold up nothing", () =>
  onMachine(async (dir, options) => {
    plant(dir, { "elsewhere/": "", "piped/.shieldfive-mcp-trash/batch/": "", "home/.cursor/": "" });
    Deno.symlinkSync(`${dir}/elsewhere`, `${dir}/root/.shieldfive-mcp-trash`);
    const pipes = [
      "pipe",
      "piped/.shieldfive-mcp-trash/batch/manifest.json",
      "piped/.shieldfive-mcp-incoming-1-1",
      "home/.cursor/mcp.json",
      "home/.cache",
    ].map((name) => `${dir}/${name}`);
    new Deno.Command("mkfifo", { args: pipes }).outputSync();
    Deno.mkdirSync(`${dir}/home/.config`);
    Deno.writeTextFileSync(`${dir}/home/.config/shieldfive`, "no folder");
    const roots = ["root", "piped", "pipe"].flatMap((name) => ["--root", `${dir}/${name}`]);
    const report = await examined(roots, options);
    assert.match(findings(report, "trash")[0].text, /"[^"]+" is a symbolic link/);
    assert.deepEqual(problems(report).map(({ check }) => check), [
      "place",
      "root.rejected",
      "trash",
      "remains.batch",
      "assistant",
    ]);
    assert.match(findings(report, "place")[0].text, /is not a folder$/);
    assert.equal(findings(report, "remains.copy").length, 1);
  }));

Deno.test("without a home, roots or a readable root, doctor still reports", () =>
  onMachine(async (dir, options) => {
    const env = { ...options.env, HOME: "" };
    const report = await examined([], { ...options, env });
    assert.equal(report.works, true);
    assert.deepEqual(findings(report, "environment.home").map(({ state }) => state), ["note"]);
    assert.deepEqual(findings(report, "place").map(({ state }) => state), ["note"]);
    const relative = { ...options.env, SHIELDFIVE_MCP_CONFIG_DIR: "settings" };
    const [variable] = findings(
      await examined([], { ...options, env: relative }),
      "environment.variable",
    );
    assert.equal(variable.state, "note");
    const none = await examined(["--root", `${dir}/pipe\n\x1b[2J`], options);
    assert.equal(none.works, false);
    const { stdout, stderr } = await shieldfive(
      ["doctor", "--root", `${dir}/pipe\n\x1b[2Jforged`],
      options,
    );
    assert.doesNotMatch(stdout + stderr, /\x1b|^\S*forged/m);
  }));

Deno.test("a folder that went away under the program is a finding", () =>
  onMachine(async (dir, { env }) => {
    plant(dir, { "going/": "" });
    const script = `${dir}/start.ts`;
    Deno.writeTextFileSync(
      script,
      `import { processEnvironment } from ${
        JSON.stringify(new URL("../../cli/environment.ts", import.meta.url).href)
      };
       import { main } from ${JSON.stringify(new URL("../../cli/main.ts", import.meta.url).href)};
       Deno.removeSync(Deno.cwd());
       Deno.exit(await main(["doctor", "--json"], processEnvironment()));`,
    );
    const config = fileURLToPath(new URL("../../deno.json", import.meta.url));
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-prompt", "--no-check", "--config", config, script],
      cwd: `${dir}/going`,
      env,
      stdin: "null",
    }).output();
    const text = new TextDecoder();
    const report = parsed({ code, stdout: text.decode(stdout), stderr: text.decode(stderr) });
    assert.equal(code, 1);
    const [gone, unusable, ...others] = problems(report);
    assert.equal(gone.check, "environment.folder");
    assert.equal(unusable.text, ". is left out: the current folder no longer exists");
    // The runtime's own layers want a current folder: the rooms are not blamed for more than that.
    for (const { check, text } of others) {
      assert.match(`${check}: ${text}`, /^room: room \S+ cannot /);
    }
  }));

Deno.test("on a terminal the states have colours and lines fit; NO_COLOR takes the colours away", () =>
  onMachine(async (dir, options) => {
    const args = ["doctor", "--root", `${dir}/root`, "--root", `${dir}/missing`];
    const run = (env: Record<string, string>) =>
      onTerminal([...COMMAND, ...args], [], {
        ...options,
        env: { ...options.env, ...env },
        columns: 60,
      });
    const shown = await run({});
    if (shown === undefined) return;
    assert.equal(shown.code, 1);
    assert.match(shown.screen, /^ {2}\x1b\[31mproblem\x1b\[39m {2}\S/m);
    const plain = (await run({ NO_COLOR: "1" }))!.screen;
    assert.doesNotMatch(plain, /\x1b\[\d+m/);
    assert.match(
      plain.replaceAll(/\s+/g, " "),
      /missing is left out: .* mend that, or name another/,
    );
    for (const line of plain.split("\n")) {
      assert.ok(line.length <= 60 || !line.trim().includes(" ") || /\S{48}/.test(line), line);
    }
  }));

Deno.test("doctor takes no operands", () =>
  onMachine(async (_dir, options) => {
    const { code, stdout, stderr } = await shieldfive(["doctor", "root"], options);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /error: doctor takes no operands; --root names a folder/);
  }));
