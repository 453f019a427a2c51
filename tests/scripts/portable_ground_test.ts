// The self-extracting executable where it has no place of its own, or where the place is somebody else's.

import assert from "node:assert/strict";
import { exists, inTempDir } from "../support.ts";
import {
  asNobody,
  IGNORE,
  inside,
  packed,
  placeIn,
  run,
  type Started,
  unpacked,
} from "./packed.ts";

function test(name: string, body: (dir: string) => Promise<void>): void {
  Deno.test({ name, ignore: IGNORE, fn: () => inTempDir(body) });
}

const ARGUMENTS = ["arguments", "yes"];

/** The start went well; gives the folder that it says it runs from in place of the cache. */
function assertElsewhere(told: Started, tmp: string, why: RegExp): string {
  assert.equal(told.code, 0, told.stderr);
  assert.equal(told.stdout, "yes|");
  const [, reason, place] =
    /^shieldfive: warning: (.*); the program runs from (.*)\n$/.exec(told.stderr) ?? [];
  assert.match(reason ?? told.stderr, why);
  assert.match(place, new RegExp(`^${RegExp.escape(tmp)}/shieldfive-\\w{10}$`));
  return place;
}

/** The next start says nothing and makes nothing. */
async function assertFoundAgain(start: () => Promise<Started>, tmp: string): Promise<void> {
  const before = [...Deno.readDirSync(tmp)].map(({ name }) => name);
  assert.deepEqual(await start(), { code: 0, stdout: "yes|", stderr: "" });
  assert.deepEqual([...Deno.readDirSync(tmp)].map(({ name }) => name), before);
}

/** A folder for temporary files as systems have it, for all users. */
function sharedTemporary(dir: string): string {
  Deno.mkdirSync(`${dir}/shared`);
  Deno.chmodSync(`${dir}/shared`, 0o1777);
  Deno.chmodSync(dir, 0o755);
  return `${dir}/shared`;
}

test("another user starts it from a folder that cannot be written, in a path with spaces", async (dir) => {
  const by = asNobody();
  if (by === undefined) return;
  Deno.mkdirSync(`${dir}/read only`);
  const file = await packed(`${dir}/read only`);
  Deno.chmodSync(file, 0o555);
  Deno.chmodSync(`${dir}/read only`, 0o555);
  Deno.chmodSync(dir, 0o755);
  const env = inside(dir);
  Deno.chownSync(env.HOME, 65534, 65534);
  for (let time = 0; time < 2; time++) {
    const told = await run(file, ARGUMENTS, { env, by, cwd: `${dir}/read only` });
    assert.deepEqual(told, { code: 0, stdout: "yes|", stderr: "" });
  }
  assert.equal(Deno.statSync(unpacked(placeIn(dir))).uid, 65534);
});

test("without a home folder it runs from a private folder, and finds that again", async (dir) => {
  const by = asNobody(); // whose account has no folder either
  if (by === undefined) return;
  const tmp = sharedTemporary(dir);
  const file = await packed(dir);
  const homes: Record<string, string>[] = [{}, { HOME: "" }, { HOME: "relative" }];
  for (const home of [...homes, { HOME: "/nonexistent" }]) {
    const env: Record<string, string> = { ...home, TMPDIR: tmp };
    const start = () => run(file, ARGUMENTS, { env, by, cwd: tmp });
    const place = assertElsewhere(
      await start(),
      tmp,
      /^\/nonexistent\/.* is not used: the folder/,
    );
    assert.equal(Deno.statSync(place).mode! & 0o7777, 0o700);
    await assertFoundAgain(start, tmp);
    Deno.removeSync(`${unpacked(place)}/files/main.js`);
    await assertFoundAgain(start, tmp);
    Deno.removeSync(place, { recursive: true });
  }
});

test("a cache that cannot be written is passed over with a word", async (dir) => {
  const by = asNobody();
  if (by === undefined) return;
  const tmp = sharedTemporary(dir);
  const file = await packed(dir);
  const env = { HOME: `${dir}/home`, TMPDIR: tmp };
  Deno.mkdirSync(`${dir}/home/.cache`, { recursive: true });
  for (const each of [env.HOME, `${dir}/home/.cache`]) Deno.chownSync(each, 65534, 65534);
  Deno.chmodSync(`${dir}/home/.cache`, 0o555);
  const start = () => run(file, ARGUMENTS, { env, by });
  assertElsewhere(await start(), tmp, /shieldfive\/program cannot be made/);
  await assertFoundAgain(start, tmp);
});

test("a program that is there already starts from a cache that cannot be written", async (dir) => {
  const by = asNobody();
  if (by === undefined) return;
  const file = await packed(dir);
  Deno.chmodSync(dir, 0o755);
  const env = inside(dir);
  Deno.chownSync(env.HOME, 65534, 65534);
  const start = () => run(file, ARGUMENTS, { env, by });
  await start();
  const version = unpacked(placeIn(dir));
  for (const stampIsThere of [true, false]) {
    if (!stampIsThere) Deno.removeSync(`${version}/stamp`);
    for (const each of [placeIn(dir), version]) Deno.chmodSync(each, 0o555);
    Deno.chmodSync(`${version}/used`, 0o400);
    assert.deepEqual(await start(), { code: 0, stdout: "yes|", stderr: "" });
  }
});

test("on a full disk it says so, and leaves nothing", async (dir) => {
  if (Deno.build.os !== "linux" || Deno.uid() !== 0) {
    return console.log("skipped: mounting takes Linux and the rights of root");
  }
  const file = await packed(dir, { runtime: "#!/bin/sh\n" + "#".repeat(4_000_000) });
  Deno.mkdirSync(`${dir}/full`);
  const line = `mount -t tmpfs -o size=1m,mode=700 none "${dir}/full" && ` +
    `"$0" "$@"; code=$?; find "${dir}/full" -type f >&2; exit $code`;
  const by = ["unshare", "-m", "sh", "-c", line];
  const env = { HOME: `${dir}/full`, TMPDIR: `${dir}/full` };
  const { code, stderr } = await run(file, ARGUMENTS, { env, by });
  assert.equal(code, 1);
  const [error, hint, ...left] = stderr.trimEnd().split("\n");
  assert.match(error, /^shieldfive: error: the program takes 3 MB, and .* has [01] MB left$/);
  assert.match(hint, /^shieldfive: hint: XDG_CACHE_HOME can name a folder of yours with room/);
  assert.deepEqual(left, []);
});

test("a place where programs may not run is passed over with a word", async (dir) => {
  if (Deno.build.os !== "linux" || Deno.uid() !== 0) {
    return console.log("skipped: mounting takes Linux and the rights of root");
  }
  const file = await packed(dir);
  Deno.mkdirSync(`${dir}/home`);
  Deno.mkdirSync(`${dir}/tmp`);
  const line = `mount -t tmpfs -o noexec,mode=700 none "${dir}/home" && exec "$0" "$@"`;
  const by = ["unshare", "-m", "sh", "-c", line];
  const env = { HOME: `${dir}/home`, TMPDIR: `${dir}/tmp` };
  assertElsewhere(
    await run(file, ARGUMENTS, { env, by }),
    env.TMPDIR,
    /^programs may not be started/,
  );
});

test("what somebody else put in the way is never started", async (dir) => {
  const by = asNobody();
  if (by === undefined) return;
  const tmp = sharedTemporary(dir);
  const file = await packed(dir);
  // The other one, who is root here, knows the version and makes everything as it should be, with a
  // runtime of their own.
  const planted = inside(`${dir}/other`);
  await run(file, ARGUMENTS, { env: planted });
  const evil = unpacked(placeIn(`${dir}/other`));
  Deno.writeTextFileSync(`${dir}/evil.sh`, `#!/bin/sh\necho EVIL\n`, { mode: 0o755 });
  Deno.renameSync(`${dir}/evil.sh`, `${evil}/files/deno`);
  await new Deno.Command("chmod", { args: ["-R", "a+rX", `${dir}/other`] }).output();
  const stamp = await new Deno.Command("sh", {
    args: ["-c", `cd "${evil}/files" && TZ=UTC0 stat -c '%u %a %s %z' . * web/* >../stamp`],
  }).output();
  assert.ok(stamp.success);
  const places: [string, () => Record<string, string>][] = [
    ["a folder for temporary files", () => {
      Deno.renameSync(placeIn(`${dir}/other`), `${tmp}/shieldfive-aaaaaaaaaa`);
      return {};
    }],
    ["a cache that both can write", () => {
      Deno.mkdirSync(`${tmp}/cache/shieldfive`, { recursive: true });
      Deno.renameSync(`${tmp}/shieldfive-aaaaaaaaaa`, `${tmp}/cache/shieldfive/program`);
      return { XDG_CACHE_HOME: `${tmp}/cache` };
    }],
    ["a link from the user's own cache", () => {
      Deno.mkdirSync(`${dir}/home/.cache/shieldfive`, { recursive: true });
      Deno.symlinkSync(
        `${tmp}/cache/shieldfive/program`,
        `${dir}/home/.cache/shieldfive/program`,
      );
      for (const each of ["home", "home/.cache", "home/.cache/shieldfive"]) {
        Deno.chownSync(`${dir}/${each}`, 65534, 65534);
      }
      return { HOME: `${dir}/home` };
    }],
  ];
  for (const [what, plant] of places) {
    const env = { TMPDIR: tmp, ...plant() };
    const told = await run(file, ARGUMENTS, { env, by });
    assert.equal(told.stdout, "yes|", what);
    for (const { name } of Deno.readDirSync(tmp)) {
      if (/^shieldfive-/.test(name) && Deno.statSync(`${tmp}/${name}`).uid === 65534) {
        Deno.removeSync(`${tmp}/${name}`, { recursive: true });
      }
    }
  }
});

test("with the rights of root it neither starts from nor writes into another user's home", async (dir) => {
  if (asNobody() === undefined) return; // this is about a root that was given somebody's HOME
  const file = await packed(dir);
  const env = inside(dir);
  Deno.chownSync(env.HOME, 65534, 65534);
  assertElsewhere(
    await run(file, ARGUMENTS, { env }),
    env.TMPDIR,
    /is not used: the folder for it is not yours/,
  );
  assert.deepEqual([...Deno.readDirSync(env.HOME)], []);
});

test("a folder for temporary files where others could take ours away is not used", async (dir) => {
  const by = asNobody();
  if (by === undefined) return;
  const file = await packed(dir);
  Deno.mkdirSync(`${dir}/open`);
  Deno.chmodSync(`${dir}/open`, 0o777);
  Deno.chmodSync(dir, 0o755);
  const { code, stderr } = await run(file, ARGUMENTS, { env: { TMPDIR: `${dir}/open` }, by });
  assert.equal(code, 1);
  assert.match(stderr, /^shieldfive: error: .* is not used: the folder for it is not yours\n/);
  assert.equal(exists(`${dir}/open/shieldfive`), false);
  assert.deepEqual([...Deno.readDirSync(`${dir}/open`)], []);
});
