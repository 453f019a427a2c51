// What must hold after a change, whatever happened to it: no byte is lost, nothing else is touched, a
// place holds all of what belongs there or nothing of it, and what the program said is true.

import { STAGING_PREFIX } from "../../containment/mod.ts";
import type { Fixture } from "./operations.ts";
import {
  inTrash,
  isEmptyFolder,
  isManifest,
  isTrashPart,
  isUnfinishedManifest,
  recordsIn,
} from "./records.ts";
import { branch, difference, sameBranch, type Tree, within } from "./tree.ts";

/** What a run may leave behind. */
export interface Allowed {
  /** Copies under hidden names, placeholders, folders made on the way, empty batches. */
  leftovers: boolean;
  /** What of an entry's metadata need not have arrived, because the result says so. */
  metadata: string[];
  /** What the failure itself names as left behind. */
  told: string[];
}

/** Where an entry went or may go. */
export type Pair = [from: string, to: string];

/** Everything that is wrong with the tree after a run. */
export function violations(
  before: Tree,
  after: Tree,
  fixture: Fixture,
  allowed: Allowed,
): string[] {
  const { items, problems } = recordsIn(after);
  const pairs = [
    ...fixture.moves,
    ...items.map(({ original, stored }): Pair => [original, stored]),
  ];
  return [
    ...problems,
    ...lost(before, after, pairs),
    ...disturbed(before, after, fixture),
    ...pairs.flatMap((pair) => halfway(before, after, pair, allowed)),
    ...unexplained(before, after, fixture, pairs, allowed),
  ];
}

/** Contents that are nowhere where they may be. */
export function lost(before: Tree, after: Tree, pairs: readonly Pair[]): string[] {
  return [...before].filter(([path]) => !isManifest(path)).flatMap(([path, entry]) => {
    const found = placesOf(path, pairs).some((place) => {
      const now = after.get(place);
      return now?.kind === entry.kind && now.content === entry.content;
    });
    return found ? [] : [`LOST ${entry.kind} ${path}`];
  });
}

/** Where an entry may be: where it was, where it was to go, where a manifest says. */
function placesOf(path: string, pairs: readonly Pair[]): string[] {
  const moved = pairs.filter(([from]) => within(path, from))
    .map(([from, to]) => to + path.slice(from.length));
  return [path, ...moved];
}

/** Entries that the change has no business with and that are not as they were. */
function disturbed(before: Tree, after: Tree, fixture: Fixture): string[] {
  const concerned = [...fixture.moves.flat(), ...fixture.trashes];
  return [...before].flatMap(([path, entry]) => {
    if (isTrashPart(path) || concerned.some((top) => within(path, top))) return [];
    const now = after.get(path);
    const what = difference(entry, now);
    if (now !== undefined && now.inode !== entry.inode) what.push("another inode");
    return what.map((each) => `DISTURBED ${path}: ${each}`);
  });
}

/** A place that holds neither what it held before, nor all of what belongs there, nor nothing. */
function halfway(before: Tree, after: Tree, [from, to]: Pair, allowed: Allowed): string[] {
  const now = branch(after, to);
  const old = branch(before, to);
  if (now.size === 0 || sameBranch(old, now)) return [];
  const whole = branch(before, from);
  if (sameBranch(whole, now)) {
    return [...whole].flatMap(([path, entry]) =>
      difference(entry, now.get(path)).filter((what) => !allowed.metadata.includes(what))
        .map((what) => `${what} of ${to + path} is not that of ${from + path}`)
    );
  }
  // A folder takes its place, or its old place back, by way of an empty folder.
  const folders = [from, to].some((path) => before.get(path)?.kind === "directory");
  const placeholder = folders && isEmptyFolder(after, to);
  return placeholder && (allowed.leftovers || allowed.told.includes(to))
    ? []
    : [`HALFWAY ${to}: ${[...now.keys()].join(" ")}`];
}

/** New entries that the change had no reason to make. */
function unexplained(
  before: Tree,
  after: Tree,
  fixture: Fixture,
  pairs: readonly Pair[],
  { leftovers }: Allowed,
): string[] {
  return [...after.keys()].filter((path) => {
    if (before.has(path) || isTrashPart(path) || fixture.creates.includes(path)) return false;
    if (pairs.some(([, to]) => within(path, to))) return false;
    const hidden = isUnfinishedManifest(path) || path.includes("/" + STAGING_PREFIX);
    return !(leftovers && hidden);
  }).map((path) => `UNEXPLAINED ${path}`);
}

/**
 * What differs between both trees. An empty trash folder and its rights are not counted, nor what a
 * run that could not clean up leaves behind without touching anybody's files.
 */
export function changes(before: Tree, after: Tree, fixture: Fixture, leftovers: boolean): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].flatMap((path) => {
    const [old, now] = [before.get(path), after.get(path)];
    if (isTrashPart(path) && (old !== undefined || isEmptyFolder(after, path))) {
      if (!isManifest(path) && now !== undefined) return [];
    }
    if (leftovers && old === undefined && isResidue(path, after, fixture)) return [];
    const what = difference(old, now);
    if (old && now && old.inode !== now.inode && !isManifest(path)) what.push("another inode");
    return what.map((each) => `${path}: ${each}`);
  });
}

/** What a run that was cut off may leave without anybody's file being changed. */
function isResidue(path: string, after: Tree, fixture: Fixture): boolean {
  const placeholder = isEmptyFolder(after, path) &&
    (inTrash(path) || fixture.moves.some(([, to]) => to === path));
  return isTrashPart(path) || isUnfinishedManifest(path) || path.includes("/" + STAGING_PREFIX) ||
    placeholder || fixture.creates.includes(path);
}

/** Items that a record or a result says were moved, and that are not exactly there. */
export function unkept(before: Tree, after: Tree, claims: readonly Pair[]): string[] {
  return claims.flatMap(([from, to]) =>
    sameBranch(branch(before, from), branch(after, to)) ? [] : [`NOT THERE ${to} (was ${from})`]
  );
}
