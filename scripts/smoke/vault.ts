// Whether the executable works in a vault: the executable itself hosts one, a connection is taken and kept,
// what it reaches is listed and read and nothing else, files move in and their originals come back, and an
// end of the connection is one. What a run says is compared with the disk and with what the owner sees.

import { createHash } from "node:crypto";
import { fingerprint } from "../home.ts";
import { SHARED } from "../hosted.ts";
import { type Area, expect, expectEqual, expectMatch, Skipped } from "./check.ts";
import { Connected } from "./connected.ts";
import type { Finished, Subject } from "./subject.ts";
import { expectEnded, expectUnchanged, plantTree } from "./tree.ts";

export const vault: Area = {
  name: "vault",
  checks: [
    { name: "login keeps a connection for this user alone, and logout forgets it", run: login },
    { name: "list and read show what the connection reaches, and nothing else", run: looks },
    { name: "files move in, are there byte for byte, and their originals come back", run: moveIn },
    { name: "a connection that was revoked is refused", run: revoked },
    {
      name: "--show-permissions names one server, and no folder but granted ones",
      run: permissions,
    },
  ],
};

async function login(subject: Subject): Promise<void> {
  if (Deno.build.os !== "linux") throw new Skipped("the keychain here would be the user's own");
  await using connected = await Connected.open(subject);
  const { stranger, origin, connectionString } = connected;
  const kept = `${stranger.home}/.config/shieldfive-mcp/connection`;
  const words = ["login", "--paste", "--server", origin, "--store", "file"];
  const made = await stranger.run(words, stranger.work, `${connectionString}\n`);
  expectEqual("exit code", made.code, 0);
  expectMatch("on stdout", made.stdout, /^Connected to /);
  expectEqual("what is kept", Deno.readTextFileSync(kept).trim(), connectionString);
  const modes = [kept, dirOf(kept)].map((path) => (Deno.statSync(path).mode ?? 0) & 0o777);
  expectEqual("modes", modes, [0o600, 0o700]);

  const { output, ...ended } = await stranger.json(["status"], stranger.work);
  expectEnded(ended);
  const { connected: good, source, server } = output;
  expectEqual("the status", [good, source, server], [true, "file", origin]);
  const gone = await stranger.run(["logout"]);
  expectEqual("exit code of logout", gone.code, 0);
  const left = [...Deno.readDirSync(dirOf(kept))].map(({ name }) => name);
  expect(!left.includes("connection"), "no connection", left);
  expectSilent([made, ended, gone], connectionString);
  const without = await stranger.json(["vault", "list"], stranger.work);
  expectEqual("the error", [without.code, without.output.error?.code], [1, "not_connected"]);
}

function dirOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

/** @throws Unexpected when a secret of the connection was printed. */
function expectSilent(runs: Partial<Finished>[], connectionString: string): void {
  const [, token, secret] = connectionString.split(".");
  for (const { stdout = "", stderr = "" } of runs) {
    const said = stdout + stderr;
    expect(!said.includes(token) && !said.includes(secret), "no secret in the output", said);
  }
}

async function looks(subject: Subject): Promise<void> {
  await using connected = await Connected.open(subject);
  const { user } = connected;
  const folder = user.folder();
  const { output, ...ended } = await user.json(["vault", "list"], folder);
  expectEnded(ended);
  const path = `/${SHARED.folder}/${SHARED.file}`;
  const paths = [...output.folders, ...output.files].map(({ path }) => path);
  expectEqual("what is listed", paths, [`/${SHARED.folder}`, path]);
  const read = await user.run(["vault", "read", path], folder);
  expectEqual("what is read", [read.code, read.stdout], [0, SHARED.text]);
  const outside = await user.json(["vault", "read", "/Private/diary.txt"], folder);
  expectEqual("the error", [outside.code, outside.output.error?.code], [1, "not_found"]);
  expectEqual("what a run leaves", [...Deno.readDirSync(folder)].length, 0);
}

async function moveIn(subject: Subject): Promise<void> {
  await using connected = await Connected.open(subject);
  const { user, owner } = connected;
  const folder = plantTree(user);
  const before = fingerprint(folder);
  const files = ["docs/insurance.pdf", "pictures/photo é文.jpg"];
  const words = ["move-in", ...files, "--to", `/${SHARED.folder}`];
  const asked = await user.run(words, folder);
  expectEqual("exit code without a yes", asked.code, 3);
  expectMatch("on stdout", asked.stdout, /Planned \(nothing changed\)/);
  expectUnchanged(before, folder);
  expectEqual("files in the vault", (await owner.refresh()).files.size, 2);

  const { output, ...ended } = await user.json([...words, "--yes"], folder);
  expectEnded(ended);
  expectEqual("performed", output.performed, true);
  const after = fingerprint(folder);
  expectEqual("those that left", files.filter((path) => after.has(path)), []);
  expectEqual("how many entries left", before.size - after.size, files.length);
  const { files: held } = await owner.refresh();
  for (const [i, path] of files.entries()) {
    const { vault_file_id: id, trashed_to: trashed, sha256 } = output.moved[i];
    const digest = createHash("sha256");
    for await (const bytes of (await owner.download(id)).content) digest.update(bytes);
    expectEqual(`the copy of ${path}`, digest.digest("hex"), before.get(path)?.content);
    expectEqual("what is said of it", sha256, before.get(path)?.content);
    expectEqual("its name", held.get(id)?.name, path.slice(path.lastIndexOf("/") + 1));
    expectEqual("its original", hashOf(trashed), before.get(path)?.content);
  }
  expectEnded(await user.run(["restore", "--yes"], folder));
  expectUnchanged(before, folder);
}

function hashOf(path: string): string {
  return createHash("sha256").update(Deno.readFileSync(path)).digest("hex");
}

async function revoked(subject: Subject): Promise<void> {
  await using connected = await Connected.open(subject);
  const { user } = connected;
  expectEnded(await user.run(["status"]));
  await connected.revoke();
  for (const words of [["status"], ["vault", "list"]]) {
    const { code, output } = await user.json(words, user.work);
    expectEqual(`the error of ${words[0]}`, [code, output.error?.code], [1, "grant_invalid"]);
  }
}

async function permissions(subject: Subject): Promise<void> {
  const user = subject.with({ SHIELDFIVE_API_URL: "https://vault.example" });
  const folder = user.folder();
  const show = async (words: string[]): Promise<string> => {
    const run = await user.run([...words, "--show-permissions"], folder);
    expectEnded(run);
    return run.stdout;
  };
  const list = await show(["vault", "list"]);
  const server = "room vault\n  net: vault.example:443\n  nothing else\n";
  expect(list.includes(server), "a room for the server", list);
  expect(!list.includes("room disk"), "no room for the disk", list);
  Deno.writeTextFileSync(`${folder}/a.txt`, "a");
  const moves = await show(["move-in", "a.txt", "--to", "/Papers", "--root", folder]);
  expect(moves.includes(server), "the same room", moves);
  const disk = `room disk-write\n  read: ${folder}\n  write: ${folder}\n  sys: statfs\n`;
  expect(moves.includes(disk), "a room for the folder", moves);
}
