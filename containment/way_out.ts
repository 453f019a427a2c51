// Why a path did not lead to a place inside the roots. These look only at what lies inside, so that
// a refusal never depends on what exists elsewhere, and they only explain: nothing is ever allowed
// because of what they say.

import type { Disk } from "./disk.ts";
import { errnoOf } from "./error.ts";
import { isInside, type PathRules } from "./paths.ts";
import { byCodeUnit } from "./text.ts";

export interface Inside {
  /** Real paths of the roots. */
  roots: readonly string[];
  disk: Disk;
  rules: PathRules;
}

/** As many links as a system follows before it calls them a circle. */
const MAX_LINKS = 40;

/**
 * The first place outside every root that a path, lexically inside one, leads to by way of a link,
 * with the rest of the path put on; undefined when it stays inside as far as it can be followed.
 */
export function wayOut(path: string, { roots, disk, rules }: Inside): string | undefined {
  const within = (place: string) => roots.some((root) => isInside(place, root, rules));
  const above = (place: string) => roots.some((root) => isInside(root, place, rules));
  const isGone = (place: string) => !within(place) && !above(place);
  let at = rules.parse(path).root;
  const rest = path.slice(at.length).split(rules.sep);
  for (let links = 0; rest.length > 0;) {
    const part = rest.shift()!;
    if (part === "" || part === ".") continue;
    const next = rules.join(at, part);
    if (part === ".." || above(next)) {
      at = next;
      continue;
    }
    if (isGone(next)) return rules.join(next, ...rest);
    const target = linkTarget(next, disk);
    if (target === undefined) return undefined;
    if (target === false) at = next;
    else {
      if (++links > MAX_LINKS) return undefined;
      const top = rules.isAbsolute(target) ? rules.parse(target).root : undefined;
      at = top ?? at;
      rest.unshift(...target.slice(top?.length ?? 0).split(rules.sep === "/" ? "/" : /[\\/]/));
    }
  }
  return within(at) ? undefined : at;
}

/** A link's text, false for what is no link, undefined for what cannot be looked at. */
function linkTarget(path: string, disk: Disk): string | false | undefined {
  try {
    return disk.lstat(path).isSymlink && disk.readLink(path);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

/** Names that are drawn alike fold to one text: Unicode forms, and spaces of any width. */
function fold(name: string): string {
  return name.normalize("NFC").replace(/\p{Zs}/gu, " ");
}

/**
 * The one existing path that looks like a missing one and differs only in the width of a space or
 * in Unicode form, as when a person types a name that a program made (field case F35), and the name
 * in it that differs. Undefined when there is none, or more than one.
 */
export function lookAlike(
  path: string,
  inside: Inside,
): { path: string; name: string } | undefined {
  const { roots, disk, rules } = inside;
  try {
    for (let at = path, rest = "";;) {
      const parent = rules.dirname(at);
      if (parent === at || !roots.some((root) => isInside(parent, root, rules))) return undefined;
      const name = rules.basename(at);
      if (isThere(parent, disk)) {
        const folder = disk.realPath(parent);
        if (!roots.some((root) => isInside(folder, root, rules))) return undefined;
        const alike = Array.from(disk.readDir(folder), (entry) => entry.name)
          .filter((other) => other !== name && fold(other) === fold(name)).sort(byCodeUnit);
        const found = rules.join(folder, alike[0] ?? "", rest);
        if (alike.length !== 1 || !isThere(found, disk)) return undefined;
        return { path: found, name: alike[0] };
      }
      [at, rest] = [parent, rules.join(name, rest)];
    }
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

function isThere(path: string, disk: Disk): boolean {
  try {
    disk.lstat(path);
    return true;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}
