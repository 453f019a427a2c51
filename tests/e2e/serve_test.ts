// `shieldfive serve` as a process: what it prints, what it refuses, and how it ends, be that in order, at
// once or by a power cut.

import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { shieldfive, start } from "../cli/program.ts";
import { certificate } from "../vault/server/http/support.ts";
import { startServing } from "../vault/server/serving.ts";
import { exists, inTempDir, plant } from "../support.ts";
import { contentByte, contentOf, plantVault } from "./served_vault.ts";

/** They end the server by signals, which Windows does not have. */
function test(name: string, body: () => Promise<void>): void {
  Deno.test(name, { ignore: Deno.build.os === "windows" }, body);
}

test("a new vault's address is alone on stdout and lets one visitor in; the page is there", () =>
  inTempDir(async (dir) => {
    const serving = await startServing(`${dir}/a folder/vault`);
    const { origin } = serving;
    assert.match(serving.setupToken ?? "", /^[\w-]{43}$/);
    const [, script] = /src="(\/assets\/[^"]+\.js)"/.exec(await (await fetch(origin)).text()) ??
      [];
    const answer = await fetch(origin + script);
    assert.equal(answer.headers.get("cache-control"), "public, max-age=31536000, immutable");
    assert.ok((await answer.text()).length > 1000);
    const status = await fetch(`${origin}/api/owner/v1/status`);
    assert.deepEqual((await status.json()).initialized, false);
    assert.equal(await serving.stop(), 0);
    const lines = serving.log.trimEnd().split("\n");
    assert.deepEqual(lines.filter((line) => !line.startsWith("shieldfive: ")), [
      `${origin}/#setup=${serving.setupToken}`,
    ]);
    assert.ok(
      !lines.filter((line) => line.startsWith("shieldfive: ")).join()
        .includes(serving.setupToken!),
    );
  }));

test("the set-up address is another one at each start, and gone once there is an owner", () =>
  inTempDir(async (dir) => {
    const tokens = [];
    for (let i = 0; i < 2; i++) {
      const serving = await startServing(`${dir}/new`);
      tokens.push(serving.setupToken);
      await serving.stop();
    }
    assert.notEqual(tokens[0], tokens[1]);
    plantVault(`${dir}/owned`, 1);
    const serving = await startServing(`${dir}/owned`);
    assert.equal(serving.setupToken, undefined);
    await serving.stop();
  }));

test("with --json stdout is one object", () =>
  inTempDir(async (dir) => {
    const child = start(["serve", "--data", `${dir}/v`, "--port", "0", "--json"]);
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const { value: line = "" } = await reader.read();
    const { address, ready, pid } = JSON.parse(line);
    assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/#setup=[\w-]{43}$/);
    assert.deepEqual([ready, pid], [true, child.pid]);
    const answer = await fetch(address);
    assert.equal(answer.status, 200);
    await answer.body?.cancel();
    child.kill("SIGTERM");
    assert.equal((await reader.read()).done, true, "nothing more on stdout");
    assert.equal((await child.status).code, 0);
    await Promise.all([child.stdin.close(), child.stderr.cancel()]);
  }));

test("the data folder and what is in it are the user's alone", () =>
  inTempDir(async (dir) => {
    const data = `${dir}/deep/er/vault`;
    const serving = await startServing(data);
    const mode = (path: string) => (Deno.statSync(path).mode ?? 0) & 0o777;
    assert.equal(mode(data), 0o700);
    assert.equal(mode(`${data}/vault.db`), 0o600);
    assert.equal(mode(`${data}/objects`), 0o700);
    await serving.stop();
  }));

test("--show-permissions names the one address and the one folder, and opens neither", () =>
  inTempDir(async (dir) => {
    const words = ["--data", `${dir}/v`, "--port", "8123", "--show-permissions"];
    const { code, stdout } = await shieldfive(["serve", ...words]);
    assert.equal(code, 0);
    assert.equal(
      stdout,
      `room serve-front
  net: 127.0.0.1:8123
  nothing else
room serve-store
  read: ${dir}/v
  write: ${dir}/v
  nothing else
main thread
  standard input and output, and the terminal; all other rights are given up first
`,
    );
    assert.equal(exists(`${dir}/v`), false);
  }));

test("a command line that is wrong, and a place that is, are refused with their exit codes", () =>
  inTempDir(async (dir) => {
    plant(dir, { "documents/letter.txt": "mine", "file": "" });
    const refused = async (words: string[], code: number, said: RegExp) => {
      const run = await shieldfive(["serve", "--port", "0", ...words]);
      assert.deepEqual([run.code, run.stdout], [code, ""], words.join(" "));
      assert.match(run.stderr, said);
    };
    await refused(["--host", "0.0.0.0"], 2, /^shieldfive: error: others can reach 0\.0\.0\.0/);
    await refused(["--data", `${dir}/documents`], 1, /has other files in it.* \[not_a_vault\]$/m);
    await refused(["--data", `${dir}/file`], 1, /is not a folder \[not_a_folder\]$/m);
    await refused(
      ["--check", "--data", `${dir}/none`],
      1,
      /there is no vault in .*\[not_found\]$/m,
    );
    await refused(
      ["--tls-cert", `${dir}/file`, "--tls-key", `${dir}/file`],
      1,
      /\[tls_unusable\]/,
    );
    await refused(["--tls-cert", `${dir}/no`, "--tls-key", `${dir}/no`], 1, /\[io_error\]/);
    plant(dir, { "broken/vault.db": "this is no database at all, but a text of some length" });
    await refused(["--data", `${dir}/broken`], 1, /cannot be opened: .*\[data_unreadable\]$/m);
    assert.deepEqual([...Deno.readDirSync(`${dir}/documents`)].map(({ name }) => name), [
      "letter.txt",
    ]);
    assert.equal(exists(`${dir}/none`), false);
  }));

test("a folder that is served can be served, and checked, by nobody else", () =>
  inTempDir(async (dir) => {
    plantVault(`${dir}/v`, 1000);
    const serving = await startServing(`${dir}/v`);
    for (const words of [["--port", "0"], ["--check"]]) {
      const run = await shieldfive(["serve", "--data", `${dir}/v`, ...words]);
      assert.equal(run.code, 1);
      assert.match(run.stderr, /\[data_folder_in_use\]$/m);
    }
    const port = new URL(serving.origin).port;
    const run = await shieldfive(["serve", "--data", `${dir}/other`, "--port", port]);
    assert.equal(run.code, 1);
    assert.match(run.stderr, /another program already listens on .* \[address_in_use\]$/m);
    assert.equal((await fetch(`${serving.origin}/healthz`)).status, 200);
    await serving.stop();
    assert.equal((await shieldfive(["serve", "--data", `${dir}/v`, "--check"])).code, 0);
  }));

/** Bytes of a file that no system takes whole into its buffers. */
const LARGE = 64 * 1024 * 1024;

test("asked to stop, it finishes a download that has begun, takes nothing new, and ends with 0", () =>
  inTempDir(async (dir) => {
    const vault = plantVault(`${dir}/v`, LARGE);
    const serving = await startServing(`${dir}/v`);
    const reader = (await fetch(contentOf(serving.origin, vault))).body!.getReader();
    let { value } = await reader.read();
    const ended = serving.stop();
    while (!serving.log.includes("stopping")) await new Promise((done) => setTimeout(done, 10));
    await assert.rejects(fetch(`${serving.origin}/healthz`));
    let at = 0;
    while (value !== undefined) {
      for (let i = 0; i < value.length; i += 997) assert.equal(value[i], contentByte(at + i));
      at += value.length;
      value = (await reader.read()).value;
    }
    assert.equal(at, LARGE);
    assert.equal(await ended, 0);
    assert.match(serving.log, / GET \/api\/owner\/v1\/files\/:id\/content 200 \d+ms$/m);
  }));

test("asked twice, it ends at once", () =>
  inTempDir(async (dir) => {
    const vault = plantVault(`${dir}/v`, LARGE);
    const serving = await startServing(`${dir}/v`);
    const { body } = await fetch(contentOf(serving.origin, vault));
    const reader = body!.getReader();
    await reader.read();
    serving.process.kill("SIGTERM");
    while (!serving.log.includes("stopping")) await new Promise((done) => setTimeout(done, 10));
    const began = performance.now();
    serving.process.kill("SIGTERM");
    assert.equal((await serving.process.status).code, 143);
    assert.ok(performance.now() - began < 3000);
    await reader.cancel().catch(() => {}); // it was cut off
  }));

test("after a kill it starts again with everything that was there, and all of it is sound", () =>
  inTempDir(async (dir) => {
    const vault = plantVault(`${dir}/v`, 300_000);
    const first = await startServing(`${dir}/v`);
    assert.equal((await fetch(contentOf(first.origin, vault))).status, 200);
    await first.kill();
    const second = await startServing(`${dir}/v`);
    const bytes = await (await fetch(contentOf(second.origin, vault))).bytes();
    assert.ok(bytes.length === 300_000 && bytes.every((byte, at) => byte === contentByte(at)));
    await second.kill();
    const check = await shieldfive(["serve", "--data", `${dir}/v`, "--check"]);
    assert.deepEqual([check.code, check.stderr], [0, ""]);
    assert.equal(check.stdout, "sound: 1 file, 300 KB read\n");
  }));

test("--check tells a damaged file by its id, as text and as JSON, and leaves everything as it was", () =>
  inTempDir(async (dir) => {
    const { fileId, storageKey, object } = plantVault(`${dir}/v`, 5000);
    const bytes = Deno.readFileSync(object);
    bytes[4999] ^= 1;
    Deno.writeFileSync(object, bytes);
    const words = ["serve", "--data", `${dir}/v`, "--check"];
    const text = await shieldfive(words);
    assert.equal(text.code, 1);
    assert.equal(
      text.stdout,
      `file ${fileId}: its object has other bytes (${storageKey})\n` +
        "NOT SOUND: 1 of 1 file lost or damaged\n",
    );
    const { code, stdout } = await shieldfive([...words, "--json"]);
    const report = JSON.parse(stdout);
    assert.deepEqual([code, report.sound, report.files, report.bytesRead], [1, false, 1, 5000]);
    assert.deepEqual(report.faults, [{ fileId, storageKey, fault: "wrong_hash" }]);
    Deno.removeSync(object);
    assert.match((await shieldfive(words)).stdout, /: its object is missing /);
  }));

test("a copy that is made of a running server, rows first and then objects, is sound", () =>
  inTempDir(async (dir) => {
    const vault = plantVault(`${dir}/v`, 300_000);
    const serving = await startServing(`${dir}/v`);
    const reading = fetch(contentOf(serving.origin, vault)).then((answer) => answer.bytes());
    const database = new DatabaseSync(`${dir}/v/vault.db`);
    Deno.mkdirSync(`${dir}/copy`);
    database.exec(`VACUUM INTO '${dir}/copy/vault.db'`);
    database.close();
    cpSync(`${dir}/v/objects`, `${dir}/copy/objects`, {
      recursive: true,
      filter: (path) => !path.endsWith("/incoming"),
    });
    assert.equal((await reading).length, 300_000);
    await serving.stop();
    const check = await shieldfive(["serve", "--data", `${dir}/copy`, "--check"]);
    assert.deepEqual([check.code, check.stdout], [0, "sound: 1 file, 300 KB read\n"]);
    const copy = await startServing(`${dir}/copy`);
    assert.equal((await (await fetch(contentOf(copy.origin, vault))).bytes()).length, 300_000);
    await copy.stop();
  }));

test("with a certificate it serves over TLS alone", () =>
  inTempDir(async (dir) => {
    const tls = await certificate(dir);
    if (tls === undefined) return;
    const words = ["--tls-cert", `${dir}/cert.pem`, "--tls-key", `${dir}/key.pem`];
    const serving = await startServing(`${dir}/v`, words);
    assert.match(serving.origin, /^https:\/\/127\.0\.0\.1:\d+$/);
    using client = Deno.createHttpClient({ caCerts: [tls.cert] });
    const answer = await fetch(`${serving.origin}/healthz`, { client });
    assert.deepEqual(await answer.json(), { ok: true });
    await assert.rejects(fetch(serving.origin.replace("https", "http")));
    assert.equal(await serving.stop(), 0);
  }));

test("the log says of a request its route and nothing that it carried", () =>
  inTempDir(async (dir) => {
    const vault = plantVault(`${dir}/v`, 10);
    const serving = await startServing(`${dir}/v`);
    const request = contentOf(serving.origin, vault);
    await (await fetch(`${request.url}?secret=question`, request)).bytes();
    const address = `${serving.origin}/files?settings=agents&connect=secret-state&port=4000`;
    await (await fetch(address)).text();
    await (await fetch(`${serving.origin}/storage/v1/${vault.storageKey}?signature=secret`, {
      method: "PUT",
      body: "secret-content",
    })).text();
    await (await fetch(`${serving.origin}/secret-place`)).text();
    await serving.stop();
    const told = serving.log.split("\n").filter((line) => line.startsWith("shieldfive: ")).join(
      "\n",
    );
    for (const secret of ["secret", vault.token, vault.fileId, vault.storageKey, "agents"]) {
      assert.ok(!told.includes(secret), `${secret}\n${told}`);
    }
    assert.match(told, / PUT \/storage\/v1\/:key 4\d\d \d+ms$/m);
    assert.match(told, / GET \(no route\) 404 \d+ms$/m);
  }));
