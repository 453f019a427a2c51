// Whether the executable stays inside the folders that it was given. What each kind of check shows:
//
// - links: that the routes to the outside which are tried here are refused or act on the link alone;
//   the outcome is looked up on disk, so this holds whatever the program says;
// - the traced runs: that a whole run, runtime and packages included, wrote nowhere else, opened nothing
//   of a neighbouring folder, made no socket and started no program. It shows what this run did, not
//   what another one could do;
// - the rooms of `doctor` under strace: that the runtime holds the very rooms that the commands use. They
//   try to change a place that was not granted, and the try is not among the calls of the process;
// - `--show-permissions`: what the program says it would let its parts do. It is its own word: nothing
//   from outside can ask the runtime which rights a thread has.

import { dirname } from "node:path";
import { placesOf } from "../../cli/places.ts";
import { fingerprint } from "../home.ts";
import { type Area, type Check, expect, expectEqual, expectMatch, Skipped } from "./check.ts";
import { Session } from "./session.ts";
import type { Json, Subject } from "./subject.ts";
import { traced } from "./traced.ts";
import { expectEnded, expectUnchanged } from "./tree.ts";

export const walls: Area = {
  name: "walls",
  checks: [
    withLinks("looking shows nothing of what a link leads to", looksPastLinks),
    withLinks("a folder behind a link, and a neighbour, cannot be listed", refusesOutside),
    withLinks("a link is moved, renamed, trashed and restored itself", changesLinksAlone),
    withLinks("nothing is made, moved or trashed through a link", changesNothingThroughLinks),
    withLinks("over MCP the same is refused", refusesOverMcp),
    { name: "the program's own settings cannot be trashed", run: protectsSettings },
    { name: "--show-permissions names the folder and no other right", run: showsPermissions },
    ...traced,
  ],
};

/** A folder with ways out of it, and what they lead to. */
interface Ways {
  subject: Subject;
  /** Holds `own.txt`, `sub/`, and the links `file`, `folder` and `dangling`. */
  root: string;
  /** Holds `secret.txt`, with the content of `own.txt`. */
  outside: string;
  /** A folder whose path begins like that of the root. */
  neighbour: string;
}

/** A check on a folder with links that lead out of it, to a place that must stay as it is. */
function withLinks(name: string, body: (ways: Ways) => Promise<void>): Check {
  return {
    name,
    async run(subject) {
      if (Deno.build.os === "windows") throw new Skipped("links need rights of their own here");
      const ways = plantWays(subject);
      const before = [fingerprint(ways.outside), fingerprint(ways.neighbour)];
      await body(ways);
      expectUnchanged(before[0], ways.outside);
      expectUnchanged(before[1], ways.neighbour);
    },
  };
}

function plantWays(subject: Subject): Ways {
  const folder = subject.folder();
  const [root, outside, neighbour] = ["root", "outside", "root-evil"].map((n) => `${folder}/${n}`);
  for (const path of [root, `${root}/sub`, outside, neighbour]) Deno.mkdirSync(path);
  Deno.writeTextFileSync(`${root}/own.txt`, "the same content");
  Deno.writeTextFileSync(`${outside}/secret.txt`, "the same content");
  Deno.writeTextFileSync(`${neighbour}/secret.txt`, "the same content");
  Deno.symlinkSync(`${outside}/secret.txt`, `${root}/file`);
  Deno.symlinkSync(outside, `${root}/folder`);
  Deno.symlinkSync(`${outside}/missing`, `${root}/dangling`);
  return { subject, root, outside, neighbour };
}

async function looksPastLinks({ subject, root }: Ways): Promise<void> {
  for (
    const words of [["list"], ["large", "--min-bytes", "1"], ["old", "--older-than-days", "1"]]
  ) {
    const { output, ...ended } = await subject.json(words, root);
    expectEnded(ended);
    const paths = output.files.map(({ path }: Json) => path);
    expectEqual(`${words[0]}:`, paths, words[0] === "old" ? [] : [`${root}/own.txt`]);
  }
  const dupes = await subject.json(["dupes"], root);
  expectEqual("groups", dupes.output.groups, []);
  const summary = await subject.json(["summary"], root);
  expectEqual("files", summary.output.total_files, 1);
  expectMatch(
    "on stderr",
    (await subject.run(["list"], root)).stderr,
    /3 symlink\(s\) not followed/,
  );
}

async function refusesOutside({ subject, root, neighbour, outside }: Ways): Promise<void> {
  const places = [`${root}/folder`, `${root}/file`, neighbour, outside, `${root}/../outside`];
  for (const place of places) {
    await expectRefused(subject, ["list", "--root", root, place], root, ["outside_roots"]);
  }
}

/** @throws Unexpected unless the run is refused with one of the codes. */
async function expectRefused(
  subject: Subject,
  words: string[],
  cwd: string,
  codes: string[],
): Promise<void> {
  const { output, ...ended } = await subject.json(words, cwd);
  expect(codes.includes(output.error?.code), `${words.join(" ")}: ${codes.join(" or ")}`, output);
  expectEnded(ended, 1);
}

async function changesLinksAlone({ subject, root, outside }: Ways): Promise<void> {
  const before = fingerprint(root);
  const lines = [
    ["rename", "file", "file 2"],
    ["rename", "file 2", "file"],
    ["move", "dangling", "sub/"],
    ["move", "sub/dangling", "."],
    ["trash", "file", "folder/", "dangling"],
  ];
  for (const words of lines) {
    expectEnded(await subject.run([...words, "--root", root, "--yes"], root));
  }
  expectEqual("what is left", [...fingerprint(root).keys()], ["own.txt", "sub"]);
  expectEqual("the secret", Deno.readTextFileSync(`${outside}/secret.txt`), "the same content");
  expectEnded(await subject.run(["restore", "--root", root, "--yes"], root));
  expectUnchanged(before, root);
}

async function changesNothingThroughLinks({ subject, root }: Ways): Promise<void> {
  const before = fingerprint(root);
  const lines = [
    ["mkdir", "folder/new"],
    ["mkdir", "dangling/new"],
    ["mkdir", "dangling"],
    ["move", "own.txt", "folder/"],
    ["move", "own.txt", "folder/own.txt"],
    ["move", "own.txt", "dangling"],
    ["move", "folder/secret.txt", "."],
    ["rename", "folder/secret.txt", "mine.txt"],
    ["trash", "folder/secret.txt"],
  ];
  const codes = ["outside_roots", "dangling_symlink", "destination_exists"];
  for (const words of lines) {
    await expectRefused(subject, [...words, "--root", root, "--yes"], root, codes);
    expectUnchanged(before, root);
  }
}

async function refusesOverMcp({ subject, root, neighbour, outside }: Ways): Promise<void> {
  await using session = new Session(subject, [root]);
  await session.open();
  const before = fingerprint(root);
  const calls: [name: string, args: Json][] = [
    ["list_local", { path: outside }],
    ["list_local", { path: `${root}/folder` }],
    ["list_local", { path: neighbour }],
    ["find_duplicates", { path: `${root}/folder` }],
    ["move_local", { source: `${root}/own.txt`, destination: `${root}/folder/own.txt` }],
    ["create_local_folder", { path: `${root}/folder/new` }],
    ["trash_local", { paths: [`${root}/folder/secret.txt`] }],
  ];
  for (const [name, args] of calls) {
    const { isError, structuredContent } = await session.call(name, args);
    expect(
      isError && structuredContent.error.code === "outside_roots",
      `${name} to refuse ${JSON.stringify(args)} as outside_roots`,
      structuredContent,
    );
  }
  expectUnchanged(before, root);
  await session.end();
}

async function protectsSettings(subject: Subject): Promise<void> {
  const settings = placesOf(subject.environment, subject.home)!.configuration;
  Deno.mkdirSync(settings, { recursive: true });
  Deno.writeTextFileSync(`${settings}/settings.json`, "{}");
  const root = dirname(settings);
  for (const path of [settings, `${settings}/settings.json`]) {
    const words = ["trash", path, "--root", root, "--yes"];
    await expectRefused(subject, words, root, ["protected_location"]);
  }
  expectEqual("the settings", Deno.readTextFileSync(`${settings}/settings.json`), "{}");
}

async function showsPermissions(subject: Subject): Promise<void> {
  const root = subject.folder();
  Deno.writeTextFileSync(`${root}/a.txt`, "a");
  const show = async (words: string[]): Promise<string> => {
    const run = await subject.run([...words, "--root", root, "--show-permissions"], root);
    expectEnded(run);
    return run.stdout;
  };
  const list = await show(["list"]);
  expect(
    list.startsWith(`room disk-read\n  read: ${root}\n  nothing else\nmain `),
    "one room",
    list,
  );
  const trash = await show(["trash", "a.txt", "--yes"]);
  const writer =
    `room disk-write\n  read: ${root}\n  write: ${root}\n  sys: statfs\n  nothing else\n`;
  expect(trash.includes(writer), "a room for writing", trash);
  for (const rights of [list, trash]) {
    expect(!/\b(net|run|env|ffi|import):/.test(rights), "no right but to the disk", rights);
  }
  expectEqual("the file", Deno.readTextFileSync(`${root}/a.txt`), "a");
}
