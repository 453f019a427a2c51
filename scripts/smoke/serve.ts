// Whether the executable can host a vault: it serves the page that was built into it, an owner can put a
// file in and get it out again after a restart, and what is on disk is found to be sound and holds nothing
// in the clear.

import { OwnerVault } from "../../vault/owner/mod.ts";
import { VERSION } from "../../cli/version.ts";
import { type Area, expect, expectEqual, expectMatch, Skipped } from "./check.ts";
import { Served } from "./served.ts";
import type { Subject } from "./subject.ts";
import { expectEnded } from "./tree.ts";

export const serve: Area = {
  name: "serve",
  checks: [
    { name: "the page is served with all that it names, and a signal ends it well", run: page },
    { name: "a file goes in, is on disk as ciphertext, and comes out after a restart", run: file },
    { name: "nothing is served to others without TLS", run: refusesOthers },
    { name: "--show-permissions names one address and one folder", run: showsPermissions },
  ],
};

function requireSignals(): void {
  if (Deno.build.os === "windows") throw new Skipped("there is no signal here to end it in order");
}

async function page(subject: Subject): Promise<string> {
  requireSignals();
  await using served = await Served.open(subject, `${subject.folder()}/vault`);
  const document = await (await fetch(`${served.origin}/`)).text();
  const named = [...document.matchAll(/(?:src|href|content)="(\/[^"]+)"/g)].map(([, path]) => path);
  expect(named.some((path) => path.endsWith(".js")), "a script in the page", document);
  let bytes = document.length;
  for (const path of named) {
    const answer = await fetch(served.origin + path);
    expectEqual(path, answer.status, 200);
    bytes += (await answer.bytes()).length;
  }
  const status = await (await fetch(`${served.origin}/api/owner/v1/status`)).json();
  expectEqual("the status", status, { initialized: false, version: VERSION });
  const health = await fetch(`${served.origin}/healthz`);
  expectEqual("its health", [health.status, await health.json()], [200, { ok: true }]);
  expectMatch("in the log", await served.stop(), / GET \/ 200 \d+ms$/m);
  return `${Math.round(bytes / 1000)} KB`;
}

const NAME = "a letter to nobody.txt";
const TEXT = "nothing of this may be on the server's disk. ".repeat(9000);

async function file(subject: Subject): Promise<void> {
  requireSignals();
  const data = `${subject.folder()}/vault`;
  const passphrase = `smoke ${crypto.randomUUID()}`;
  const first = await Served.open(subject, data);
  await using _first = first;
  const { vault } = await OwnerVault.create({
    origin: first.origin,
    setupToken: first.setupToken,
    passphrase,
  });
  await vault.upload(null, { name: NAME, size: TEXT.length, content: new Blob([TEXT]) });
  await vault.lock();
  await first.stop();
  expectNothingOf([NAME, TEXT.slice(0, 40), passphrase], data);

  const second = await Served.open(subject, data);
  await using _second = second;
  expectEqual("the set-up token of a vault with an owner", second.setupToken, "");
  const again = await OwnerVault.unlock({ origin: second.origin, passphrase });
  const { files } = await again.refresh();
  const [found] = [...files.values()];
  expectEqual("the files", [files.size, found?.name], [1, NAME]);
  const { content } = await again.download(found.id);
  expectEqual("the content", await new Response(content as BodyInit).text() === TEXT, true);
  await again.lock();
  await second.stop();

  const { output, ...ended } = await subject.json(["serve", "--data", data, "--check"], data);
  expectEnded(ended);
  expectEqual("soundness, files and faults", [output.sound, output.files, output.faults], [
    true,
    1,
    [],
  ]);
}

/** @throws Unexpected when one of the texts is in a file below the folder. */
function expectNothingOf(texts: readonly string[], folder: string): void {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) expectNothingOf(texts, path);
    else {
      const held = new TextDecoder("latin1").decode(Deno.readFileSync(path));
      for (const text of texts) expect(!held.includes(text), `no "${text}" in ${name}`, path);
    }
  }
}

async function refusesOthers(subject: Subject): Promise<void> {
  const data = `${subject.folder()}/vault`;
  const run = await subject.run(["serve", "--data", data, "--port", "0", "--host", "0.0.0.0"]);
  expectEqual("exit code and stdout", [run.code, run.stdout], [2, ""]);
  expectMatch("on stderr", run.stderr, /served over TLS only/);
}

async function showsPermissions(subject: Subject): Promise<void> {
  const data = `${subject.folder()}/vault`;
  const words = ["serve", "--data", data, "--port", "8123", "--show-permissions"];
  const run = await subject.run(words);
  expectEnded(run);
  const front = "room serve-front\n  net: 127.0.0.1:8123\n  nothing else\n";
  const store = `room serve-store\n  read: ${data}\n  write: ${data}\n  nothing else\n`;
  expect(run.stdout.startsWith(`${front}${store}main thread\n`), "two rooms", run.stdout);
}
