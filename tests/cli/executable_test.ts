import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { executableCommand, programPlace } from "../../cli/executable.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

Deno.test("from the sources, the command is the runtime with the kinds of rights and the entry", () => {
  const { command, args } = executableCommand({ variables: {} });
  assert.equal(command, Deno.execPath());
  assert.deepEqual(args, [
    "run",
    "--unstable-worker-options",
    ...["--allow-read", "--allow-write", "--allow-env", "--allow-sys", "--no-prompt"],
    ...["--allow-net", "--allow-ffi", "--allow-run"],
    `${ROOT}mod.ts`,
  ]);
  assert.equal(programPlace({ variables: {} }), ROOT.slice(0, -1));
});

Deno.test("the command starts the program from any folder", async () => {
  const { command, args } = executableCommand({ variables: {} });
  const { stdout } = await new Deno.Command(command, { args: [...args, "--version"], cwd: "/" })
    .output();
  assert.match(new TextDecoder().decode(stdout), /^shieldfive \d/);
});

Deno.test("a variable that another process left does not make the sources a self-extracting file", () => {
  const left = { variables: { SHIELDFIVE_EXECUTABLE: "/usr/local/bin/shieldfive" } };
  assert.equal(executableCommand(left).command, Deno.execPath());
  assert.equal(programPlace(left), ROOT.slice(0, -1));
});
