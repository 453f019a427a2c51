import assert from "node:assert/strict";
import { inTempDir } from "../support.ts";

/** Tries everything that a right allows, after giving the rights up, and prints what was refused. */
const ATTEMPTS = `
const { giveUpRights } = await import(Deno.args[0]);
giveUpRights(JSON.parse(Deno.args[1]));
const attempts = {
  read: () => Deno.readTextFileSync(Deno.args[2] + "/file"),
  list: () => [...Deno.readDirSync(Deno.args[2])],
  write: () => Deno.writeTextFileSync(Deno.args[2] + "/new", "x"),
  connect: () => Deno.connect({ hostname: "127.0.0.1", port: 9 }),
  listen: () => Deno.listen({ hostname: "127.0.0.1", port: 0 }),
  fetch: () => fetch("http://127.0.0.1:8099/"),
  run: () => new Deno.Command("true").outputSync(),
  env: () => Deno.env.get("HOME"),
  load: () => Deno.dlopen("/lib/libc.so.6", {}),
  sys: () => Deno.hostname(),
  import: () => import("http://127.0.0.1:8099/x.ts".slice()),
  worker: () => new Worker("data:text/javascript,", { type: "module", deno: { permissions: { read: true } } }),
};
const refused = [];
for (const [name, attempt] of Object.entries(attempts)) {
  try {
    await attempt();
  } catch (error) {
    const why = error instanceof Deno.errors.NotCapable || /Requires \\w+ access|Can't escalate/.test(error.message);
    if (why) refused.push(name);
    else console.error(name, error.message);
  }
}
console.log(JSON.stringify(refused));
Deno.exit();
`;

async function refusedAfterGivingUp(keep: string[], dir: string): Promise<string[]> {
  Deno.writeTextFileSync(`${dir}/file`, "content");
  Deno.writeTextFileSync(`${dir}/attempts.ts`, ATTEMPTS);
  const rights = new URL("../../cli/rights.ts", import.meta.url).href;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-prompt", "--no-config", "--no-lock", "--unstable-worker-options"]
      .concat(`${dir}/attempts.ts`, rights, JSON.stringify(keep), dir),
    stderr: "piped",
  });
  const { stdout, stderr } = await child.output();
  assert.equal(new TextDecoder().decode(stderr), "");
  assert.equal(Deno.lstatSync(`${dir}/file`).size, 7);
  return JSON.parse(new TextDecoder().decode(stdout));
}

Deno.test("after the rights are given up, the runtime refuses everything that needs one", () =>
  inTempDir(async (dir) => {
    assert.deepEqual(await refusedAfterGivingUp([], dir), [
      "read",
      "list",
      "write",
      "connect",
      "listen",
      "fetch",
      "run",
      "env",
      "load",
      "sys",
      "import",
      "worker",
    ]);
    assert.throws(() => Deno.lstatSync(`${dir}/new`), Deno.errors.NotFound);
  }));

/** Runs a command in a process with every right, and says whether it could use the network after that. */
async function networkAfter(words: string[], dir: string): Promise<string> {
  const url = (path: string) => JSON.stringify(new URL(`../../${path}`, import.meta.url).href);
  Deno.writeTextFileSync(
    `${dir}/network.ts`,
    `import { main } from ${url("cli/main.ts")};
     import { testEnvironment } from ${url("tests/cli/environment.ts")};
     await main(Deno.args, testEnvironment({ cwd: "/", home: "/home/me" }));
     console.log(Deno.permissions.querySync({ name: "net" }).state);`,
  );
  const config = new URL("../../deno.json", import.meta.url).pathname;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-prompt", "--config", config, `${dir}/network.ts`, ...words],
  }).output();
  return new TextDecoder().decode(stdout).trim();
}

Deno.test("a command that does not use the network gives it up before it begins", () =>
  inTempDir(async (dir) => {
    assert.notEqual(await networkAfter(["completions", "bash"], dir), "granted");
    assert.equal(await networkAfter(["serve", "--show-permissions"], dir), "granted");
  }));

Deno.test("what takes a right that the runtime withholds says which, and is no bug", () =>
  inTempDir(async (dir) => {
    const entry = new URL("../../mod.ts", import.meta.url).pathname;
    const narrow = ["--allow-read", "--allow-write", "--allow-env", "--allow-sys=uid,statfs"];
    const run = async (args: string[], env: Record<string, string> = {}) => {
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "--quiet", "--no-prompt", ...narrow, entry, ...args],
        cwd: dir,
        env: { ...env, SHIELDFIVE_MCP_CONFIG_DIR: dir, XDG_STATE_HOME: dir, NO_COLOR: "1" },
      }).output();
      const text = new TextDecoder();
      return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
    };
    const serve = await run(["serve", "--data", `${dir}/vault`, "--port", "8123"]);
    assert.equal(serve.code, 1);
    assert.equal(
      serve.stderr,
      "shieldfive: error: the runtime was started without a right that this takes: net: 127.0.0.1:8123; " +
        "start it with -A, or with that right [not_permitted]\n",
    );
    // A keychain is no more than one place to look in; without its code there is none.
    const status = await run(["status"], { SHIELDFIVE_GRANT: "" });
    assert.deepEqual([status.code, status.stderr], [0, ""]);
    assert.match(status.stdout, /^No connection is configured.*\nThere is no system keychain here/);
  }));
