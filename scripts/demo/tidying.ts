// The first part of the demo: the home folder is looked at, its extra copies go to the trash and come back,
// and every file is what it was.

import { differences, type Fingerprint, fingerprint } from "../home.ts";
import type { Surroundings } from "../program.ts";
import { expect, show, type Step } from "./stage.ts";

const LOOK: Step[] = [
  { says: "What is in here?", args: ["list"] },
  { says: "What takes the space?", args: ["summary"] },
  { says: "Which files are really the same? Contents are compared, never names.", args: ["dupes"] },
  {
    says: "The same answer as data, for the next step.",
    args: ["dupes", "--json"],
    into: "../report.json",
  },
  {
    says: "What would trashing the extra copies do? Nothing is changed yet.",
    args: ["trash", "--report", "../report.json", "--dry-run"],
  },
];

const TRASH: Step = {
  says: "Do it. Each item and its kept copy are read again first.",
  args: ["trash", "--report", "../report.json", "--yes"],
};

const BACK: Step[] = [
  { says: "What is in the trash?", args: ["trashed"] },
  { says: "Put it all back.", args: ["restore", "--yes"] },
];

/**
 * Shows the tools for the user's own folders.
 *
 * @param outside the folder that a link in the home leads to.
 * @throws Error when something is not as it should be.
 */
export async function tidying(surroundings: Surroundings, outside: string): Promise<void> {
  const home = surroundings.cwd;
  const [before, stranger] = [fingerprint(home), fingerprint(outside)];
  for (const step of LOOK) await show(step, surroundings);
  const looked = differences(before, fingerprint(home));
  expect(looked.length === 0, "so far nothing has changed.\n", looked);

  await show(TRASH, surroundings);
  showManifest(home);
  const trashed = fingerprint(home);
  const moved = differences(before, trashed);
  const lost = [...contents(before)].filter((content) => !contents(trashed).has(content));
  expect(moved.length > 0, `${moved.length} of the extra copies left their places.`);
  expect(lost.length === 0, "of every content one copy is still in its place.\n", lost);

  for (const step of BACK) await show(step, surroundings);
  const after = differences(before, fingerprint(home));
  const files = [...before.values()].filter((print) => print.kind === "file").length;
  expect(
    after.length === 0,
    `all ${files} files are back, with the same SHA-256, size, mode and time.`,
    after,
  );
  const touched = differences(stranger, fingerprint(outside));
  expect(touched.length === 0, "the file that the link leads to was not touched.\n", touched);
}

function showManifest(home: string): void {
  const trash = `${home}/.shieldfive-mcp-trash`;
  for (const batch of Deno.readDirSync(trash)) {
    const path = `.shieldfive-mcp-trash/${batch.name}/manifest.json`;
    if (!batch.isDirectory) continue;
    console.log("# The manifest beside the items, written before the first of them moved.");
    console.log(`$ cat ${path}\n${Deno.readTextFileSync(`${home}/${path}`).trimEnd()}\n`);
  }
}

function contents(state: Map<string, Fingerprint>): Set<string> {
  return new Set([...state.values()].map((print) => `${print.kind} ${print.content}`));
}
