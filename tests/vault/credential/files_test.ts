// The connection file and the file of servers on a real disk: whose they are, what is left alone, and what
// two processes at once, or one that was killed, leave behind.

import assert from "node:assert/strict";
import { realDisk } from "../../../containment/mod.ts";
import { readConnection, writeConnection } from "../../../vault/credential/connection_file.ts";
import { removeKept } from "../../../vault/credential/kept_file.ts";
import { CredentialFiles, keptFile, serverFor } from "../../../vault/credential/mod.ts";
import { misfits } from "../../../containment/rooms/proof.ts";
import { filesGranted } from "../../../vault/credential/places.ts";
import {
  DEFAULT_SERVER,
  forgetServer,
  readServers,
  rememberServer,
} from "../../../vault/credential/servers.ts";
import { exists, inTempDir, refusal } from "../../support.ts";

const POSIX = { ignore: Deno.build.os === "windows" };
const IDS = [1, 2].map((digit) => `01890a5d-ac96-774b-bcce-b302099a805${digit}`);

function modeOf(path: string): string {
  return (Deno.lstatSync(path).mode! & 0o777).toString(8);
}

function placeIn(dir: string, own = true) {
  const folder = `${dir}/shieldfive-mcp`;
  Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  return { ...keptFile(folder, "connection"), ...(own ? { folder } : {}) };
}

Deno.test(
  "the file is this user's alone, holds the line, and is replaced as a whole",
  POSIX,
  () =>
    inTempDir((dir) => {
      const place = placeIn(dir);
      assert.deepEqual(readConnection(realDisk, place), { warnings: [] });
      writeConnection(realDisk, place, "first");
      assert.equal(modeOf(place.path), "600");
      assert.equal(modeOf(place.folder!), "700");
      assert.equal(Deno.readTextFileSync(place.path), "first\n");
      const before = Deno.lstatSync(place.path).ino;
      writeConnection(realDisk, place, "second");
      assert.notEqual(Deno.lstatSync(place.path).ino, before);
      assert.deepEqual(readConnection(realDisk, place), { text: "second", warnings: [] });
      assert.equal(modeOf(place.path), "600");
      assert.ok(!exists(place.temporary));
      assert.equal(removeKept(realDisk, place), true);
      assert.equal(removeKept(realDisk, place), false);
      assert.ok(!exists(place.path));
    }),
);

Deno.test(
  "a file that others may read is closed to them, with a warning, once",
  POSIX,
  () =>
    inTempDir((dir) => {
      const place = placeIn(dir);
      writeConnection(realDisk, place, "text");
      Deno.chmodSync(place.path, 0o644);
      Deno.chmodSync(place.folder!, 0o755);
      const { text, warnings } = readConnection(realDisk, place);
      assert.equal(text, "text");
      assert.equal(warnings.length, 2);
      assert.match(warnings[0], /connection" was open to other users \(mode 644\); .* revoke it/);
      assert.match(warnings[1], /shieldfive-mcp" was open to other users \(mode 755\)/);
      assert.deepEqual([modeOf(place.path), modeOf(place.folder!)], ["600", "700"]);
      assert.deepEqual(readConnection(realDisk, place).warnings, []);
      Deno.chmodSync(place.path, 0o640);
      writeConnection(realDisk, place, "new");
      assert.equal(modeOf(place.path), "600");
    }),
);

Deno.test(
  "a folder that was named, and may hold other things, keeps its mode",
  POSIX,
  () =>
    inTempDir((dir) => {
      const place = placeIn(dir, false);
      Deno.chmodSync(`${dir}/shieldfive-mcp`, 0o755);
      writeConnection(realDisk, place, "text");
      assert.deepEqual(readConnection(realDisk, place), { text: "text", warnings: [] });
      assert.equal(modeOf(`${dir}/shieldfive-mcp`), "755");
      assert.equal(modeOf(place.path), "600");
    }),
);

Deno.test(
  "a link in its place is not followed, not replaced and not removed",
  POSIX,
  () =>
    inTempDir((dir) => {
      const place = placeIn(dir);
      Deno.writeTextFileSync(`${dir}/elsewhere`, "theirs");
      for (const target of [`${dir}/elsewhere`, `${dir}/nowhere`]) {
        Deno.symlinkSync(target, place.path);
        assert.equal(refusal(() => readConnection(realDisk, place)).code, "not_a_file");
        assert.equal(refusal(() => writeConnection(realDisk, place, "mine")).code, "not_a_file");
        assert.equal(refusal(() => removeKept(realDisk, place)).code, "not_a_file");
        assert.equal(Deno.readLinkSync(place.path), target);
        Deno.removeSync(place.path);
      }
      assert.equal(Deno.readTextFileSync(`${dir}/elsewhere`), "theirs");
      assert.ok(!exists(`${dir}/nowhere`));
      Deno.mkdirSync(place.path);
      assert.equal(refusal(() => readConnection(realDisk, place)).code, "not_a_file");
    }),
);

Deno.test(
  "what a killed process left is no obstacle, and a link in its place is not written through",
  POSIX,
  () =>
    inTempDir((dir) => {
      const place = placeIn(dir);
      Deno.writeTextFileSync(place.temporary, "half");
      writeConnection(realDisk, place, "whole");
      assert.equal(Deno.readTextFileSync(place.path), "whole\n");
      Deno.writeTextFileSync(`${dir}/theirs`, "theirs");
      Deno.symlinkSync(`${dir}/theirs`, place.temporary);
      assert.throws(() => writeConnection(realDisk, place, "next"), { code: "EEXIST" });
      assert.equal(Deno.readTextFileSync(`${dir}/theirs`), "theirs");
      assert.equal(Deno.readTextFileSync(place.path), "whole\n");
    }),
);

Deno.test(
  "servers are remembered by grant, and the last one for the next",
  POSIX,
  () =>
    inTempDir((dir) => {
      const file = keptFile(dir, "vault.json");
      const said = (grantId: string | undefined, isNew: boolean, said?: string) =>
        serverFor({ said, servers: readServers(realDisk, file), grantId, isNew });
      assert.equal(said(IDS[0], false), DEFAULT_SERVER);
      rememberServer(realDisk, file, IDS[0], "https://one.example");
      rememberServer(realDisk, file, IDS[1], "http://127.0.0.1:8443");
      assert.equal(modeOf(file.path), "600");
      assert.equal(said(IDS[0], false), "https://one.example");
      assert.equal(said(IDS[1], true), "http://127.0.0.1:8443");
      // Another connection: a new one is for the last server, an old one for the usual.
      assert.equal(said(undefined, true), "http://127.0.0.1:8443");
      assert.equal(said("01890a5d-ac96-774b-bcce-b302099a8059", false), DEFAULT_SERVER);
      assert.equal(said(IDS[0], false, "https://other.example/x"), "https://other.example");
      assert.throws(() => said(IDS[0], false, "http://other.example"), { code: "invalid_origin" });
      forgetServer(realDisk, file, IDS[0]);
      assert.equal(said(IDS[0], false), DEFAULT_SERVER);
      assert.equal(said(IDS[1], false), "http://127.0.0.1:8443");
    }),
);

Deno.test(
  "what is in the file of servers is believed only where it makes sense",
  POSIX,
  () =>
    inTempDir((dir) => {
      const file = keptFile(dir, "vault.json");
      const read = (text: string) => {
        Deno.writeTextFileSync(file.path, text);
        const { last, byGrant } = readServers(realDisk, file);
        return [last, ...byGrant];
      };
      for (const text of ["", "{", "[]", "null", "3", '{"last": 7, "connections": "x"}']) {
        assert.deepEqual(read(text), [undefined], text);
      }
      const connections = {
        [IDS[0]]: "http://evil.test",
        [IDS[1]]: "https://good.example/path",
        "not-an-id": "https://good.example",
      };
      assert.deepEqual(read(JSON.stringify({ last: "file:///etc/passwd", connections })), [
        undefined,
        [IDS[1], "https://good.example"],
      ]);
      rememberServer(realDisk, file, IDS[0], "https://one.example");
      assert.equal(readServers(realDisk, file).byGrant.size, 2);
    }),
);

Deno.test(
  "no more than a hundred connections are remembered, the newest",
  POSIX,
  () =>
    inTempDir((dir) => {
      const file = keptFile(dir, "vault.json");
      const id = (n: number) => `01890a5d-ac96-774b-bcce-b302099a${String(n).padStart(4, "0")}`;
      const connections = Object.fromEntries(
        Array.from({ length: 100 }, (_, n) => [id(n), "https://old.example"]),
      );
      Deno.writeTextFileSync(file.path, JSON.stringify({ connections }));
      rememberServer(realDisk, file, id(100), "https://new.example");
      const { byGrant } = readServers(realDisk, file);
      assert.equal(byGrant.size, 100);
      assert.ok(!byGrant.has(id(0)) && byGrant.has(id(1)) && byGrant.has(id(100)));
    }),
);

/** Runs the body with the room of the files in a folder. */
async function inRoom(
  dir: string,
  body: (files: CredentialFiles, granted: string[]) => Promise<void>,
): Promise<void> {
  Deno.mkdirSync(`${dir}/state`);
  const places = { connection: placeIn(dir), servers: keptFile(`${dir}/state`, "vault.json") };
  const files = new CredentialFiles(places, (line) => assert.fail(line));
  try {
    await files.ready;
    await body(files, filesGranted(places));
  } finally {
    files.close();
  }
}

Deno.test(
  "the room does all of it within its rights, and has no others",
  POSIX,
  () =>
    inTempDir((dir) =>
      inRoom(dir, async (files, granted) => {
        assert.deepEqual(await files.read(), { warnings: [] });
        await files.write("one");
        await files.write("two");
        Deno.chmodSync(files.path!, 0o644);
        const { text, warnings } = await files.read();
        assert.deepEqual([text, warnings.length], ["two", 1]);
        await files.remember({ grantId: IDS[0], origin: "https://one.example" });
        await files.remember({ grantId: IDS[0], origin: "https://two.example" });
        assert.deepEqual([...(await files.servers()).byGrant], [[IDS[0], "https://two.example"]]);
        await files.forget(IDS[0]);
        assert.equal((await files.servers()).byGrant.size, 0);
        assert.deepEqual([await files.remove(), await files.remove()], [true, false]);
        const trials = await files.prove({ inside: [], outside: dir });
        assert.deepEqual(misfits("credential", granted, trials), []);
        assert.ok(trials.some(({ file, allowed }) => file?.endsWith("vault.json") && allowed));
        Deno.symlinkSync("/etc/passwd", files.path!);
        await assert.rejects(files.read(), { code: "not_a_file" });
        Deno.removeSync(files.path!);
        Deno.mkdirSync(`${dir}/state/vault.json.new`);
        await assert.rejects(
          files.remember({ grantId: IDS[0], origin: "https://one.example" }),
          { code: "io_error" },
        );
      })
    ),
);

Deno.test(
  "two processes that write at once both succeed, and one of the two is there, whole",
  POSIX,
  () =>
    inTempDir(async (dir) => {
      const places = { connection: placeIn(dir) };
      const rooms = ["a", "b"].map(() => new CredentialFiles(places, (line) => assert.fail(line)));
      try {
        const texts = rooms.map((_, i) => String(i).repeat(200));
        for (let round = 0; round < 20; round++) {
          await Promise.all(rooms.map((room, i) => room.write(texts[i])));
          assert.ok(texts.includes((await rooms[0].read()).text!));
        }
        assert.deepEqual(
          [...Deno.readDirSync(places.connection.folder!)].map(({ name }) => name).sort(),
          ["connection", "connection.lock"],
        );
      } finally {
        for (const room of rooms) room.close();
      }
    }),
);
