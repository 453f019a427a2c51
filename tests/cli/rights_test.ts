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
