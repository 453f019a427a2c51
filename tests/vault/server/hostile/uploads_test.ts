// Uploads that lie: about their length, their type, their content, or their URL. Nothing that was not
// reserved is ever stored, and the reservation can still be used by who made it.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { uuidV7 } from "@shieldfive/crypto/extra/uuid7.ts";
import { buildUploadProofV3 } from "@shieldfive/crypto/vault";
import { anyCiphertext, anyFileFields } from "../keyless/shapes.ts";
import { RawConnection, requestText } from "./raw.ts";
import { openTarget, type Target } from "./target.ts";

const TYPE = "Content-Type: application/octet-stream";

let target: Target;
Deno.test.beforeAll(async () => {
  target = await openTarget();
});
Deno.test.afterAll(() => target.close());
Deno.test.afterEach(() => target.requireWell());

/** An upload with a URL, and nothing put yet. */
async function reserve(size = 100_000) {
  const { id, ciphertext, reserved } = await target.agent.reserve(target.folderId, size);
  assert.ok(reserved.status < 300, reserved.text);
  const { uploadUrl, proofKey } = reserved.json;
  const { pathname, search } = new URL(uploadUrl);
  return { id, ciphertext, uploadUrl: uploadUrl as string, proofKey, path: pathname + search };
}

/** The upload still works as it was meant, and the file is what was sent. */
async function requireUsable(
  { id, ciphertext, uploadUrl, proofKey }: Awaited<ReturnType<typeof reserve>>,
) {
  assert.equal(await target.agent.put(uploadUrl, ciphertext), 200);
  const finalized = await target.agent.finalize(id, ciphertext, proofKey);
  assert.equal(finalized.status, 200, finalized.text);
  const content = await target.agent.download(id);
  assert.deepEqual(new Uint8Array(await content.arrayBuffer()), ciphertext);
}

async function requireNothingStored(
  { id, ciphertext, proofKey }: Awaited<ReturnType<typeof reserve>>,
) {
  const { status, json } = await target.agent.finalize(id, ciphertext, proofKey);
  assert.deepEqual([status, json.code], [400, "finalize_failed"]);
}

Deno.test("a PUT of another length than was reserved stores nothing", async () => {
  const upload = await reserve();
  const { ciphertext, path, uploadUrl } = upload;
  for (const wrong of [ciphertext.slice(1), new Uint8Array([...ciphertext, 0]), new Uint8Array()]) {
    const status = await target.agent.put(uploadUrl, wrong);
    assert.ok(status >= 400 && status < 500, `${wrong.length}: ${status}`);
  }
  // The right length stated, and less sent.
  {
    using short = await RawConnection.open(target.origin);
    const head = requestText(target.origin, `PUT ${path} HTTP/1.1`, [
      TYPE,
      `Content-Length: ${ciphertext.length}`,
    ]);
    await short.send(head);
    await short.send(ciphertext.subarray(0, 50_000));
    await short.closeWriting();
    const answer = await short.answer();
    assert.ok(answer === undefined || answer.status >= 400, `${answer?.status}`);
  }
  await requireNothingStored(upload);
  await requireUsable(upload);
});

Deno.test("a PUT without a stated length stores nothing, however long it goes on", async () => {
  const upload = await reserve();
  using endless = await RawConnection.open(target.origin);
  await endless.send(
    requestText(target.origin, `PUT ${upload.path} HTTP/1.1`, [TYPE, "Transfer-Encoding: chunked"]),
  );
  const answered = endless.answer();
  const chunk = new Uint8Array(65_536);
  for (let sent = 0; sent < 64; sent++) {
    if (!await endless.send(`${chunk.length.toString(16)}\r\n`)) break;
    if (!await endless.send(chunk) || !await endless.send("\r\n")) break;
  }
  const answer = await answered;
  assert.ok(answer === undefined || [400, 411].includes(answer.status), `${answer?.status}`);
  await requireNothingStored(upload);
  await requireUsable(upload);
});

Deno.test("every part of an upload's URL is signed", async () => {
  const upload = await reserve();
  const url = new URL(upload.uploadUrl);
  const altered: URL[] = [];
  const change = (edit: (url: URL) => void) => {
    const copy = new URL(url);
    edit(copy);
    altered.push(copy);
  };
  for (const [name, value] of url.searchParams) {
    const last = value.at(-1) === "0" ? "1" : "0";
    change(({ searchParams }) => searchParams.set(name, value.slice(0, -1) + last));
    change(({ searchParams }) => searchParams.set(name, value + "0"));
    change(({ searchParams }) => searchParams.set(name, ""));
    change(({ searchParams }) => searchParams.delete(name));
    change(({ searchParams }) => searchParams.append(name, value));
    change(({ searchParams }) => searchParams.set(name, value.toUpperCase() + " "));
  }
  change(({ searchParams }) => searchParams.append("extra", "1"));
  const key = url.pathname.split("/").at(-1)!;
  const otherKey = key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
  change((copy) => copy.pathname = copy.pathname.replace(key, otherKey));
  change((copy) => copy.pathname = copy.pathname.replace(key, key.toUpperCase() + "a"));
  change((copy) => copy.pathname = copy.pathname.replace(key, `../${key}`));
  change((copy) => copy.search = "");
  const other = new URL((await reserve()).uploadUrl);
  change((copy) => copy.search = other.search);
  for (const wrong of altered) {
    if (wrong.href === url.href) continue;
    const status = await target.agent.put(wrong.href, upload.ciphertext);
    assert.ok(status >= 400 && status < 500, `${wrong.search}: ${status}`);
  }
  await requireNothingStored(upload);
  await requireUsable(upload);
});

Deno.test("an upload's URL serves one PUT of its type, without a credential, and nothing else", async () => {
  const upload = await reserve();
  const { uploadUrl, ciphertext } = upload;
  const put = async (init: RequestInit) => {
    const response = await fetch(uploadUrl, { method: "PUT", body: ciphertext, ...init });
    await response.body?.cancel();
    return response.status;
  };
  const type = { "content-type": "application/octet-stream" };
  for (const method of ["POST", "PATCH", "DELETE"]) {
    assert.equal(await put({ method, headers: type }), 405);
  }
  assert.equal(await put({ method: "GET", body: undefined }), 405);
  assert.equal(await put({ headers: { "content-type": "text/html" } }), 400);
  assert.equal(
    await put({ headers: { ...type, authorization: `Bearer ${target.agent.token}` } }),
    400,
  );
  await requireNothingStored(upload);
  await requireUsable(upload);
  const again = await put({ headers: type });
  assert.ok(again >= 400 && again < 500, `a second use: ${again}`);
  const changed = await put({ headers: type, body: anyCiphertext(upload.id, 100_000) });
  assert.ok(changed >= 400 && changed < 500, `another content: ${changed}`);
  const content = await target.agent.download(upload.id);
  assert.deepEqual(new Uint8Array(await content.arrayBuffer()), ciphertext);
});

Deno.test("an upload that is under way ends with the grant that it is for", async () => {
  const { origin, owner, folderId } = target;
  const grant = await owner.grant({ rootIds: [folderId] });
  const { id, ciphertext, reserved } = await grant.reserve(folderId, 3_000_000);
  const { pathname, search } = new URL(reserved.json.uploadUrl);
  using slow = await RawConnection.open(origin);
  await slow.send(
    requestText(origin, `PUT ${pathname}${search} HTTP/1.1`, [
      TYPE,
      `Content-Length: ${ciphertext.length}`,
    ]),
  );
  await slow.send(ciphertext.subarray(0, 1_000_000));
  await owner.ok("POST", `/grants/${grant.grantId}/revoke`, { body: {} });
  await slow.send(ciphertext.subarray(1_000_000, 2_000_000));
  const answer = await slow.answer();
  assert.equal(answer?.status, 403);
  assert.ok(await slow.closes(5000), "and its connection is closed");
  assert.equal((await owner.content(id)).status, 404);
});

Deno.test("content that is not what finalize says, or not of its row, becomes no file", async () => {
  const finalizeAs = async (make: (id: string) => Uint8Array<ArrayBuffer>, stated?: Uint8Array) => {
    const id = uuidV7();
    const ciphertext = make(id);
    const body = {
      id,
      folderId: target.folderId,
      ...anyFileFields(),
      cipherVersion: 3,
      sizeBytes: ciphertext.length,
    };
    const { uploadUrl, proofKey } = await target.agent.ok("POST", "/files", { body });
    assert.equal(await target.agent.put(uploadUrl, ciphertext), 200);
    const proof = await buildUploadProofV3({
      proofKeyHex: proofKey,
      ciphertext: stated ?? anyCiphertext(id, 1000),
    });
    const ciphertextHash = createHash("sha1").update(ciphertext).digest("hex");
    const { status, json } = await target.agent.call("POST", `/files/${id}/finalize`, {
      body: { proof, ciphertextHash },
    });
    const listed = (await target.agent.all("files")).some((file) => file.id === id);
    return [status, json.code, listed];
  };
  const refused = [400, "finalize_failed", false];
  assert.deepEqual(await finalizeAs(() => new Uint8Array(5000)), refused);
  assert.deepEqual(await finalizeAs((id) => anyCiphertext(id, 50_000)), refused, "another's proof");
  const foreign = anyCiphertext(uuidV7(), 50_000);
  assert.deepEqual(await finalizeAs(() => foreign, foreign), refused, "another row's file id");
  const cut = (id: string) => anyCiphertext(id, 300_000).slice(0, 200_000);
  const memory: Uint8Array<ArrayBuffer>[] = [];
  assert.deepEqual(
    await finalizeAs((id) => (memory[0] = cut(id)), undefined),
    refused,
    "shorter than its header says",
  );
});

Deno.test("a file is reserved only within what its format allows", async () => {
  const reserve = async (change: Record<string, unknown>) => {
    const id = uuidV7();
    const body = {
      id,
      folderId: target.folderId,
      ...anyFileFields(),
      cipherVersion: 3,
      sizeBytes: 5000,
      ...change,
    };
    return (await target.agent.call("POST", "/files", { body })).status;
  };
  assert.equal(await reserve({}), 200);
  for (const sizeBytes of [0, -1, 1.5, 2 ** 53, 600 * 1024 * 1024, "5000", null, 1e308]) {
    assert.equal(await reserve({ sizeBytes }), 400, String(sizeBytes));
  }
  for (const cipherVersion of [0, 1, 2, 4, "3", null]) {
    assert.equal(await reserve({ cipherVersion }), 400, String(cipherVersion));
  }
  for (const contentType of ["", "a\r\nb: c", "x".repeat(128), 7]) {
    assert.equal(await reserve({ contentType }), 400, String(contentType));
  }
});
