// What leaves a client, and what its modules may reach (vault spec, 2, 10 and 13): the token goes into one
// header to one origin; secret, names, contents and keys go nowhere.

import assert from "node:assert/strict";
import { bytesToBase64, bytesToHex } from "@shieldfive/crypto";
import { formatConnectionString, grantBearerToken } from "@shieldfive/crypto/vault";
import type { StorageRequest } from "../../../vault/client/types.ts";
import { code, importsOf, sources } from "../../sources.ts";
import { Wire } from "./wire.ts";
import { bytesOf, drained, World } from "./world.ts";

/** The spellings in which bytes could slip out. */
function spellings(bytes: Uint8Array): string[] {
  const latin1 = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const base64 = bytesToBase64(bytes);
  return [
    latin1,
    base64,
    base64.replace(/=+$/, ""),
    bytesToHex(bytes),
    bytes.toBase64({ alphabet: "base64url", omitPadding: true }),
  ];
}

Deno.test("neither token nor secret, nor a name, content or key, is in anything that leaves or is told", async () => {
  using world = new World();
  const folder = await world.addFolder(null, "Very private folder");
  const file = await world.addFile(folder, "secret plans.txt", "attack at dawn");
  const connected = await world.connect();
  const { credential } = connected;
  const wire = new Wire(world);
  const puts: { request: StorageRequest; body: Uint8Array }[] = [];
  const client = world.client(connected, {
    fetch: wire.fetch,
    async storage(request) {
      const body = await drained(request.body);
      puts.push({ request, body });
      return await world.storage({ ...request, body: new Blob([body.slice()]).stream() });
    },
  });
  const told: unknown[] = [];
  const failed = (call: Promise<unknown>) => call.then(() => {}, (error) => told.push(error));
  let view = await client.view();
  await client.rename(view, view.files.get(file)!, "renamed plans.txt");
  view = await client.view();
  const made = await client.createFolder(view, view.folders.get(folder)!, "inner secrets");
  view = await client.view();
  await client.move(view, view.files.get(file)!, view.folders.get(made.id)!);
  view = await client.view();
  const content = bytesOf("the launch code is 0000 ".repeat(1000));
  const source = new Blob([content]).stream();
  const request = { name: "launch codes.txt", size: content.length, source };
  const uploaded = await client.upload(view, view.folders.get(folder)!, request);
  view = await client.view();
  await client.trash(view, [view.files.get(uploaded.id)!]);
  world.rows.updateGrant(credential.grantId, { revokedAt: 1 });
  for (
    const call of [client.view(), client.grant(), client.rename(view, view.files.get(file)!, "x")]
  ) {
    await failed(call);
  }
  wire.answer = () =>
    Promise.reject(new TypeError(`cannot reach ${formatConnectionString(credential)}`));
  await failed(client.view());
  wire.answer = () => new Response(formatConnectionString(credential), { status: 500 });
  await failed(client.view());
  assert.equal(told.length, 5);

  const token = grantBearerToken(credential);
  const bearer = wire.asked.map((
    { headers, url },
  ) => [headers.get("authorization"), new URL(url).origin]);
  for (const [header, origin] of bearer) {
    assert.deepEqual([header, origin], [`Bearer ${token}`, world.server.origin]);
  }
  const requests = wire.asked.map(({ method, url, headers, body }) => {
    headers.delete("authorization");
    return `${method} ${url} ${JSON.stringify([...headers])} ${body}`;
  });
  const sent = puts.map(({ request: { url, headers }, body }) =>
    `${url} ${JSON.stringify(headers)} ${new TextDecoder("latin1").decode(body)}`
  );
  assert.deepEqual(Object.keys(puts[0].request.headers), ["content-type"]);
  const said = told.map((error) => {
    const { message, stack, detail } = error as { message: string; stack: string; detail: unknown };
    return `${message} ${stack} ${JSON.stringify(detail)}`;
  });
  const everything = [...requests, ...sent, ...world.log, ...said, JSON.stringify(view)];
  const keys = [folder, made.id].map((id) => world.folderKeys.get(id)).filter((key) => key);
  const forbidden = [
    ...spellings(credential.token),
    ...[credential.secret, world.rootKey, ...keys as Uint8Array[]].flatMap(spellings),
    "Very private",
    "secret plans",
    "renamed plans",
    "inner secrets",
    "launch code",
    "attack at dawn",
  ];
  for (const [index, text] of everything.entries()) {
    for (const word of forbidden) {
      assert.ok(!text.includes(word), `${index} has ${word.length} characters of what is secret`);
    }
  }
});

Deno.test("what the errors are caused by stays out of their records", async () => {
  using world = new World();
  const wire = new Wire(world, () => Promise.reject(new TypeError("the secret cause")));
  const client = world.client(await world.connect(), { fetch: wire.fetch });
  const error = await client.view().then(() => assert.fail(), (error) => error);
  assert.doesNotMatch(JSON.stringify(error.toRecord()), /secret cause/);
});

/** All but what starts the client in a room. */
const MODULES = sources("vault/client").filter((path) => !path.endsWith("_room.ts"));
/** What reaches files, the environment, the process or other programs, or prints. */
const REACHING =
  /\bDeno\b|\bprocess\b|\bconsole\b|\blocalStorage\b|\bimportScripts\b|\bWorker\b|\bWebSocket\b|\bEventSource\b|\bXMLHttpRequest\b|\bcaches\b|\bnavigator\b/;

Deno.test("the client's modules reach no file, no environment, no process and no console", () => {
  assert.ok(MODULES.length > 20);
  for (const path of MODULES) {
    assert.equal(REACHING.exec(code(path))?.[0], undefined, path);
    for (const { specifier, to } of importsOf(path)) {
      assert.doesNotMatch(specifier, /^(node|npm|jsr|https?):/, path);
      assert.doesNotMatch(
        to ?? "",
        /^containment\/(?!error\.ts$|rooms\/(protocol|bodies\/give_back)\.ts$)/,
        path,
      );
    }
  }
});

Deno.test("one module sends requests, and no other names what sends them", () => {
  const naming = MODULES.filter((path) =>
    /\bfetch\b|\bRequest\s*\(/.test(
      code(path).replaceAll(/\bfetch\?:|options\.fetch\b|typeof fetch\b/g, ""),
    )
  );
  assert.deepEqual(naming, ["vault/client/api.ts"]);
  const sending = [...code("vault/client/api.ts").matchAll(/\bthrough\(/g)];
  assert.equal(sending.length, 1, "in one place");
});
