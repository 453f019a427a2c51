// Callers who are not who they should be: other spellings of a token, ids of other grants, cursors of
// other listings. What is out of reach and what does not exist are answered byte for byte the same.

import assert from "node:assert/strict";
import { uuidV7 } from "@shieldfive/crypto/extra/uuid7.ts";
import { Caller } from "../keyless/caller.ts";
import { anyToken } from "../keyless/parties.ts";
import { anyFileFields, anyFolderFields, anyName, anyWrap } from "../keyless/shapes.ts";
import { openTarget, type Target } from "./target.ts";

let target: Target;
Deno.test.beforeAll(async () => {
  target = await openTarget();
});
Deno.test.afterAll(() => target.close());
Deno.test.afterEach(() => target.requireWell());

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Texts that a lax decoder would take for the same 32 bytes. */
function otherSpellings(token: string): string[] {
  const last = ALPHABET.indexOf(token.at(-1)!);
  const unusedBitsSet = [1, 2, 3].map((bits) => token.slice(0, -1) + ALPHABET[last + bits]);
  return [
    ...unusedBitsSet,
    `${token}=`,
    `${token}A`,
    token.slice(0, -1),
    token.replaceAll("-", "+").replaceAll("_", "/") + "=",
    `${token}.`,
    `${token},${token}`,
    `${token.slice(0, 20)} ${token.slice(20)}`,
    `"${token}"`,
  ];
}

Deno.test("a token has one spelling, and whatever is wrong with it the answer is the same", async () => {
  const { origin, agent } = target;
  const token = agent.token!;
  const get = async (authorization: string | undefined) => {
    const response = await fetch(`${origin}/api/agent/v1/grant`, {
      headers: authorization === undefined ? {} : { authorization },
    });
    return { status: response.status, text: await response.text() };
  };
  assert.equal((await get(`Bearer ${token}`)).status, 200);
  const unknown = await get(`Bearer ${anyToken()}`);
  assert.deepEqual([unknown.status, JSON.parse(unknown.text).code], [401, "grant_invalid"]);
  const wrong = [
    undefined,
    "",
    "Bearer",
    "Bearer ",
    token,
    `Basic ${token}`,
    `Bearer  ${token}x`,
    `Bearer ${target.owner.token}`,
    ...otherSpellings(token).map((text) => `Bearer ${text}`),
  ];
  for (const authorization of wrong) {
    assert.deepEqual(await get(authorization), unknown, String(authorization).slice(0, 12));
  }
  const revoked = await target.owner.grant({ rootIds: [target.folderId] });
  await target.owner.ok("POST", `/grants/${revoked.grantId}/revoke`, { body: {} });
  assert.deepEqual(await get(`Bearer ${revoked.token}`), unknown);
  const session = new Caller(origin, "/api/owner/v1", token);
  assert.equal((await session.call("GET", "/folders")).status, 401, "a grant is no session");
});

Deno.test("what is out of scope is answered byte for byte like what does not exist", async () => {
  const { owner, agent, folderId } = target;
  const outside = await owner.createFolder();
  const below = await owner.createFolder(outside);
  const file = await owner.upload(outside, 5000);
  const other = await owner.grant({ rootIds: [outside] });
  const inTrashOfOther = await other.upload(outside, 5000);
  const trashed = await other.ok("POST", "/trash", {
    body: { items: [{ kind: "file", id: inTrashOfOther.id, ...anyFileFields() }] },
  });
  assert.equal(trashed.results[0].ok, true);
  const pending = await other.reserve(outside, 5000);
  const folders = [outside, below, owner.binId, other.trashFolderId!];
  const files = [file.id, inTrashOfOther.id, pending.id];
  const missing = uuidV7();

  const { wrapped, iv } = anyWrap();
  const keys = { cskWrapped: wrapped, cskIv: iv };
  const into = (id: string) => ({ folderId: id, name: anyName(), ...keys });
  const mine = (await agent.upload(folderId, 5000)).id;
  const calls: [string, (id: string) => string, (id: string) => unknown, string[]][] = [
    ["POST", (id) => `/files/${id}/download`, () => undefined, files],
    ["PATCH", (id) => `/files/${id}`, () => ({ name: anyName() }), files],
    ["PATCH", (id) => `/files/${id}`, () => into(folderId), files],
    ["PATCH", () => `/files/${mine}`, into, folders],
    ["PATCH", (id) => `/folders/${id}`, () => ({ name: anyName() }), folders],
    [
      "PATCH",
      (id) => `/folders/${id}`,
      () => ({ parentId: folderId, ...anyFolderFields() }),
      folders,
    ],
    [
      "POST",
      () => "/folders",
      (id) => ({ id: uuidV7(), parentId: id, ...anyFolderFields() }),
      folders,
    ],
    [
      "POST",
      () => "/files",
      (id) => ({
        id: uuidV7(),
        folderId: id,
        ...anyFileFields(),
        cipherVersion: 3,
        sizeBytes: 5000,
      }),
      folders,
    ],
    [
      "POST",
      (id) => `/files/${id}/finalize`,
      () => ({ proof: "A".repeat(48), ciphertextHash: "0".repeat(40) }),
      files,
    ],
    ["POST", (id) => `/uploads/${id}/abort`, () => ({}), files],
  ];
  for (const [method, path, body, ids] of calls) {
    const ask = async (id: string) => {
      const { status, text, headers } = await agent.call(method, path(id), { body: body(id) });
      const shown = [...headers].filter(([name]) => name !== "date");
      return { status, text, headers: shown };
    };
    const expected = await ask(missing);
    assert.deepEqual(
      [expected.status, expected.text],
      [404, '{"code":"not_found"}'],
      `${method} ${path(missing)}`,
    );
    for (const id of ids) assert.deepEqual(await ask(id), expected, `${method} ${path(id)}`);
  }
  const items = [...files.map((id) => ({ kind: "file", id, ...anyFileFields() })), {
    kind: "folder",
    id: outside,
    ...anyFolderFields(),
  }];
  const { results } = await agent.ok("POST", "/trash", { body: { items } });
  for (const result of results) assert.deepEqual([result.ok, result.code], [false, "not_found"]);
  assert.equal((await agent.call("PATCH", `/files/${mine}`, { body: into(missing) })).status, 404);
});

Deno.test("a grant lists its own scope and nothing else, whatever the cursor says", async () => {
  const { owner, agent, folderId } = target;
  const outside = await owner.createFolder();
  for (let i = 0; i < 5; i++) await owner.createFolder(outside);
  for (let i = 0; i < 5; i++) await agent.createFolder(folderId);
  const mine = new Set((await agent.all("folders", 2)).map(({ id }) => id));
  assert.ok(mine.has(folderId) && !mine.has(outside));
  const { next } = await owner.ok("GET", "/folders?limit=3");
  const other = await owner.grant({ rootIds: [folderId] });
  const { next: ofOther } = await other.ok("GET", "/folders?limit=3");
  const { next: own } = await agent.ok("GET", "/folders?limit=3");
  assert.equal((await agent.call("GET", `/folders?after=${own}`)).status, 200);
  const foreign = [next, ofOther, own.slice(0, -1), own.replace(/^\d/, "9"), `${own}A`];
  for (const after of foreign) {
    const { status, json } = await agent.call("GET", `/folders?after=${after}`);
    assert.deepEqual([status, json.code], [400, "bad_request"], `${after}`);
  }
  assert.equal((await agent.call("GET", `/files?after=${own}`)).status, 400, "of another listing");
  for (
    const after of [
      "x",
      "0",
      "-1.a",
      "1e3.a",
      "9".repeat(30) + ".a",
      "1.'--",
      "1.%00",
      "1.é",
      "a".repeat(3000),
    ]
  ) {
    const { status, json } = await agent.call("GET", `/folders?after=${encodeURIComponent(after)}`);
    assert.deepEqual([status, json.code], [400, "bad_request"], after.slice(0, 20));
  }
  for (
    const query of [
      "limit=0",
      "limit=-1",
      "limit=1001",
      "limit=1.5",
      "limit=",
      "limit=1&limit=2",
      "x=1",
      "after",
    ]
  ) {
    const { status, json } = await agent.call("GET", `/folders?${query}`);
    assert.deepEqual([status, json.code], [400, "bad_request"], query);
  }
});

Deno.test("a grant that may only read is refused every change by the scope's name", async () => {
  const { owner, folderId } = target;
  const reader = await owner.grant({ scopes: ["read"], rootIds: [folderId] });
  const file = (await target.agent.upload(folderId, 5000)).id;
  const changes: [string, string, unknown, string][] = [
    ["PATCH", `/files/${file}`, { name: anyName() }, "organize"],
    ["PATCH", `/folders/${folderId}`, { name: anyName() }, "organize"],
    ["POST", "/folders", { id: uuidV7(), parentId: folderId, ...anyFolderFields() }, "organize"],
    ["POST", "/trash", { items: [{ kind: "file", id: file, ...anyFileFields() }] }, "organize"],
    [
      "POST",
      "/files",
      { id: uuidV7(), folderId, ...anyFileFields(), cipherVersion: 3, sizeBytes: 5000 },
      "write",
    ],
    [
      "POST",
      `/files/${file}/finalize`,
      { proof: "A".repeat(48), ciphertextHash: "0".repeat(40) },
      "write",
    ],
  ];
  for (const [method, path, body, scope] of changes) {
    const { status, json } = await reader.call(method, path, { body });
    assert.deepEqual([status, json.code, json.scope], [403, "missing_scope", scope], path);
  }
  for (const method of ["DELETE", "PUT"]) {
    assert.equal((await target.agent.call(method, `/files/${file}`)).status, 405);
    assert.equal((await target.agent.call(method, `/folders/${folderId}`)).status, 405);
  }
  const { grant } = await reader.ok("GET", "/grant");
  assert.equal(grant.mlKemPublicKey, undefined);
  assert.equal(grant.trashFolderId, null);
});
