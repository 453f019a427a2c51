// What a person does after a change was cut off: looks at the trash, puts everything back, and makes
// the same change again. All of it must work on whatever was left.

import { type ErrorRecord, ToolError } from "../../containment/mod.ts";
import { trashed } from "../../tools/local/trashed.ts";
import type { ReadTool } from "../../tools/tool.ts";
import { contextFor } from "../support.ts";
import { perform } from "./driver.ts";
import { lost, type Pair } from "./invariant.ts";
import type { Fixture } from "./operations.ts";
import type { Outcome } from "./outcome.ts";
import { inTrash, isManifest, recordsIn } from "./records.ts";
import { branch, sameBranch, type Tree, treeOf } from "./tree.ts";

interface Batch {
  folder: string;
  manifest: "ok" | "unreadable" | "missing";
  entries: { original_path: string; trashed_to: string; state: string }[];
}

/** Everything that goes wrong when the trash is listed, restored, and the change made again. */
export async function recover(before: Tree, fixture: Fixture): Promise<string[]> {
  const { roots } = fixture.call;
  const batches = list(roots);
  const now = treeOf(roots);
  const problems = [
    ...batches.flatMap((batch) => unlistable(batch)),
    ...batches.flatMap(({ entries }) => misreported(entries, before, now)),
  ];
  const aside: Pair[] = [];
  for (const { folder, manifest, entries } of batches) {
    if (manifest !== "ok" || entries.every(({ state }) => state === "restored")) continue;
    problems.push(...await restoreBatch(folder, entries, roots, aside));
  }
  problems.push(...notBack(before, treeOf(roots), fixture, aside));
  return problems.length > 0 ? problems : await again(before, fixture, aside);
}

function list(roots: string[]): Batch[] {
  const input = { max_files: 100_000, limit: 100 };
  const { batches } = (trashed as ReadTool).run(contextFor(roots), input) as unknown as {
    batches: Batch[];
  };
  return batches;
}

/** A batch without a readable manifest must have nothing in it but folders of its own. */
function unlistable({ folder, manifest }: Batch): string[] {
  if (manifest === "ok") return [];
  return [...treeOf([folder])].filter(([path, { kind }]) =>
    kind !== "directory" && path.startsWith(`${folder}/items/`)
  ).map(([path]) => `IN A BATCH WITH MANIFEST ${manifest}: ${path}`);
}

/** An item that is said to be there must be there with all that it held. */
function misreported(entries: Batch["entries"], before: Tree, now: Tree): string[] {
  return entries.flatMap(({ original_path, trashed_to, state }) => {
    const was = branch(before, before.has(trashed_to) ? trashed_to : original_path);
    return state !== "present" || sameBranch(was, branch(now, trashed_to))
      ? []
      : [`SAID TO BE PRESENT ${trashed_to}`];
  });
}

/** Restores a batch; what cannot go back because its name is taken goes beside it. */
async function restoreBatch(
  batch: string,
  entries: Batch["entries"],
  roots: string[],
  aside: Pair[],
): Promise<string[]> {
  const outcome = await restore({ batch }, roots);
  if ("bug" in outcome) return [`ESCAPED ${outcome.bug}`];
  const problems: string[] = [];
  for (const { original_path, code, restore_as } of blockedIn(outcome)) {
    if (code === "not_found") continue; // it never left, or it is back
    if (code !== "destination_exists" || restore_as === undefined) {
      problems.push(`NOT RESTORABLE ${original_path}: ${code}`);
      continue;
    }
    const { trashed_to } = entries.find((entry) => entry.original_path === original_path)!;
    if (isThere(trashed_to, original_path)) continue;
    const second = await restore({ paths: [trashed_to], restore_as }, roots);
    if (!("output" in second)) problems.push(`NOT RESTORABLE ${JSON.stringify(second)}`);
    aside.push([original_path, restore_as]);
  }
  return problems;
}

function restore(input: Record<string, unknown>, roots: string[]): Promise<Outcome> {
  return perform({ tool: "restore_local", roots, input }, contextFor(roots));
}

type Blocked = { original_path: string; code: string; restore_as?: string };

function blockedIn(outcome: Outcome): Blocked[] {
  if ("output" in outcome) return outcome.output.not_restored as Blocked[];
  const { detail, code } = (outcome as { error: ErrorRecord }).error;
  if (detail?.not_restored === undefined) throw new ToolError(code, JSON.stringify(outcome));
  return detail.not_restored as Blocked[];
}

/** Whether the item is at both places, as after a cut between a new name and the old one's end. */
function isThere(stored: string, original: string): boolean {
  const tree = treeOf([...new Set([stored, original].map((path) => parent(path)))]);
  const there = branch(tree, original);
  const here = branch(tree, stored);
  return here.size === 0 || sameBranch(here, there) ||
    // A placeholder: the folder itself has not come yet.
    (here.size === 1 && here.get("")?.kind === "directory" && there.size > 0);
}

function parent(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

/** Contents that are neither where they were, nor where they were to go, nor beside that. */
function notBack(before: Tree, after: Tree, fixture: Fixture, aside: Pair[]): string[] {
  const visible: Tree = new Map([...after].filter(([path]) => !inTrash(path)));
  const mine: Tree = new Map(
    [...before].filter(([path]) =>
      !inTrash(path) || fixture.moves.some(([from]) => path === from || path.startsWith(from + "/"))
    ),
  );
  const pairs = [...fixture.moves, ...aside, ...chained(fixture.moves, aside)];
  return lost(mine, visible, pairs).map((what) => `NOT BACK: ${what}`);
}

/** Makes the same change again: done or refused, nothing is lost by it. */
async function again(before: Tree, fixture: Fixture, aside: Pair[]): Promise<string[]> {
  const { call } = fixture;
  const outcome = await perform(call, contextFor(call.roots));
  if ("bug" in outcome) return [`ESCAPED THE SECOND TIME ${outcome.bug}`];
  const after = treeOf(call.roots);
  const { items, problems } = recordsIn(after);
  const recorded = items.map(({ original, stored }): Pair => [original, stored]);
  const ways = [...fixture.moves, ...inside(fixture.moves), ...aside];
  const pairs = [
    ...ways,
    ...recorded,
    ...chained(ways, recorded),
    ...chained(fixture.moves, aside),
  ];
  const contents: Tree = new Map([...before].filter(([path]) => !isManifest(path)));
  return [...problems, ...lost(contents, after, pairs)].map((what) =>
    `AFTER THE SECOND TIME: ${what}`
  );
}

/** Into what stands at the destination by now, where that is a folder. */
function inside(pairs: readonly Pair[]): Pair[] {
  return pairs.map(([from, to]) => [from, to + from.slice(from.lastIndexOf("/"))]);
}

/** What first went to a new place and then from there to the trash. */
function chained(first: readonly Pair[], second: readonly Pair[]): Pair[] {
  return first.flatMap(([from, through]) =>
    second.filter(([start]) => start === through).map(([, to]): Pair => [from, to])
  );
}
