// A move-in through the rooms that carry it out, of which one is lost in the middle: nobody waits for ever, no
// byte is lost, and what is not known is said to be so.

import assert from "node:assert/strict";
import { openRoots, ToolError } from "../../../containment/mod.ts";
import { Session } from "../../../tools/session.ts";
import { moveIn } from "../../../tools/vault/move_in.ts";
import { type Death, letDie } from "../../dying.ts";
import { type ServedVault, withServedVault } from "../../e2e/vault_served.ts";
import { exists, plant } from "../../support.ts";

/** How a move-in of two files ends when the room for the disk is lost at an operation. */
async function endWith(
  death: Omit<Death, "kind">,
  { serving, vault, connect }: ServedVault,
  local: string,
): Promise<ToolError> {
  const session = new Session({
    roots: openRoots([local]).roots,
    version: "0",
    protectedPaths: [],
    uid: Deno.uid() ?? undefined,
    log: () => {},
  });
  try {
    using _death = letDie({ kind: "disk-write", ...death });
    session.open([moveIn]);
    session.openVault(serving.origin);
    await session.ready();
    const rooms = await session.vault();
    await rooms.adopt(await connect({ scopes: ["read", "organize", "write"] }));
    const folder = [...vault.tree.folders.values()].find(({ name }) => name === "Docs")!;
    const paths = [`${local}/a.bin`, `${local}/b.txt`];
    const input = { paths, destination_folder_id: folder.id, confirm: true };
    const error = await session.perform(moveIn, input, () => {}).then(() => undefined, (e) => e);
    assert.ok(error instanceof ToolError, String(error));
    return error;
  } finally {
    session.close();
  }
}

Deno.test("a room for the disk that is lost in the middle of a move-in loses no byte, and nobody waits for it", () =>
  withServedVault({ "Docs/": "" }, async (served) => {
    const text = "0123456789".repeat(300_000);
    const local = (name: string) => {
      const folder = `${served.home.dir}/${name}`;
      plant(folder, { "a.bin": text, "b.txt": "b" });
      return folder;
    };

    const reading = local("reading");
    const unread = await endWith({ operation: "read", after: 5 }, served, reading);
    assert.deepEqual([unread.code, unread.changedAnything], ["io_error", false]);
    assert.deepEqual(unread.detail!.untouched, [`${reading}/a.bin`, `${reading}/b.txt`]);
    assert.equal(Deno.readTextFileSync(`${reading}/a.bin`), text);

    const moving = local("moving");
    const unmoved = await endWith({ operation: "link", after: 1 }, served, moving);
    assert.equal(unmoved.code, "move_failed");
    assert.match(unmoved.message, /still there or in the trash is not known/);
    const both = unmoved.detail!.in_vault_and_still_on_disk as Record<string, unknown>;
    assert.deepEqual([both.source, both.verified], [`${moving}/a.bin`, true]);
    assert.deepEqual(unmoved.detail!.untouched, [`${moving}/b.txt`]);
    const trash = `${moving}/.shieldfive-mcp-trash`;
    const [batch] = exists(trash) ? [...Deno.readDirSync(trash)] : [];
    const places = [`${moving}/a.bin`, `${trash}/${batch?.name}/items/1/a.bin`].filter(exists);
    assert.equal(Deno.readTextFileSync(places[0]), text);
  }));
