// Two grants and the owner at the same rows at the same time, over HTTP: of two changes that exclude each
// other one wins and the other is told, and what is left is as if they had come one behind the other.

import assert from "node:assert/strict";
import { uuidV7 } from "@shieldfive/crypto/extra/uuid7.ts";
import type { Answered, CallAnswer } from "./keyless/caller.ts";
import { type KeylessAgent, KeylessOwner } from "./keyless/parties.ts";
import { anyFileFields, anyFolderFields, anyName } from "./keyless/shapes.ts";
import { type Serving, startServing } from "./serving.ts";

const ROUNDS = 15;

let data: string;
let serving: Serving;
let owner: KeylessOwner;
let folderId: string;
let [first, second]: KeylessAgent[] = [];

Deno.test.beforeAll(async () => {
  data = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "shieldfive-races-" }));
  serving = await startServing(data);
  owner = await KeylessOwner.setUp(serving.origin, serving.setupToken!);
  folderId = await owner.createFolder();
  [first, second] = [
    await owner.grant({ rootIds: [folderId] }),
    await owner.grant({ rootIds: [folderId] }),
  ];
});
Deno.test.afterAll(async () => {
  await serving.stop();
  Deno.removeSync(data, { recursive: true });
});

const everyone = () => [owner, first, second];
const statusesOf = (answers: CallAnswer[]) => answers.map(({ status }) => status).sort();

async function rowOf(what: "files" | "folders", id: string): Promise<Answered> {
  return (await owner.all(what)).find((row) => row.id === id);
}

Deno.test("of three renames that saw the same row one wins, and the others are told", async () => {
  const file = await owner.upload(folderId, 1000);
  for (let round = 0; round < ROUNDS; round++) {
    const { updatedAt } = await rowOf("files", file.id);
    const names = everyone().map(() => anyName());
    const answers = await Promise.all(
      everyone().map((party, index) =>
        party.call("PATCH", `/files/${file.id}`, {
          body: { name: names[index], ifUpdatedAt: updatedAt },
        })
      ),
    );
    assert.deepEqual(statusesOf(answers), [200, 409, 409]);
    const winner = answers.findIndex(({ status }) => status === 200);
    const row = await rowOf("files", file.id);
    assert.equal(row.name, names[winner]);
    assert.ok(row.updatedAt > updatedAt, "its time rises with each change");
  }
});

Deno.test("two folders moved into each other at once never end in a circle", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const [a, b] = [await owner.createFolder(folderId), await owner.createFolder(folderId)];
    const into = (party: KeylessAgent, id: string, parentId: string) =>
      party.call("PATCH", `/folders/${id}`, { body: { parentId, ...anyFolderFields() } });
    const answers = await Promise.all([into(first, a, b), into(second, b, a)]);
    assert.equal(answers.filter(({ status }) => status === 200).length, 1, JSON.stringify(answers));
    const [rowA, rowB] = [await rowOf("folders", a), await rowOf("folders", b)];
    assert.ok((rowA.parentId === b) !== (rowB.parentId === a));
    assert.ok([rowA.parentId, rowB.parentId].includes(folderId), "both hang below the folder");
  }
});

Deno.test("an item that two trash and the owner moves ends in one place, with keys of that place", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const file = await owner.upload(folderId, 1000);
    const sent = everyone().map(() => anyFileFields());
    const trash = (agent: KeylessAgent, index: number) =>
      agent.call("POST", "/trash", {
        body: { items: [{ kind: "file", id: file.id, ...sent[index] }] },
      });
    await Promise.all([
      owner.call("PATCH", `/files/${file.id}`, { body: { folderId, ...sent[0] } }),
      trash(first, 1),
      trash(second, 2),
    ]);
    const row = await rowOf("files", file.id);
    const places = [folderId, first.trashFolderId, second.trashFolderId];
    const place = places.indexOf(row.folderId);
    assert.ok(place > 0, "trashed by one of the two");
    const { name, cskWrapped, cskIv, pqkFkWrapped, pqkFkIv } = row;
    assert.deepEqual({ name, cskWrapped, cskIv, pqkFkWrapped, pqkFkIv }, sent[place]);
  }
});

Deno.test("parallel reservations cannot pass the allowance together", async () => {
  const { ciphertext } = await first.reserve(folderId, 10_000);
  const size = ciphertext.length;
  const grant = await owner.grant({ rootIds: [folderId], writeBudgetBytes: 5 * size });
  const uploads = await Promise.all(
    Array.from({ length: 20 }, () => grant.reserve(folderId, 10_000)),
  );
  const granted = uploads.filter(({ reserved }) => reserved.status < 300);
  const refused = uploads.filter(({ reserved }) => reserved.status >= 300);
  assert.equal(granted.length, 5);
  for (const { reserved } of refused) {
    assert.deepEqual([reserved.status, reserved.json.code], [429, "write_budget_exhausted"]);
  }
  // What is given up can be used by another, once and not twice.
  const [given] = granted;
  await Promise.all(
    Array.from({ length: 4 }, () => grant.call("POST", `/uploads/${given.id}/abort`, { body: {} })),
  );
  const again = await Promise.all(Array.from({ length: 4 }, () => grant.reserve(folderId, 10_000)));
  assert.equal(again.filter(({ reserved }) => reserved.status < 300).length, 1);
  await owner.ok("POST", `/grants/${grant.grantId}/revoke`, { body: {} });
});

Deno.test("an upload that is put and finalized many times at once is one file", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    // One chunk that is read in several pieces, so that all of them are at it at the same time.
    const { id, ciphertext, reserved } = await first.reserve(folderId, 900_000, 900_000);
    const { uploadUrl, proofKey } = reserved.json;
    const puts = await Promise.all(
      Array.from({ length: 4 }, () => first.put(uploadUrl, ciphertext)),
    );
    assert.equal(puts.filter((status) => status === 200).length, 1, String(puts));
    const finals = await Promise.all(
      Array.from({ length: 4 }, () => first.finalize(id, ciphertext, proofKey)),
    );
    assert.deepEqual(statusesOf(finals), [200, 200, 200, 200]);
    assert.equal(new Set(finals.map(({ text }) => text)).size, 1, "all are told the same");
    const content = await owner.content(id);
    assert.deepEqual(new Uint8Array(await content.arrayBuffer()), ciphertext);
  }
});

Deno.test("a change sent many times under one key is made once", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const body = { id: uuidV7(), parentId: folderId, ...anyFolderFields() };
    const headers = { "idempotency-key": uuidV7() };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => first.call("POST", "/folders", { body, headers })),
    );
    assert.deepEqual(statusesOf(answers), [201, 201, 201, 201, 201]);
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    const records = (await owner.activity()).filter((entry) =>
      entry.objectId === body.id && entry.result === "ok"
    );
    assert.equal(records.length, 1);
  }
});

Deno.test("an undo and a change of the same row exclude each other, and one undo is one", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const file = await owner.upload(folderId, 1000);
    const before = await rowOf("files", file.id);
    const renamed = await first.ok("PATCH", `/files/${file.id}`, { body: { name: anyName() } });
    const name = anyName();
    const undo = () => owner.call("POST", `/activity/${renamed.auditId}/undo`, { body: {} });
    const [change, ...undos] = await Promise.all([
      second.call("PATCH", `/files/${file.id}`, { body: { name } }),
      undo(),
      undo(),
      undo(),
    ]);
    assert.equal(change.status, 200);
    assert.ok(undos.filter(({ status }) => status === 200).length <= 1);
    for (const { status } of undos) assert.ok([200, 409].includes(status), `${status}`);
    const row = await rowOf("files", file.id);
    // Undone before or not at all: the later change stands either way.
    assert.ok([name, before.name].includes(row.name));
    assert.equal(row.name, name);
  }
});

Deno.test("what is restored and purged at once is there with its content or gone", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const file = await owner.upload(folderId, 20_000);
    await owner.ok("POST", "/bin", {
      body: { items: [{ kind: "file", id: file.id, ...anyFileFields() }] },
    });
    const items = (fields: Record<string, unknown>) => ({
      body: { items: [{ kind: "file", id: file.id, ...fields }] },
    });
    await Promise.all([
      owner.call("POST", "/restore", items({ parentId: folderId, ...anyFileFields() })),
      owner.call("POST", "/purge", items({})),
    ]);
    const row = await rowOf("files", file.id);
    const content = await owner.content(file.id);
    const bytes = new Uint8Array(await content.arrayBuffer());
    if (row === undefined) assert.equal(content.status, 404);
    else assert.deepEqual(bytes, file.ciphertext);
  }
});

Deno.test("a grant that is revoked in the middle does nothing more from then on", async () => {
  for (let round = 0; round < 5; round++) {
    const grant = await owner.grant({ rootIds: [folderId] });
    const file = await owner.upload(folderId, 1000);
    let revoked = false;
    const after: number[] = [];
    const busy = Promise.all(Array.from({ length: 4 }, async () => {
      for (let i = 0; i < 25; i++) {
        const late = revoked;
        const { status } = await grant.call("PATCH", `/files/${file.id}`, {
          body: { name: anyName() },
        });
        if (late) after.push(status);
      }
    }));
    await owner.ok("POST", `/grants/${grant.grantId}/revoke`, { body: {} });
    revoked = true;
    await busy;
    assert.ok(after.length > 0, "it went on asking");
    assert.deepEqual(new Set(after), new Set([401]));
  }
});

Deno.test("a new vault that many set up at once has one owner", async () => {
  const other = Deno.makeTempDirSync({ prefix: "shieldfive-races-" });
  const fresh = await startServing(other);
  const attempts = await Promise.allSettled(
    Array.from({ length: 6 }, () => KeylessOwner.setUp(fresh.origin, fresh.setupToken!)),
  );
  assert.equal(attempts.filter(({ status }) => status === "fulfilled").length, 1);
  await fresh.stop();
  Deno.removeSync(other, { recursive: true });
});
