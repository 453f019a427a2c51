// What a person types for items of the vault: ids or paths, and what to do where a path means several.

import assert from "node:assert/strict";
import { resolve } from "../../../tools/vault/work/resolve.ts";
import type { World } from "../../vault/client/world.ts";
import { type Calling, inVault, refusal } from "./calling.ts";

/** `/A/`, `/A/same` twice (one a folder), `/A/twin.txt` twice, `/A/é.txt` decomposed. */
async function furnish(world: World) {
  const a = await world.addFolder(null, "A");
  const folder = await world.addFolder(a, "same");
  const file = await world.addFile(a, "same", "x");
  const twins = [await world.addFile(a, "twin.txt", "1"), await world.addFile(a, "twin.txt", "22")];
  const accent = await world.addFile(a, "e\u0301.txt", "x");
  return { a, folder, file, twins, accent };
}

const one = async ({ context }: Calling, argument: string, text: string) =>
  (await resolve(context, { [argument]: text }))[argument];

Deno.test("a path and an id mean the item, and a list of them each", () =>
  inVault(furnish, async (calling, { a, accent, twins }) => {
    assert.equal(await one(calling, "folder_id", "/A"), a);
    assert.equal(await one(calling, "folder_id", "A/"), a);
    assert.equal(await one(calling, "folder_id", a.toUpperCase()), a);
    assert.equal(await one(calling, "item_id", "/A/\u00e9.txt"), accent);
    const ids = await resolve(calling.context, { item_ids: ["/A", twins[1], "/A/e\u0301.txt"] });
    assert.deepEqual(ids, { item_ids: [a, twins[1], accent] });
  }));

Deno.test("where a folder or a file is wanted, the other one of the same path is not meant", () =>
  inVault(furnish, async (calling, { folder, file }) => {
    assert.equal(await one(calling, "destination_folder_id", "/A/same"), folder);
    assert.equal(await one(calling, "file_id", "/A/same"), file);
    assert.equal(await one(calling, "item_id", "/A/same/"), folder);
    const { code, message } = await refusal(one(calling, "folder_id", "/A/\u00e9.txt"));
    assert.equal(code, "invalid_argument");
    assert.equal(message, '"/A/\u00e9.txt" is a file, and not a folder');
    assert.match(
      (await refusal(one(calling, "file_id", "/A"))).message,
      /is a folder, and not a file/,
    );
  }));

Deno.test("a path that several items have is refused with what tells them apart", () =>
  inVault(furnish, async (calling, { twins, folder, file }) => {
    const { code, message, detail } = await refusal(one(calling, "file_id", "/A/twin.txt"));
    assert.equal(code, "ambiguous");
    assert.match(message, /^2 items have the path "\/A\/twin\.txt"; give the id of one/);
    const candidates = detail!.candidates as { id: string; kind: string; size: number }[];
    assert.deepEqual(candidates.map(({ id }) => id).sort(), [...twins].sort());
    assert.deepEqual(candidates.map(({ size }) => size).sort(), [1, 2]);
    for (const id of twins) assert.ok(message.includes(id));
    const either = await refusal(one(calling, "item_id", "/A/same"));
    assert.equal(either.code, "ambiguous");
    for (const id of [folder, file]) assert.ok(either.message.includes(id));
  }));

Deno.test("what is not there, and the vault's own top, are refused", () =>
  inVault(furnish, async (calling) => {
    const missing = await refusal(one(calling, "item_id", "/A/no\u001b[31mthing"));
    assert.equal(missing.code, "not_found");
    assert.equal(missing.message, 'nothing in the vault is at "/A/no\\u001b[31mthing"');
    for (const top of ["/", "", "//"]) {
      const { code, message } = await refusal(one(calling, "parent_folder_id", top));
      assert.equal(code, "invalid_argument");
      assert.match(message, /name a folder in it/);
    }
  }));
