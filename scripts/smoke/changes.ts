// What the changing tools do to a planted tree, looked up on disk: nothing without a yes, nothing over
// something, every byte in its new place, and everything back from the trash as it was.

import { differences, type Fingerprint, fingerprint } from "../home.ts";
import { type Area, type Check, expect, expectEqual, expectMatch } from "./check.ts";
import { type Json, parsed, type Subject } from "./subject.ts";
import { COPIES, expectEnded, expectUnchanged, plantTree } from "./tree.ts";

const TRASH = ".shieldfive-mcp-trash";

/** One line for each changing command that has something to do in the tree. */
const LINES = [
  ["rename", "docs/insurance.pdf", "insurance 2024.pdf"],
  ["mkdir", "archive/2024"],
  ["move", "downloads/image.iso", "docs"],
  ["trash", "docs/insurance.pdf", "pictures"],
];

export const changes: Area = {
  name: "changes",
  checks: [
    ...LINES.map(asksFirst),
    { name: "--dry-run shows a plan and changes nothing, even with --yes", run: dryRun },
    { name: "rename, mkdir and move put every byte where they say", run: moves },
    { name: "move and rename refuse a name that is taken", run: neverReplaces },
    { name: "trash keeps every byte, writes its manifest, and restore puts all back", run: trash },
    { name: "a report of dupes goes to the trash, one of each stays, all comes back", run: report },
    { name: "a restore that can be done in part ends with exit code 4", run: partly },
  ],
};

function asksFirst(line: string[]): Check {
  return {
    name: `${line[0]} without a yes changes nothing and ends with exit code 3`,
    async run(subject) {
      const folder = plantTree(subject);
      const before = fingerprint(folder);
      const run = await subject.run(line, folder);
      expectEnded(run, 3);
      expectMatch("on stdout", run.stdout, /Planned \(nothing changed\)/);
      expectUnchanged(before, folder);
      expectNoTrash(folder);
    },
  };
}

async function dryRun(subject: Subject): Promise<void> {
  const folder = plantTree(subject);
  const before = fingerprint(folder);
  const { output, ...ended } = await subject.json(["trash", "docs", "--dry-run", "--yes"], folder);
  expectEnded(ended);
  expectEqual("performed", output.performed, false);
  expectUnchanged(before, folder);
  expectNoTrash(folder);
}

function expectNoTrash(folder: string): void {
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
  expect(!names.includes(TRASH), "no trash", names);
}

/** Runs a change with a yes and gives its output. */
async function perform(subject: Subject, words: string[], folder: string): Promise<Json> {
  const { output, ...ended } = await subject.json([...words, "--yes"], folder);
  expectEnded(ended);
  expectEqual("performed", output.performed, true);
  return output;
}

async function moves(subject: Subject): Promise<void> {
  const folder = plantTree(subject);
  const wanted = fingerprint(folder);
  await perform(subject, ["rename", "docs/insurance.pdf", "insurance 2024.pdf"], folder);
  rename(wanted, "docs/insurance.pdf", "docs/insurance 2024.pdf");
  await perform(subject, ["mkdir", "archive/2024"], folder);
  await perform(subject, ["move", "downloads/image.iso", "archive/2024"], folder);
  rename(wanted, "downloads/image.iso", "archive/2024/image.iso");
  await perform(subject, ["move", "pictures/phone", "archive/"], folder);
  rename(wanted, "pictures/phone", "archive/phone");
  rename(wanted, "pictures/phone/IMG 1.jpg", "archive/phone/IMG 1.jpg");
  const after = fingerprint(folder);
  for (const made of ["archive", "archive/2024"]) {
    expectEqual(made, after.get(made)?.kind, "folder");
    after.delete(made);
  }
  expectEqual("differences on disk", differences(wanted, after), []);
  expectNoTrash(folder);
}

function rename(state: Map<string, Fingerprint>, from: string, to: string): void {
  state.set(to, state.get(from)!);
  state.delete(from);
}

async function neverReplaces(subject: Subject): Promise<void> {
  const folder = plantTree(subject);
  const before = fingerprint(folder);
  const taken = [
    ["move", "docs/insurance.pdf", "docs/thesis.docx"],
    ["rename", "docs/insurance.pdf", "thesis.docx"],
    ["rename", "docs", "pictures"],
  ];
  for (const words of taken) {
    const { output, ...ended } = await subject.json([...words, "--yes"], folder);
    expectEnded(ended, 1);
    expectEqual("the error", output.error?.code, "destination_exists");
    expectUnchanged(before, folder);
  }
}

async function trash(subject: Subject): Promise<void> {
  const folder = plantTree(subject);
  const before = fingerprint(folder);
  const taken = ["docs/insurance.pdf", "pictures"];
  await perform(subject, ["trash", ...taken], folder);
  const after = fingerprint(folder);
  for (const path of taken) expect(!after.has(path), `${path} gone`, [...after.keys()]);
  const { items } = manifestIn(folder);
  expectEqual("original paths", originals(items), taken.map((path) => `${folder}/${path}`));
  for (const item of items) expectKept(item, before, folder);

  const listed = await subject.json(["trashed"], folder);
  expectEnded(listed);
  const [{ entries }] = listed.output.batches;
  expectEqual("trashed", originals(entries), originals(items));
  expectEqual("states", entries.map(({ state }: Json) => state), ["present", "present"]);

  await perform(subject, ["restore"], folder);
  expectUnchanged(before, folder);
  const states = manifestIn(folder).items.map(({ state }: Json) => state);
  expectEqual("states in the manifest", states, ["restored", "restored"]);
}

function originals(items: Json[]): string[] {
  return items.map(({ original_path }) => original_path).sort();
}

/** The one batch in the folder's trash. */
function batchIn(folder: string): string {
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
  expect(names.includes(TRASH), "a trash", names);
  const batches = [...Deno.readDirSync(`${folder}/${TRASH}`)].filter((entry) => entry.isDirectory);
  expect(batches.length === 1, "one batch in the trash", batches);
  return `${folder}/${TRASH}/${batches[0].name}`;
}

function manifestIn(folder: string): Json {
  return parsed(Deno.readTextFileSync(`${batchIn(folder)}/manifest.json`));
}

/** @throws Unexpected unless what the manifest says was trashed lies there, with all below it. */
function expectKept(item: Json, before: Map<string, Fingerprint>, folder: string): void {
  const origin = item.original_path.slice(folder.length + 1);
  const place = item.trashed_to.slice(batchIn(folder).length + 1);
  const wanted = [...before].filter(([path]) => isAtOrBelow(origin, path))
    .map(([path, print]): [string, Fingerprint] => [place + path.slice(origin.length), print]);
  const kept = [...fingerprint(batchIn(folder))].filter(([path]) => isAtOrBelow(place, path));
  expectEqual("differences in the trash", differences(new Map(wanted), new Map(kept)), []);
}

function isAtOrBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

async function report(subject: Subject): Promise<void> {
  const folder = plantTree(subject);
  const before = fingerprint(folder);
  const found = await subject.run(["dupes", "--json"], folder);
  const file = `${subject.folder()}/report.json`;
  Deno.writeTextFileSync(file, found.stdout);
  await perform(subject, ["trash", "--report", file], folder);
  const left = fingerprint(folder);
  for (const names of COPIES) {
    const [first] = names;
    const staying = names.filter((name) => left.has(name));
    expectEqual("the copies that stay", staying, [first]);
  }
  expectEqual("files that left", before.size - left.size, COPIES.length);
  await perform(subject, ["restore"], folder);
  expectUnchanged(before, folder);
}

async function partly(subject: Subject): Promise<void> {
  const folder = plantTree(subject);
  const before = fingerprint(folder);
  await perform(subject, ["trash", "docs/insurance.pdf", "docs/thesis.docx"], folder);
  Deno.writeTextFileSync(`${folder}/docs/thesis.docx`, "something else");
  const { output, ...ended } = await subject.json(["restore", "--yes"], folder);
  expectEnded(ended, 4);
  expectEqual("not restored", output.not_restored?.length, 1);
  expectEqual("the file in the way", read(`${folder}/docs/thesis.docx`), "something else");
  const back = fingerprint(folder).get("docs/insurance.pdf");
  expectEqual("the other file", back, before.get("docs/insurance.pdf"));
}

function read(path: string): string {
  return Deno.readTextFileSync(path);
}
