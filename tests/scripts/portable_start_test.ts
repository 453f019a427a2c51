// The self-extracting executable as a shell script: what it passes on, and what it keeps away.

import assert from "node:assert/strict";
import { CONNECTION, NETWORK } from "../../cli/executable.ts";
import { portableFlags } from "../../scripts/portable/pack.ts";
import { inTempDir } from "../support.ts";
import { environmentIn, IGNORE, inside, packed, placeIn, run, spawn, unpacked } from "./packed.ts";

function test(name: string, body: (dir: string) => Promise<void>): void {
  Deno.test({ name, ignore: IGNORE, fn: () => inTempDir(body) });
}

test("arguments, input, output and exit code pass through", async (dir) => {
  const file = await packed(dir);
  const env = inside(dir);
  const words = ["", "two words", "'single'", '"double"', "$HOME", "*", "a\nb", "--help", "-x"];
  const told = await run(file, ["arguments", ...words], { env });
  assert.deepEqual(told, { code: 0, stdout: words.join("|") + "|", stderr: "" });
  const input = "line\n\0\xff".repeat(20_000);
  assert.equal((await run(file, ["repeat"], { env, stdin: input })).stdout, input);
  assert.equal((await run(file, ["exit", "37"], { env })).code, 37);
});

test("every shell that can stand for sh starts it, the first time and again", async (dir) => {
  const shells = ["dash", "bash", "busybox", "mksh", "zsh", "yash"];
  const here: string[] = [];
  for (const shell of shells) {
    const { success, stdout } = await new Deno.Command("sh", {
      args: ["-c", `command -v ${shell}`],
    }).output();
    if (!success) continue;
    here.push(shell);
    Deno.mkdirSync(`${dir}/${shell}`);
    Deno.symlinkSync(new TextDecoder().decode(stdout).trim(), `${dir}/${shell}/sh`);
    const file = await packed(`${dir}/${shell}`);
    const env = { ...inside(`${dir}/${shell}`), DENO_DIR: "a b\nDENO_X=1", NODE_OPTIONS: "*" };
    for (const time of ["first", "second"]) {
      const options = { by: [`${dir}/${shell}/sh`], env, stdin: "in" };
      const told = await run(file, ["repeat"], options);
      assert.deepEqual(told, { code: 0, stdout: "in", stderr: "" }, `${shell}, ${time} time`);
      const found = environmentIn(await run(file, ["environment"], options));
      assert.equal(found.get("SHIELDFIVE_KEPT_DENO_DIR"), "a b\nDENO_X=1", shell);
      assert.equal(found.get("SHIELDFIVE_KEPT_NODE_OPTIONS"), "*", shell);
    }
  }
  console.log(`tried with ${here.join(", ")}`);
});

test("the runtime gets exactly its flags, the entry, and what was typed", async (dir) => {
  const file = await packed(dir);
  const files = () => `${unpacked(placeIn(dir))}/files`;
  for (
    const [word, ...added] of [["words"], ["serve", NETWORK], ["doctor", NETWORK, ...CONNECTION], [
      "logout",
      ...CONNECTION,
    ]]
  ) {
    const { stdout } = await run(file, [word, "serve"], { env: inside(dir) });
    assert.equal(
      stdout,
      [`${files()}/deno`, ...portableFlags(), ...added, `${files()}/main.js`, word, "serve", ""]
        .join("|"),
    );
  }
});

test("it says where it is, however it was called", async (dir) => {
  const place = `${dir}/a place`;
  Deno.mkdirSync(`${place}/below`, { recursive: true });
  const file = await packed(place);
  Deno.symlinkSync(file, `${dir}/link`);
  const env = inside(dir);
  const path = `${place}:${Deno.env.get("PATH")}`;
  // By env, which hands on the name as it is.
  const ways: [string, string, string[]?][] = [
    [file, file],
    ["./shieldfive", file],
    ["../shieldfive", `${place}/below/../shieldfive`],
    ["shieldfive", file, ["env", `PATH=${path}`]],
    ["shieldfive", file, ["sh"]],
    [`${dir}/link`, `${dir}/link`],
  ];
  for (const [called, expected, by = ["env"]] of ways) {
    const cwd = called.startsWith("..") ? `${place}/below` : place;
    const told = environmentIn(await run(called, ["environment"], { env, cwd, by }));
    assert.equal(told.get("SHIELDFIVE_EXECUTABLE"), expected, called);
  }
});

test("what would steer the runtime is set aside, and everything else is as it was", async (dir) => {
  const steering = {
    DENO_DIR: "/elsewhere",
    DENO_V8_FLAGS: "--single-threaded",
    DENO_PERMISSION_BROKER_PATH: "/broker",
    DENO_NO_PROMPT: "",
    OTEL_DENO: "true",
    NODE_OPTIONS: "--require 'x y'\nz",
    NPM_CONFIG_REGISTRY: "http://localhost:1",
    npm_config_registry: "http://localhost:2",
    SSLKEYLOGFILE: "/keys",
  };
  const plain = { NO_COLOR: "1", MY_DENO_DIR: "DENO_DIR=1", NODE_EXTRA_CA_CERTS: "/ca", IFS: "x" };
  const env = { ...inside(dir), ...steering, ...plain };
  const told = environmentIn(await run(await packed(dir), ["environment"], { env }));
  for (const [name, value] of Object.entries(steering)) {
    assert.equal(told.get(`SHIELDFIVE_KEPT_${name}`), value, name);
    if (name !== "DENO_DIR") assert.equal(told.has(name), false, name);
  }
  assert.equal(told.get("NODE_EXTRA_CA_CERTS"), "/ca");
  assert.equal(told.get("MY_DENO_DIR"), "DENO_DIR=1");
  assert.equal(told.get("PATH"), Deno.env.get("PATH"));
  const version = unpacked(placeIn(dir));
  assert.equal(told.get("DENO_DIR"), `${version}/cache`);
  assert.equal(told.get("HOME"), version);
  assert.equal(told.get("SHIELDFIVE_KEPT_HOME"), `${dir}/home`);
  const kept = told.get("SHIELDFIVE_KEPT")?.split(" ").filter((name) => name !== "");
  assert.deepEqual(kept?.sort(), ["HOME", ...Object.keys(steering)].sort());
});

test("the mode of new files is the caller's business", async (dir) => {
  const file = await packed(dir);
  const env = inside(dir);
  for (const mask of ["0002", "0027"]) {
    const by = ["sh", "-c", `umask ${mask}; exec "$0" "$@"`];
    assert.equal((await run(file, ["umask"], { env, by })).stdout.trim(), mask);
  }
});

test("a signal reaches the program itself", async (dir) => {
  const file = await packed(dir);
  const child = spawn(file, ["wait"], { env: inside(dir) });
  await child.stdin.close();
  const reader = child.stdout.getReader();
  assert.equal(new TextDecoder().decode((await reader.read()).value), "waiting\n");
  child.kill("SIGTERM");
  assert.equal((await child.status).code, 44);
  await Promise.all([reader.cancel(), child.stderr.cancel()]);
});

test("it starts with its input, output and error output closed", async (dir) => {
  const file = await packed(dir);
  const env = inside(dir);
  for (const closed of ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"]) {
    const by = ["sh", "-c", `"$0" "$@" ${closed}; echo $? >"${dir}/code"`];
    Deno.removeSync(env.HOME, { recursive: true });
    Deno.mkdirSync(env.HOME);
    for (let time = 0; time < 2; time++) {
      await run(file, ["exit", "7"], { env, by });
      assert.equal(Deno.readTextFileSync(`${dir}/code`), "7\n", closed);
    }
  }
});
