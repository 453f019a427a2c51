// What the local tools find in a planted tree, and how a run ends: the answers are compared with what is
// on disk, and looking must change nothing.

import { fingerprint } from "../home.ts";
import { type Area, type Check, expect, expectEqual, expectMatch } from "./check.ts";
import { type Json, type Subject, withinPatience } from "./subject.ts";
import { COPIES, expectEnded, expectUnchanged, filesOf, LARGE, plantTree } from "./tree.ts";

export const local: Area = {
  name: "local",
  checks: [
    looks("list names every file with its size", ["list"], (output, folder) => {
      expectEqual("the files", sizes(output), filesOf(folder));
    }),
    { name: "list prints a table with every path, and warnings on stderr only", run: table },
    looks("dupes finds the copies and not what only looks alike", ["dupes"], (output, folder) => {
      const groups = output.groups.map((group: Json) =>
        [group.oldest_copy, ...group.other_copies].map(({ path }) => path)
      );
      const wanted = COPIES.map((names) => names.map((name) => `${folder}/${name}`));
      expectEqual("the groups", groups.sort(), wanted.sort());
    }),
    looks("large finds the large file", ["large", "--min-bytes", "1MB"], (output, folder) => {
      expectEqual("the files", sizes(output), new Map([[`${folder}/downloads/image.iso`, LARGE]]));
    }),
    looks("old finds the old file", ["old", "--older-than-days", "1y"], (output, folder) => {
      expectEqual("the files", [...sizes(output).keys()], [`${folder}/docs/insurance.pdf`]);
    }),
    looks("summary adds up all sizes", ["summary"], (output, folder) => {
      const all = [...filesOf(folder).values()];
      expectEqual("files and bytes", [output.total_files, output.total_bytes], [
        all.length,
        all.reduce((sum, size) => sum + size),
      ]);
    }),
    looks("trashed finds an empty trash", ["trashed"], (output) => {
      expectEqual("the batches", output.batches, []);
    }),
    { name: "a folder that is not there is refused with exit code 1", run: missing },
    { name: "a reader that stops reading ends the program quietly", run: brokenPipe },
  ],
};

/** A check that a reading command answers rightly and changes nothing. */
function looks(
  name: string,
  words: string[],
  compare: (output: Json, folder: string) => void,
): Check {
  return {
    name,
    async run(subject) {
      const folder = plantTree(subject);
      const before = fingerprint(folder);
      const { output, ...ended } = await subject.json(words, folder);
      expectEnded(ended);
      compare(output, folder);
      expectUnchanged(before, folder);
    },
  };
}

function sizes({ files }: Json): Map<string, number> {
  return new Map(files.map(({ path, size }: Json) => [path, size]));
}

async function table(subject: Subject): Promise<void> {
  const folder = plantTree(subject);
  const run = await subject.run(["list", folder], folder);
  expectEnded(run);
  expectMatch("on stdout", run.stdout, /^ +Size +Modified +Path\n.*\n\n8 files, [^\n]+\n$/s);
  for (const path of filesOf(folder).keys()) {
    expect(run.stdout.includes(`  ${path}\n`), path, run.stdout);
  }
  expectMatch("on stderr", run.stderr, /hardlinks/);
}

async function missing(subject: Subject): Promise<void> {
  const { output, ...ended } = await subject.json(["list", "nowhere"], subject.folder());
  expectEnded(ended, 1);
  expectEqual("the error", output.error?.code, "not_found");
}

/** More than any pipe holds, so that the program is still writing when its reader goes. */
const MANY = 600;

async function brokenPipe(subject: Subject): Promise<void> {
  const folder = subject.folder();
  for (let i = 0; i < MANY; i++) {
    Deno.writeTextFileSync(`${folder}/${"a long name ".repeat(19)}${i}`, "");
  }
  const child = subject.start(["list", "--limit", String(MANY)], folder, "null");
  const stderr = new Response(child.stderr).text();
  const reader = child.stdout.getReader();
  await withinPatience(child, () => reader.read());
  await reader.cancel();
  const { code } = await withinPatience(child, () => child.status);
  // 141 is what a shell shows for a program that the system ended for it.
  expectEqual("exit code and stderr", [code, await stderr], [141, ""]);
}
