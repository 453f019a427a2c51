// What people and assistants are told when a room is lost in the middle of a change.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { shieldfive } from "../cli/program.ts";
import type { Death } from "../dying.ts";
import { exists, inTempDir, plant } from "../support.ts";
import { RawServer } from "./mcp_process.ts";

const DEATH: Death = { kind: "disk-write", operation: "link", after: 3 };
const DYING = {
  entry: fileURLToPath(new URL("./dying_program.ts", import.meta.url)),
  env: { SHIELDFIVE_TEST_DEATH: JSON.stringify(DEATH) },
};
const NAMES = ["a", "b", "c", "d"];

function withFiles(body: (dir: string) => Promise<void>): Promise<void> {
  return inTempDir(async (dir) => {
    plant(dir, Object.fromEntries(NAMES.map((name) => [name, name])));
    await body(dir);
  });
}

Deno.test("at the terminal, a change whose room was lost says that its outcome is unknown and where to look", () =>
  withFiles(async (dir) => {
    const words = ["trash", ...NAMES, "--yes", "--json"];
    const { code, stdout, stderr } = await shieldfive(words, { cwd: dir, ...DYING });
    assert.equal(code, 1);
    assert.deepEqual(stderr.trimEnd().split("\n"), [
      "shieldfive: the disk-write room stopped: its thread ended",
      "shieldfive: error: the disk-write room stopped before it had finished trash; " +
      "what was changed is not known [internal]",
      "shieldfive: hint: `shieldfive trashed` shows what is in the trash, `shieldfive doctor` " +
      "finds copies left unfinished; look before you try again",
    ]);
    assert.equal(JSON.parse(stdout).error.changed_anything, true);
    assert.deepEqual(NAMES.filter((name) => !exists(`${dir}/${name}`)), ["a", "b"]);
    const { stdout: trashed } = await shieldfive(["trashed", "--json"], { cwd: dir });
    for (const name of ["a", "b"]) assert.ok(trashed.includes(`"${dir}/${name}"`), trashed);
    assert.equal((await shieldfive(["doctor"], { cwd: dir })).code, 0);
  }));

Deno.test("over MCP, a change whose room was lost says that its outcome is unknown and where to look", () =>
  withFiles(async (dir) => {
    await using server = new RawServer([dir], DYING);
    await server.open();
    const args = { paths: NAMES.map((name) => `${dir}/${name}`) };
    const { structuredContent: { plan_token } } = await server.call("trash_local", args);
    const lost = await server.call("trash_local", { ...args, confirm: true, plan_token });
    assert.equal(lost.isError, true);
    assert.equal(lost.structuredContent.error.changed_anything, true);
    assert.equal(
      lost.content[0].text,
      "[internal] the disk-write room stopped before it had finished trash_local; what was changed " +
        "is not known. list_trash shows what is in the trash, list_local what is where, and " +
        "`shieldfive doctor` at a terminal finds copies left unfinished. Look before you try again",
    );
    assert.match(server.stderr, /^shieldfive: the disk-write room stopped: its thread ended$/m);
    const listed = await server.call("list_local");
    assert.match(JSON.stringify(listed.structuredContent), new RegExp(`"${dir}/c"`));
    const again = await server.call("trash_local", args);
    assert.equal(
      again.content[0].text,
      "[internal] the disk-write room stopped, so trash_local cannot run; start shieldfive again",
    );
    assert.equal(again.structuredContent.error.changed_anything, false);
  }));
