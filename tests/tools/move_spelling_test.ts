import assert from "node:assert/strict";
import { TRASH_NAME } from "../../containment/mod.ts";
import { foldingDisk } from "../folding_disk.ts";
import { contextFor, inTempDir, plant } from "../support.ts";
import { namesIn, perform, pictureOf, refused, textOf } from "./changing.ts";

/** Everything below a folder but its trash. */
function outsideTrash(dir: string): string[] {
  return namesIn(dir).filter((name) => !name.startsWith(TRASH_NAME));
}

Deno.test("moves onto itself and into itself are told apart, with links and spellings in between", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "d/sub/x": "x", "f": "f" });
    Deno.symlinkSync("d", `${dir}/link`);
    const before = pictureOf(dir);
    const codes: [string, string, string][] = [
      ["f", "f", "destination_is_source"],
      ["d", ".", "destination_is_source"],
      ["d", "d", "destination_inside_source"],
      ["d", "d/sub", "destination_inside_source"],
      ["d", "d/new/deeper", "destination_inside_source"],
      ["d", "link/new", "destination_inside_source"],
      ["d/sub", "link/sub", "destination_inside_source"],
      ["link", "link", "destination_is_source"],
      ["link", ".", "destination_is_source"],
    ];
    for (const [source, destination, code] of codes) {
      for (const overwrite of [false, true]) {
        const args = {
          source: `${dir}/${source}`,
          destination: `${dir}/${destination}`,
          overwrite,
        };
        const error = await refused("move_local", dir, args);
        assert.equal(error.code, code, `${source} to ${destination}`);
      }
    }
    assert.deepEqual(pictureOf(dir), before);
  });
});

Deno.test("another spelling of the source is a rename, never a collision that displaces it", async () => {
  for (const overwrite of [false, true]) {
    for (const numbersSpellings of [false, true]) {
      await inTempDir(async (dir) => {
        const fold = (name: string) => name.normalize("NFC").toLowerCase();
        const disk = foldingDisk(dir, { fold, numbersSpellings, withoutLinks: numbersSpellings });
        plant(dir, { "Name.txt": "content", "Folder/x": "x", "caf\u00e9": "nfc" });
        const pairs = [["Name.txt", "name.TXT"], ["Folder", "folder"], ["caf\u00e9", "cafe\u0301"]];
        for (const [from, to] of pairs) {
          const args = { source: `${dir}/${from}`, destination: `${dir}/${to}`, overwrite };
          const output = await perform("move_local", contextFor([dir], { disk }), args);
          assert.deepEqual([output.replaces_existing, output.displaced_to], [false, undefined]);
        }
        assert.deepEqual(namesIn(dir), ["cafe\u0301", "folder", "folder/x", "name.TXT"]);
        assert.equal(textOf(`${dir}/name.TXT`), "content");
      });
    }
  }
});

Deno.test("two names on a disk that tells them apart stay two", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "caf\u00e9": "nfc", "cafe\u0301": "nfd", "A": "upper", "a": "lower" });
    for (const [from, to] of [["caf\u00e9", "cafe\u0301"], ["A", "a"]]) {
      const args = { source: `${dir}/${from}`, destination: `${dir}/${to}` };
      assert.equal((await refused("move_local", dir, args)).code, "destination_exists");
      const output = await perform("move_local", dir, { ...args, overwrite: true });
      assert.ok(output.displaced_to.endsWith(`/${to}`));
    }
    assert.deepEqual(outsideTrash(dir), ["a", "cafe\u0301"]);
    assert.deepEqual([textOf(`${dir}/a`), textOf(`${dir}/cafe\u0301`)], ["upper", "nfc"]);
  });
});

Deno.test("two hard links of one file are two entries, and one may displace the other", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a": "one" });
    Deno.linkSync(`${dir}/a`, `${dir}/b`);
    const args = { source: `${dir}/a`, destination: `${dir}/b`, overwrite: true };
    const output = await perform("move_local", dir, args);
    assert.deepEqual([textOf(`${dir}/b`), textOf(output.displaced_to)], ["one", "one"]);
    assert.equal(Deno.lstatSync(`${dir}/b`).nlink, 2);
    assert.deepEqual(outsideTrash(dir), ["b"]);
  });
});
