// Whether what the program said about a change is what happened on disk.

import type { ErrorRecord } from "../../containment/mod.ts";
import { changes, type Pair, unkept } from "./invariant.ts";
import type { Fixture } from "./operations.ts";
import type { Outcome } from "./outcome.ts";
import { branch, difference, type Tree, within } from "./tree.ts";

type Fields = Record<string, unknown>;
type Item = Record<string, string>;

/** What the result says could not be taken along to another volume. */
export function metadataLost(outcome: Outcome | undefined): string[] {
  if (outcome === undefined || !("output" in outcome)) return [];
  return (outcome.output.metadata_not_preserved ?? []) as string[];
}

/** What the failure says it could not remove again. */
export function leftBehind(outcome: Outcome | undefined): string[] {
  if (outcome === undefined || !("error" in outcome)) return [];
  return [outcome.error.detail?.left_behind].filter((path) => typeof path === "string");
}

/** Everything that was said and is not so. `leftovers`: the clean-up itself was made to fail. */
export function untruths(
  outcome: Outcome,
  before: Tree,
  after: Tree,
  fixture: Fixture,
  leftovers: boolean,
): string[] {
  if ("bug" in outcome) return [`ESCAPED ${outcome.bug}`];
  if ("output" in outcome) return fromResult(outcome.output, before, after, fixture, leftovers);
  return fromFailure(outcome.error, before, after, fixture, leftovers);
}

function fromResult(
  output: Fields,
  before: Tree,
  after: Tree,
  fixture: Fixture,
  leftovers: boolean,
): string[] {
  if (output.performed !== true) return ["the result says that nothing was done"];
  switch (output.action) {
    case "trash":
      return moved(output.items as Item[], "source", "trashed_to", before, after);
    case "restore":
      return [
        ...restored(output.restored as Item[], before, after, fixture),
        ...stayed(output.not_restored as Item[], before, after, fixture, leftovers),
      ];
    case "create_folder":
      return fixture.creates.filter((path) => after.get(path)?.kind !== "directory")
        .map((path) => `NOT MADE ${path}`);
    default:
      return [
        ...unkept(before, after, fixture.moves),
        ...fixture.trashes.flatMap((path) =>
          unkept(before, after, [[path, String(output.displaced_to)]])
        ),
        ...unsaid(output, after, fixture),
      ];
  }
}

function moved(items: Item[], from: string, to: string, before: Tree, after: Tree): string[] {
  return [
    ...unkept(before, after, items.map((item): Pair => [item[from], item[to]])),
    ...items.filter((item) => after.has(item[from])).map((item) => `STILL THERE ${item[from]}`),
  ];
}

function restored(items: Item[], before: Tree, after: Tree, fixture: Fixture): string[] {
  return items.flatMap(({ original_path, restored_to }) => {
    const stored = fixture.moves.find(([, to]) => to === original_path)![0];
    return moved([{ stored, restored_to }], "stored", "restored_to", before, after);
  });
}

/** Items that were reported as not restored are where they were, and only there. */
function stayed(
  items: Item[],
  before: Tree,
  after: Tree,
  fixture: Fixture,
  leftovers: boolean,
): string[] {
  return items.flatMap(({ original_path, message }) => {
    const stored = fixture.moves.find(([, to]) => to === original_path)![0];
    const told = leftovers && message.includes("could not be removed again");
    const half = after.has(original_path) && !told ? [`REPORTED AS GONE ${original_path}`] : [];
    return [...half, ...unkept(before, after, [[stored, stored]])];
  });
}

/** What of a moved source is still there and was not listed as left in place. */
function unsaid(output: Fields, after: Tree, fixture: Fixture): string[] {
  const listed = (output.source_left_in_place ?? []) as string[];
  return fixture.moves.flatMap(([from]) =>
    [...branch(after, from).keys()].map((path) => from + path).filter((path) =>
      !listed.some((left) => within(left, path) || within(path, left))
    )
  ).map((path) => `LEFT WITHOUT A WORD ${path}`);
}

function fromFailure(
  error: ErrorRecord,
  before: Tree,
  after: Tree,
  fixture: Fixture,
  leftovers: boolean,
): string[] {
  const changed = changes(before, after, fixture, leftovers);
  if (!error.changed_anything) {
    return changed.map((what) => `SAID UNCHANGED (${error.code}) but ${what}`);
  }
  const { moved: gone = [], not_moved = [], restored: back = [], not_restored = [] } =
    (error.detail ?? {}) as Record<string, unknown[]>;
  const nothing = changed.length === 0 && changes(before, after, fixture, false).length === 0;
  return [
    ...(nothing ? [`SAID CHANGED (${error.code}) but nothing did`] : []),
    ...moved(gone as Item[], "original_path", "trashed_to", before, after),
    ...(not_moved as string[]).flatMap((path) => notTouched(path, before, after)),
    ...restored(back as Item[], before, after, fixture),
    ...stayed(not_restored as Item[], before, after, fixture, leftovers),
  ];
}

function notTouched(path: string, before: Tree, after: Tree): string[] {
  const now = branch(after, path);
  return [...branch(before, path)].flatMap(([below, entry]) =>
    difference(entry, now.get(below)).map((what) => `SAID NOT MOVED ${path + below}: ${what}`)
  );
}
