// The self-extracting executable and the place that it unpacks to: once, whole, found again, repaired when it
// was damaged, and never one that somebody else could have made or changed.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { exists, inTempDir } from "../support.ts";
import { IGNORE, inside, packed, placeIn, run, type Started, unpacked } from "./packed.ts";

function test(name: string, body: (dir: string) => Promise<void>): void {
  Deno.test({ name, ignore: IGNORE, fn: () => inTempDir(body) });
}

/** The start went well and said nothing but what the program says. */
function assertStarted(told: Started, what?: string): void {
  assert.deepEqual(told, { code: 0, stdout: "yes|", stderr: "" }, what);
}

const ARGUMENTS = ["arguments", "yes"];

/** Inode numbers of what was unpacked. */
function inodes(place: string): number[] {
  const files = `${unpacked(place)}/files`;
  return [...Deno.readDirSync(files)].map(({ name }) => Deno.statSync(`${files}/${name}`).ino!);
}

/** Moves a file's times back by so many days. */
function backdate(path: string, days: number): void {
  const then = new Date(Date.now() - days * 86_400_000);
  Deno.utimeSync(path, then, then);
}

test("it is unpacked once, into folders that are the user's alone", async (dir) => {
  const file = await packed(dir);
  const env = inside(dir);
  assertStarted(await run(file, ARGUMENTS, { env }));
  const first = inodes(placeIn(dir));
  assertStarted(await run(file, ARGUMENTS, { env }));
  assert.deepEqual(inodes(placeIn(dir)), first);
  const version = unpacked(placeIn(dir));
  const mode = (path: string) => Deno.statSync(path).mode! & 0o7777;
  for (const folder of [placeIn(dir), version, `${version}/files`, `${version}/files/web`]) {
    assert.equal(mode(folder), 0o700, folder);
  }
  assert.equal(mode(`${version}/files/deno`), 0o500);
  assert.equal(mode(`${version}/files/web/page.html`), 0o400);
  assert.deepEqual([...Deno.readDirSync(placeIn(dir))].length, 1, "something was left");
});

test("the cache is where the rules of the system say", async (dir) => {
  if (Deno.build.os !== "linux") return;
  const file = await packed(dir);
  const { TMPDIR } = inside(dir);
  const env = { HOME: `${dir}/home`, XDG_CACHE_HOME: `${dir}/home/elsewhere`, TMPDIR };
  assertStarted(await run(file, ARGUMENTS, { env }));
  unpacked(`${dir}/home/elsewhere/shieldfive/program`);
  assertStarted(await run(file, ARGUMENTS, { env: { ...env, XDG_CACHE_HOME: "relative" } }));
  unpacked(placeIn(dir));
});

test("a file that was cut, lost, edited, replaced or opened to others is noticed and repaired", async (dir) => {
  const file = await packed(dir);
  const env = inside(dir);
  assertStarted(await run(file, ARGUMENTS, { env }));
  const files = `${unpacked(placeIn(dir))}/files`;
  const sound = Deno.readTextFileSync(`${files}/deno`);
  const edit = (name: string, change: (text: string) => string) => {
    const { atime, mtime } = Deno.statSync(`${files}/${name}`);
    const text = change(Deno.readTextFileSync(`${files}/${name}`));
    Deno.chmodSync(`${files}/${name}`, 0o700);
    Deno.writeTextFileSync(`${files}/${name}`, text);
    Deno.chmodSync(`${files}/${name}`, name === "deno" ? 0o500 : 0o400);
    Deno.utimeSync(`${files}/${name}`, atime!, mtime!);
  };
  const damages: [string, () => void][] = [
    ["the runtime is cut", () => edit("deno", (text) => text.slice(0, 99))],
    ["the runtime is empty", () => edit("deno", () => "")],
    ["as long, with its old time", () => edit("deno", (text) => text.replace("env", "ENV"))],
    ["a chunk is edited", () => edit("chunk-1.js", () => "two")],
    ["a page is edited", () => edit("web/page.html", () => "PAGE")],
    ["a file is lost", () => Deno.removeSync(`${files}/main.js`)],
    ["a folder is lost", () => Deno.removeSync(`${files}/web`, { recursive: true })],
    ["all is lost", () => Deno.removeSync(files, { recursive: true })],
    ["the list of digests is edited", () => edit("sums", (text) => text.replace(/^\w/, "x"))],
    ["a file is edited, and its digest", () => {
      const digest = (text: string) => createHash("sha256").update(text).digest("hex");
      edit("main.js", () => "evil");
      edit("sums", (text) => text.replace(digest("main"), digest("evil")));
    }],
    ["others may write the runtime", () => Deno.chmodSync(`${files}/deno`, 0o522)],
    ["others may write into the folder", () => Deno.chmodSync(files, 0o777)],
    ["a link in the place of a file", () => {
      Deno.renameSync(`${files}/main.js`, `${dir}/main.js`);
      Deno.symlinkSync(`${dir}/main.js`, `${files}/main.js`);
    }],
  ];
  for (const [what, damage] of damages) {
    damage();
    assertStarted(await run(file, ARGUMENTS, { env }), what);
    assert.equal(Deno.readTextFileSync(`${files}/deno`), sound, what);
    assert.equal(Deno.readTextFileSync(`${files}/main.js`), "main", what);
    assert.equal(Deno.readTextFileSync(`${files}/chunk-1.js`), "one", what);
    assert.equal(Deno.readTextFileSync(`${files}/web/page.html`), "page", what);
    assert.equal(Deno.lstatSync(`${files}/main.js`).isFile, true, what);
    assert.equal(Deno.statSync(files).mode! & 0o777, 0o700, what);
    const before = inodes(placeIn(dir));
    assertStarted(await run(file, ARGUMENTS, { env }), what);
    assert.deepEqual(inodes(placeIn(dir)), before, `${what}: unpacked again`);
  }
  assert.deepEqual([...Deno.readDirSync(placeIn(dir))].length, 1, "something was left");
});

test("files that are only newer than their record are checked and kept", async (dir) => {
  const file = await packed(dir);
  const env = inside(dir);
  assertStarted(await run(file, ARGUMENTS, { env }));
  const before = inodes(placeIn(dir));
  const stamp = `${unpacked(placeIn(dir))}/stamp`;
  for (const change of [() => Deno.removeSync(stamp), () => Deno.writeTextFileSync(stamp, "")]) {
    change();
    assertStarted(await run(file, ARGUMENTS, { env }));
    assert.deepEqual(inodes(placeIn(dir)), before);
    assert.notEqual(Deno.readTextFileSync(stamp), "");
  }
});

test("several first starts at once all start, and leave one program and nothing else", async (dir) => {
  const file = await packed(dir);
  const env = inside(dir);
  for (let round = 0; round < 3; round++) {
    const all = await Promise.all(Array.from({ length: 6 }, () => run(file, ARGUMENTS, { env })));
    for (const told of all) assertStarted(told);
    const files = `${unpacked(placeIn(dir))}/files`;
    assert.deepEqual([...Deno.readDirSync(files)].map(({ name }) => name).sort(), [
      "chunk-1.js",
      "deno",
      "main.js",
      "sums",
      "web",
    ]);
    assert.deepEqual([...Deno.readDirSync(placeIn(dir))].length, 1, "something was left");
    // In the next round they find it damaged.
    Deno.removeSync(`${files}/main.js`);
  }
});

test("a start that was ended while it moved the program in does not lock out the others", async (dir) => {
  const file = await packed(dir);
  const env = inside(dir);
  assertStarted(await run(file, ARGUMENTS, { env }));
  const version = unpacked(placeIn(dir));
  Deno.removeSync(`${version}/files/main.js`);
  Deno.mkdirSync(`${version}/lock`);
  backdate(`${version}/lock`, 1);
  assertStarted(await run(file, ARGUMENTS, { env }));
  assert.equal(Deno.readTextFileSync(`${version}/files/main.js`), "main");
  assert.equal(exists(`${version}/lock`), false);
});

test("a damaged download is said to be one, and nothing is left of it", async (dir) => {
  const file = await packed(dir);
  const env = inside(dir);
  const whole = Deno.readFileSync(file);
  const middle = whole.slice();
  middle[whole.length - 300] ^= 0xff;
  const cases: [string, Uint8Array, RegExp][] = [
    ["cut", whole.slice(0, -200), /^shieldfive: error: this file is damaged: it has \d+ bytes and/],
    ["other", middle, /^shieldfive: error: this file is damaged: what is packed in it/],
  ];
  for (const [what, bytes, message] of cases) {
    Deno.writeFileSync(file, bytes);
    const { code, stdout, stderr } = await run(file, ARGUMENTS, { env });
    assert.equal(code, 1, what);
    assert.equal(stdout, "", what);
    assert.match(stderr, message, what);
    assert.match(stderr, /^shieldfive: hint: download it again: .*\n$/m, what);
    assert.equal(stderr.trimEnd().split("\n").length, 2, stderr);
    const version = unpacked(placeIn(dir));
    assert.deepEqual([...Deno.readDirSync(version)], [], what);
    assert.deepEqual([...Deno.readDirSync(placeIn(dir))].length, 1, what);
  }
});

test("of a file that was cut in the script nothing is run", async (dir) => {
  const file = await packed(dir);
  const env = inside(dir);
  const whole = Deno.readFileSync(file);
  const length = Number(/^offset=(\d+)$/m.exec(new TextDecoder().decode(whole))![1]) - 1;
  for (let cut = 20; cut < length - 2; cut += 97) {
    Deno.writeFileSync(file, whole.slice(0, cut));
    const { code, stdout } = await run(file, ARGUMENTS, { env });
    assert.notEqual(code, 0, `cut to ${cut} bytes`);
    assert.equal(stdout, "");
  }
  assert.deepEqual([...Deno.readDirSync(env.HOME)], []);
});

test("a file for another machine says what it is for", async (dir) => {
  const env = inside(dir);
  const foreign = await packed(dir, { runtime: "\x7fELF\x02\x01\x01 nothing that runs here" });
  const told = await run(foreign, ARGUMENTS, { env });
  assert.equal(told.code, 1);
  assert.match(told.stderr, /error: this file is for tests, and its runtime does not start here/);
  const text = Deno.readTextFileSync(await packed(dir));
  Deno.writeTextFileSync(`${dir}/shieldfive`, text.replace(/^system=.*$/m, "system=Plan9"));
  const { code, stderr } = await run(`${dir}/shieldfive`, ARGUMENTS, { env });
  assert.equal(code, 1);
  assert.match(stderr, /^shieldfive: error: this file is for tests, and this is \w+\n$/);
});

test("versions that were not used for a week go, unless they are running", async (dir) => {
  const env = inside(dir);
  const old = await packed(dir, { name: "old", version: "0.0.1" });
  const older = await packed(dir, { name: "older", version: "0.0.2" });
  const recent = await packed(dir, { name: "recent", version: "0.0.3" });
  for (const file of [old, older, recent]) assertStarted(await run(file, ARGUMENTS, { env }));
  const version = (start: string) =>
    `${placeIn(dir)}/` +
    [...Deno.readDirSync(placeIn(dir))].find(({ name }) => name.startsWith(start))!.name;
  const [gone, busy, kept] = ["0.0.1-", "0.0.2-", "0.0.3-"].map(version);
  for (const each of [gone, busy]) backdate(`${each}/used`, 8);
  backdate(`${kept}/used`, 6);
  // The program of a version that runs for longer than that.
  Deno.removeSync(`${busy}/files/deno`);
  Deno.copyFileSync("/bin/sleep", `${busy}/files/deno`);
  const running = new Deno.Command(`${busy}/files/deno`, { args: ["60"] }).spawn();
  try {
    assertStarted(await run(await packed(dir), ARGUMENTS, { env }));
    assert.deepEqual([gone, busy, kept].map(exists), [false, true, true]);
  } finally {
    running.kill();
    await running.status;
  }
  assertStarted(await run(await packed(dir, { version: "0.1.1" }), ARGUMENTS, { env }));
  assert.equal(exists(busy), false);
});

test("what an ended start left is removed, and what a running one writes is not", async (dir) => {
  const file = await packed(dir);
  const env = inside(dir);
  assertStarted(await run(file, ARGUMENTS, { env }));
  const [left, fresh] = ["left", "fresh"].map((name) => `${placeIn(dir)}/.new-${name}`);
  for (const each of [left, fresh]) Deno.mkdirSync(each);
  Deno.writeTextFileSync(`${left}/deno`, "half");
  backdate(left, 1);
  assertStarted(await run(file, ARGUMENTS, { env }));
  assert.deepEqual([left, fresh].map(exists), [false, true]);
});
