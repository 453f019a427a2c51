// The room that writes the files of assistants: the runtime holds it to those very files, whatever it is
// told to do.

import assert from "node:assert/strict";
import { Room } from "../../containment/rooms/host.ts";
import { roomModule } from "../../containment/rooms/modules.ts";
import { describePermissions } from "../../containment/rooms/permissions.ts";
import type { Outcome } from "../../cli/commands/setup/carry_out.ts";
import { EVERY_TRY, type Outcome as Tried } from "../containment/room_probe.ts";
import { inTempDir, plant } from "../support.ts";
import { benchIn, clientCalled, ENTRY, ordersOn, planOn } from "./clients.ts";

function room(folders: string[], module: URL = roomModule("settings")): Room {
  return new Room({ kind: "settings", module, folders, log: () => {} });
}

Deno.test("the room gets the files that it is given, and no other right", () => {
  assert.deepEqual(describePermissions("settings", ["/h/a", "/h/b"]), [
    "read: /h/a, /h/b",
    "write: /h/a, /h/b",
  ]);
});

Deno.test("the real room changes the files that were granted, and their neighbours it cannot even read", () =>
  inTempDir(async (dir) => {
    plant(dir, { "a": "{}", "b": "{}" });
    const [mine, other] = ["a", "b"].map((name) => benchIn(dir, clientCalled("cursor"), name));
    const orders = ordersOn(mine, [planOn(mine, ENTRY), planOn(other, ENTRY)]);
    const { path, temporary, lock } = orders.journal;
    const [{ file, leftovers, backup }] = orders.steps;
    const opened = room([file, ...leftovers, backup!.path, path, temporary, lock]);
    try {
      const outcomes = await opened.call("carryOut", orders) as Outcome[];
      assert.deepEqual(outcomes[0], { notKept: [] });
      assert.match("error" in outcomes[1] ? outcomes[1].error.message : "", /NOT_CAPABLE/);
    } finally {
      opened.close();
    }
    assert.match(Deno.readTextFileSync(`${dir}/a`), /shieldfive/);
    assert.equal(Deno.readTextFileSync(`${dir}/b`), "{}");
    assert.deepEqual([...Deno.readDirSync(dir)].map(({ name }) => name).sort(), [
      "a",
      "a.shieldfive-backup",
      "b",
      "state",
    ]);
  }));

Deno.test("without the right to the backup's name, the file itself is not touched", () =>
  inTempDir(async (dir) => {
    plant(dir, { "a": "{}" });
    const bench = benchIn(dir, clientCalled("cursor"), "a");
    const orders = ordersOn(bench, [planOn(bench, ENTRY)]);
    const { path, temporary, lock } = orders.journal;
    const opened = room([bench.location.file, ...orders.steps[0].leftovers, path, temporary, lock]);
    try {
      const [outcome] = await opened.call("carryOut", orders) as Outcome[];
      assert.ok("error" in outcome, JSON.stringify(outcome));
    } finally {
      opened.close();
    }
    assert.equal(Deno.readTextFileSync(`${dir}/a`), "{}");
  }));

Deno.test("a link that takes the place of a granted file leads the room nowhere", () =>
  inTempDir(async (dir) => {
    plant(dir, { "a": "{}", "outside/secret": "{}" });
    const bench = benchIn(dir, clientCalled("cursor"), "a");
    const orders = ordersOn(bench, [planOn(bench, ENTRY)]);
    const { path, temporary, lock } = orders.journal;
    const [{ file, leftovers, backup }] = orders.steps;
    Deno.removeSync(file);
    Deno.symlinkSync(`${dir}/outside/secret`, file);
    const opened = room([file, ...leftovers, backup!.path, path, temporary, lock]);
    try {
      const [outcome] = await opened.call("carryOut", orders) as Outcome[];
      assert.equal("error" in outcome && outcome.error.code, "file_changed");
    } finally {
      opened.close();
    }
    assert.equal(Deno.readTextFileSync(`${dir}/outside/secret`), "{}");
  }));

Deno.test("a room of this kind reaches no other file, no network, no process and no variable", () =>
  inTempDir(async (dir) => {
    plant(dir, { "inside/file": "mine", "inside/other": "x", "outside/file": "theirs" });
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    const place = { inside: `${dir}/inside`, outside: `${dir}/outside`, port };
    const probe = room(
      [`${dir}/inside/file`],
      new URL("../containment/room_probe.ts", import.meta.url),
    );
    const allowed = [
      ...["read inside", "open inside", "change rights inside", "change times inside"],
      ...["append inside", "truncate inside", "remove inside"],
    ];
    try {
      for (const what of EVERY_TRY) {
        if (allowed.includes(what)) continue;
        const ended = await probe.call("try", { what, place }) as Tried;
        assert.ok("refused" in ended, `${what}: ${JSON.stringify(ended)}`);
      }
      for (const what of allowed) {
        const ended = await probe.call("try", { what, place }) as Tried;
        assert.ok("done" in ended, `${what}: ${JSON.stringify(ended)}`);
      }
    } finally {
      probe.close();
    }
    assert.equal(Deno.readTextFileSync(`${dir}/outside/file`), "theirs");
    assert.equal(Deno.readTextFileSync(`${dir}/inside/other`), "x");
  }));
