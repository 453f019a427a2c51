// The parts of `doctor` on their own: what the real machine of a test does not have, and what must be said
// loudly when it happens.

import assert from "node:assert/strict";
import { openRoots, realDisk } from "../../containment/mod.ts";
import { commitOf } from "../../cli/commands/doctor/commit.ts";
import type { Examination } from "../../cli/commands/doctor/examination.ts";
import { findProgram, lacksRights } from "../../cli/commands/doctor/programs.ts";
import { reportData, reportText } from "../../cli/commands/doctor/report.ts";
import { lookAt } from "../../cli/commands/doctor/section.ts";
import { SECTIONS } from "../../cli/commands/doctor/sections.ts";
import { assistants } from "../../cli/commands/doctor/sections/assistants.ts";
import { protectedPlaces } from "../../cli/commands/doctor/sections/protected.ts";
import { remains as remainsSection } from "../../cli/commands/doctor/sections/remains.ts";
import { judged } from "../../cli/commands/doctor/sections/rooms.ts";
import { roots } from "../../cli/commands/doctor/sections/roots.ts";
import { variable } from "../../cli/commands/doctor/sections/surroundings.ts";
import { trash } from "../../cli/commands/doctor/sections/trash.ts";
import { mayChange } from "../../cli/commands/doctor/user.ts";
import { parseMounts, volumeOf } from "../../cli/commands/doctor/volumes.ts";
import { executableCommand, PERMISSIONS } from "../../cli/executable.ts";
import { inTempDir, plant } from "../support.ts";
import { testEnvironment } from "./environment.ts";

/** An examination of these folders on a machine where nothing is out of the way. */
function examinationOf(folders: string[], over: Partial<Examination> = {}): Examination {
  return {
    environment: testEnvironment(),
    disk: realDisk,
    user: { uid: Deno.uid() ?? undefined, groups: [] },
    folders: { ...openRoots(folders), source: "--root" },
    protectedPaths: [],
    missingRights: [],
    mounts: [],
    mounted: [],
    rooms: [],
    connection: { found: { state: "none", warnings: [] }, askedKeychain: true },
    remains: {
      staging: [],
      batches: [],
      unreadable: { count: 0, first: [] },
      stopped: false,
      mountPoints: [],
    },
    ...over,
  };
}

Deno.test("a room that could do too much is a problem, in a voice that cannot be missed", () => {
  const walls = [
    { what: "net", allowed: false },
    { what: "read", folder: "/in", allowed: true },
    { what: "write", folder: "/in", allowed: false },
    { what: "space", folder: "/in", allowed: false },
    { what: "read", folder: "/out", allowed: false },
  ] as const;
  assert.equal(judged({ kind: "disk-read", trials: [...walls] }, ["/in"]).state, "ok");
  const breached = [
    ...walls.slice(1, 4),
    { what: "net", allowed: true },
    { what: "read", folder: "/out", allowed: true },
  ] as const;
  const loud = judged({ kind: "disk-read", trials: [...breached] }, ["/in"]);
  assert.equal(loud.state, "problem");
  assert.equal(loud.text, "ROOM disk-read COULD DO TOO MUCH: net anything, read /out");
  assert.match(loud.state === "problem" ? loud.fix : "", /do not use this installation/);
  const weak = judged({ kind: "disk-write", trials: [...walls] }, ["/in"]);
  assert.equal(weak.text, "room disk-write cannot do its work: write /in, space /in");
  const failing = judged({
    kind: "disk-read",
    trials: [{ what: "read", folder: "/in", allowed: true, errno: "EIO" }],
  }, ["/in"]);
  assert.equal(failing.text, "room disk-read cannot do its work: read /in EIO");
  const closed = judged({ kind: "link", failure: "it did not answer" }, ["/in"]);
  assert.match(
    `${closed.state}: ${closed.text}`,
    /^problem: room link cannot be opened: it did not/,
  );
  assert.equal(judged({ kind: "disk-read", trials: [] }, []).state, "note");
});

Deno.test("a variable is shown only where its value is known to be no secret", () => {
  const secret = variable("SHIELDFIVE_GRANT", "s3cret");
  assert.doesNotMatch(JSON.stringify(secret), /s3cret/);
  assert.match(secret.text, /^SHIELDFIVE_GRANT is set/);
  assert.equal(variable("SHIELDFIVE_MCP_ROOTS", "/a").text, "SHIELDFIVE_MCP_ROOTS=/a");
});

const MOUNTINFO = [
  "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw",
  "30 22 0:25 / /mnt rw - tmpfs none rw",
  "31 22 8:1 / /mnt/usb\\040stick\\134 rw,nosuid shared:1 - vfat /dev/sdb1 rw,umask=0",
  "32 22 0:40 /data /mnt/ro ro,relatime master:1 propagate_from:2 - ext4 /dev/vda rw",
  "33 22 7:0 / /mnt/image rw - squashfs /dev/loop0 ro",
  "34 22 8:2 / /mnt rw - xfs /dev/sdc1 rw",
  "",
].join("\n");

Deno.test("the list of mounts is read with its escapes, and of two at one place the later one counts", () => {
  assert.deepEqual(parseMounts(MOUNTINFO), [
    { mountPoint: "/", device: "/dev/vda", type: "ext4", readOnly: false },
    { mountPoint: "/mnt/usb stick\\", device: "/dev/sdb1", type: "vfat", readOnly: false },
    { mountPoint: "/mnt/ro", device: "/dev/vda", type: "ext4", readOnly: true },
    { mountPoint: "/mnt/image", device: "/dev/loop0", type: "squashfs", readOnly: true },
    { mountPoint: "/mnt", device: "/dev/sdc1", type: "xfs", readOnly: false },
  ]);
});

Deno.test("a folder is on the innermost mount that holds it, or where its numbers change", () =>
  inTempDir((dir) => {
    plant(dir, { "a/b/": "", "ab/": "" });
    const line = (place: string, type: string) => `1 1 1:1 / ${place} rw - ${type} dev-${type} rw`;
    const mounts = parseMounts([line("/", "ext4"), line(`${dir}/a`, "xfs")].join("\n"));
    const { mountPoint, device, type, free } = volumeOf(`${dir}/a/b`, mounts, realDisk);
    assert.deepEqual([mountPoint, device, type], [`${dir}/a`, "dev-xfs", "xfs"]);
    assert.ok((free ?? 0) > 0);
    assert.equal(volumeOf(`${dir}/ab`, mounts, realDisk).type, "ext4");
    const unlisted = volumeOf(`${dir}/a/b`, undefined, realDisk);
    assert.equal(Deno.lstatSync(unlisted.mountPoint).dev, Deno.lstatSync(dir).dev);
    assert.ok(dir.startsWith(unlisted.mountPoint));
  }));

Deno.test("the trash is judged by the mount, by what the room was told, and by the file system", () =>
  inTempDir(async (dir) => {
    const look = async (over: Partial<Examination>) =>
      (await trash.look(examinationOf([dir], over))).map(({ state, text }) => `${state}: ${text}`);
    const on = (type: string, options = "rw") =>
      parseMounts(`1 1 1:1 / ${dir} ${options} - ${type} x rw`);
    assert.deepEqual(await look({ mounts: on("ext4") }), [
      `ok: ${dir}/.shieldfive-mcp-trash, made when it is needed`,
    ]);
    assert.match((await look({ mounts: on("ext4", "ro") }))[0], /^problem: .* mounted read-only$/);
    assert.match((await look({ mounts: on("exfat") }))[0], /^note: .* exfat has no way to move/);
    const rooms: Examination["rooms"] = [{
      kind: "disk-write",
      trials: [{ what: "write", folder: dir, allowed: true, errno: "EROFS" }],
    }];
    assert.match((await look({ rooms }))[0], /^problem: .* mounted read-only$/);
    Deno.chmodSync(dir, 0o555);
    const user = { uid: 4711, groups: [] };
    assert.match((await look({ user }))[0], /^problem: .* this user may not write into/);
    Deno.chmodSync(dir, 0o575);
    assert.match((await look({ user }))[0], /^note: whether this user may write/);
    Deno.chmodSync(dir, 0o755);
    plant(dir, { ".shieldfive-mcp-trash": "a file" });
    assert.match((await look({}))[0], /^problem: the trash folder .* is not a folder/);
  }));

Deno.test("a root in a place that no tool changes is told so", () =>
  inTempDir(async (dir) => {
    const found = await roots.look(examinationOf([dir], { protectedPaths: [dir] }));
    assert.deepEqual(found.map(({ check, state }) => [check, state]), [
      ["root", "ok"],
      ["root.protected", "note"],
    ]);
  }));

Deno.test("whether a user may change a folder is told only as far as its permissions decide it", () => {
  const folder = (mode: number) => ({ mode: 0o40000 | mode, uid: 1000, gid: 100 }) as Deno.FileInfo;
  const owner = { uid: 1000, groups: [] };
  const member = { uid: 2000, groups: [50, 100] };
  const other = { uid: 3000, groups: [50] };
  assert.equal(mayChange(folder(0o700), owner), "yes");
  assert.equal(mayChange(folder(0o577), owner), "no");
  assert.equal(mayChange(folder(0o600), owner), "no"); // without x nothing in it can be reached
  assert.equal(mayChange(folder(0o770), member), "yes");
  assert.equal(mayChange(folder(0o757), member), "no");
  assert.equal(mayChange(folder(0o707), other), "yes");
  assert.equal(mayChange(folder(0o755), other), "no");
  assert.equal(mayChange(folder(0o775), other), "unknown");
  assert.equal(mayChange(folder(0o500), { uid: 0, groups: [] }), "yes");
  assert.equal(mayChange(folder(0o777), { groups: [] }), "unknown");
  const windows = { mode: null, uid: null, gid: null } as Deno.FileInfo;
  assert.equal(mayChange(windows, { groups: [] }), "unknown");
});

Deno.test("a command is found by its path, through links, or in PATH, and must be executable", () =>
  inTempDir((dir) => {
    plant(dir, { "bin/tool": "", "bin/inert": "", "bin/folder/": "" });
    Deno.chmodSync(`${dir}/bin/tool`, 0o755);
    Deno.symlinkSync("tool", `${dir}/bin/linked`);
    Deno.symlinkSync("gone", `${dir}/bin/dangling`);
    const path = `:${dir}/none:${dir}/bin`;
    const problem = (command: string) => findProgram(command, path, realDisk).problem;
    assert.equal(problem(`${dir}/bin/tool`), undefined);
    assert.equal(problem(`${dir}/bin/linked`), undefined);
    assert.equal(problem("tool"), undefined);
    assert.equal(problem("inert"), "is in no folder of PATH");
    assert.equal(problem(`${dir}/bin/inert`), "is not executable");
    assert.equal(problem(`${dir}/bin/folder`), "is not a file");
    assert.equal(problem(`${dir}/bin/dangling`), "is not there");
    assert.match(problem("./bin/tool")!, /^is not an absolute path/);
  }));

Deno.test("rights for the runtime are enough when each of the program's is among them", () => {
  assert.equal(lacksRights(["run", ...PERMISSIONS, "/x/mod.ts"]), undefined);
  assert.equal(lacksRights(["run", "--allow-all", "/x/mod.ts"]), undefined);
  assert.equal(lacksRights(["run", "-RWES", "/x/mod.ts"]), undefined);
  assert.equal(
    lacksRights(["--allow-read", "--allow-write", "--allow-env", "--allow-sys"]),
    undefined,
  );
  const narrower = PERMISSIONS.map((right) => right === "--allow-write" ? `${right}=/x` : right);
  assert.equal(lacksRights(narrower), "--allow-write");
  const older = PERMISSIONS.map((right) => right.replace("HOME,", ""));
  assert.match(lacksRights(older)!, /^--allow-env=HOME,/);
});

Deno.test("the commit is read from a checkout, however it keeps it", () =>
  inTempDir((dir) => {
    const [one, two] = ["1", "2"].map((digit) => digit.repeat(40));
    const commit = (files: Record<string, string>) => {
      Deno.removeSync(dir, { recursive: true });
      Deno.mkdirSync(dir);
      plant(dir, files);
      return commitOf(`${dir}/top`, realDisk);
    };
    const branch = { "top/.git/HEAD": "ref: refs/heads/main\n" };
    assert.equal(commit({ ...branch, "top/.git/refs/heads/main": `${one}\n` }), one);
    const packed = `# pack-refs\n${two} refs/heads/old-main\n${one} refs/heads/main\n^${two}\n`;
    assert.equal(commit({ ...branch, "top/.git/packed-refs": packed }), one);
    assert.equal(commit({ "top/.git/HEAD": `${two}\n` }), two);
    assert.equal(
      commit({
        "top/.git": "gitdir: ../all/.git/worktrees/top\n",
        "all/.git/worktrees/top/HEAD": "ref: refs/heads/main\n",
        "all/.git/worktrees/top/commondir": "../..\n",
        "all/.git/refs/heads/main": one,
      }),
      one,
    );
    assert.equal(commit(branch), undefined);
    assert.equal(commit({ "top/": "" }), undefined);
    assert.equal(commit({ "top/.git/HEAD": "ref: ../../secret\n", "secret": one }), undefined);
  }));

Deno.test("what keeps a section from looking is its finding, and a bug is still a bug", async () => {
  const section = (look: () => never) => ({ name: "part", title: "Part", look });
  const withheld = await lookAt(
    section(() => {
      throw new Deno.errors.NotCapable("Requires read access");
    }),
    examinationOf([]),
  );
  const [finding] = withheld.findings;
  assert.deepEqual([finding.check, finding.state], ["part", "problem"]);
  assert.match(finding.text, /could not be looked at .*Requires read access/);
  await assert.rejects(
    lookAt(
      section(() => {
        throw new TypeError("a bug");
      }),
      examinationOf([]),
    ),
    /a bug/,
  );
});

Deno.test("nothing in a finding can forge a line or drive the terminal, and data keeps it as it is", () => {
  const name = "a\nb\x1b[2J\u202e";
  const looked = [{
    name: "part",
    title: "Part",
    findings: [{ check: "x", state: "ok", text: name, lines: [name], data: { name } }] as const,
  }].map((each) => ({
    ...each,
    findings: [...each.findings].map((f) => ({ ...f, lines: [...f.lines] })),
  }));
  const text = reportText(looked, testEnvironment());
  assert.doesNotMatch(text, /\x1b|\u202e|^b/m);
  assert.equal(text.split("\n").length, 6);
  assert.ok(JSON.stringify(reportData(looked)).includes(JSON.stringify(name)));
});

Deno.test("no two sections have a name, and docs/doctor.md lists each", () => {
  const page = Deno.readTextFileSync(new URL("../../docs/doctor.md", import.meta.url));
  const listed = [...page.matchAll(/^\| `(\w+)` +\| `[\w.]+` +\|/gm)].map(([, name]) => name);
  assert.deepEqual(SECTIONS.map(({ name }) => name), listed);
});

Deno.test("of what was left behind the first is listed, problems before notes, and the rest counted", async () => {
  const { remains } = examinationOf([]);
  const staging = Array.from({ length: 25 }, (_, i) => `/r/.shieldfive-mcp-incoming-1-${i}`);
  const batch = (i: number) => ({
    name: `b${i}`,
    folder: `/r/b${i}`,
    trash: "/r",
    manifest: i === 24 ? "unreadable" as const : "missing" as const,
    items: [],
  });
  const batches = Array.from({ length: 25 }, (_, i) => batch(i));
  const found = await remainsSection.look(
    examinationOf([], { remains: { ...remains, staging, batches } }),
  );
  const checks = found.map(({ check }) => check);
  assert.equal(checks.filter((check) => check === "remains.copy").length, 20);
  assert.equal(checks.filter((check) => check === "remains.batch").length, 20);
  assert.equal(found.filter(({ text }) => text === "5 more like these").length, 2);
  assert.equal(found.filter(({ state }) => state === "problem").length, 1);
});

Deno.test("protected places are listed where they are, and counted where nothing is yet", () =>
  inTempDir(async (dir) => {
    const protectedPaths = [dir, `${dir}/one`, `${dir}/two`];
    const found = await protectedPlaces.look(examinationOf([], { protectedPaths }));
    assert.deepEqual(found.map(({ text, data }) => [text, data]), [
      [dir, { path: dir }],
      ["2 places more, where nothing is yet", { paths: [`${dir}/one`, `${dir}/two`] }],
    ]);
  }));

/** What is said about an assistant on a machine with this configuration: "state: text". */
async function said(dir: string, configuration: unknown, path = ""): Promise<string[]> {
  const text = typeof configuration === "string"
    ? configuration
    : JSON.stringify({ mcpServers: { other: { command: "x" }, shieldfive: configuration } });
  plant(dir, { "home/.cursor/mcp.json": text });
  const environment = testEnvironment({ home: `${dir}/home`, variables: { PATH: path } });
  const found = await assistants.look(examinationOf([], { environment }));
  return found.map(({ state, text }) => `${state}: ${text}`);
}

Deno.test("an assistant is well when its command, its rights and its folders are there", () =>
  inTempDir(async (dir) => {
    plant(dir, { "root/sub/": "", "other": "#!/bin/sh\n" });
    const { command, args } = executableCommand(testEnvironment());
    const folder = `${dir}/root`;
    const one = async (entry: { command: string; args: string[]; env?: object }, path?: string) => {
      const [first, ...more] = await said(dir, entry, path);
      assert.deepEqual(more, []);
      return first;
    };
    const starts = "ok: Cursor starts this shieldfive";
    const server = [...args, "mcp", "--read-only"];
    assert.equal(await one({ command, args: [...server, folder, `${folder}/sub`] }), starts);
    const env = { SHIELDFIVE_MCP_ROOTS: folder };
    assert.equal(await one({ command, args: server, env }), starts);
    assert.match(await one({ command, args: server }), /^note: .*, and grants it no folder$/);
    assert.match(
      await one({ command, args: [...server, `${dir}/nowhere`] }),
      /^problem: Cursor: it cannot work in its root ".*nowhere": it does not exist$/,
    );
    assert.match(
      await one({ command, args: [...server, "--readonly", folder] }),
      /^problem: .*would refuse its arguments: there is no option "--readonly"/,
    );
    assert.match(await one({ command, args }), /^problem: .*it does not start the server/);
    const fewer = server.filter((word) => !word.startsWith("--allow-write"));
    assert.match(
      await one({ command, args: [...fewer, folder] }),
      /^problem: .*it starts this shieldfive without --allow-write$/,
    );

    const served = ["mcp", folder];
    assert.match(
      await one({ command: `${dir}/other`, args: served }),
      /^problem: .*other" is not executable$/,
    );
    Deno.chmodSync(`${dir}/other`, 0o755);
    assert.match(
      await one({ command: `${dir}/other`, args: served }),
      /^note: Cursor starts another shieldfive, by way of .*other$/,
    );
    assert.match(
      await one({ command: `${dir}/other`, args: ["run", `${dir}/gone.ts`, ...served] }),
      /^problem: Cursor: the program ".*gone\.ts" is not there$/,
    );
    assert.match(await one({ command: "other", args: served }), /^problem: .*no folder of PATH$/);
    assert.match(await one({ command: "other", args: served }, dir), /^note: /);
    assert.match(
      await one({ command: "other", args: ["-A", args.at(-1)!, ...served] }, dir),
      /^ok: Cursor starts this shieldfive$/,
    );
  }));

Deno.test("an assistant without an entry is a note, and one whose file cannot be read is a problem", () =>
  inTempDir(async (dir) => {
    assert.deepEqual(await said(dir, "{}"), ["note: Cursor does not start shieldfive"]);
    const [broken] = await said(dir, `{"mcpServers": {`);
    assert.match(broken, /^problem: Cursor: its configuration cannot be understood: ./);
    const nobody = testEnvironment({ home: `${dir}/nobody` });
    const none = await assistants.look(examinationOf([], { environment: nobody }));
    assert.deepEqual(none.map(({ check }) => check), ["assistant.none"]);
    const missingRights = ["read"];
    const blind = await assistants.look(examinationOf([], { environment: nobody, missingRights }));
    assert.match(blind[0].text, /^they cannot be looked for without the right to read/);
  }));
