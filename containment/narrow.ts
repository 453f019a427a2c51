// Roots cut down to the folders that a client works in. A folder outside every root adds nothing, and
// one that cannot be resolved counts for nothing: narrowing can only take away (decisions 7).

import type { Disk } from "./disk.ts";
import { errnoOf } from "./error.ts";
import { isInside, nativeRules, type PathRules } from "./paths.ts";
import type { Root } from "./roots.ts";

/**
 * The parts of the granted roots that lie in one of the folders: a whole root where a folder holds
 * it, else the folder itself, as a root, where it lies in one.
 *
 * @param folders absolute paths as the client spells them, lexically normal.
 */
export function narrowRoots(
  granted: readonly Root[],
  folders: readonly string[],
  disk: Disk,
  rules: PathRules = nativeRules,
): Root[] {
  const narrowed: Root[] = [];
  for (const root of granted) {
    const spellings = [root.path, ...root.spellings];
    if (folders.some((folder) => spellings.some((each) => isInside(each, folder, rules)))) {
      narrowed.push(root);
    } else {
      narrowed.push(
        ...outermost(folders.flatMap((each) => within(root, each, disk, rules)), rules),
      );
    }
  }
  return narrowed;
}

/** The folder as a root, when it is a folder inside of the granted one with its links followed. */
function within(root: Root, folder: string, disk: Disk, rules: PathRules): Root[] {
  const spelling = [root.path, ...root.spellings].find((each) => isInside(folder, each, rules));
  if (spelling === undefined) return [];
  try {
    const path = disk.realPath(rules.join(root.path, folder.slice(spelling.length)));
    const info = disk.lstat(path);
    if (!info.isDirectory || !isInside(path, root.path, rules)) return [];
    return [{
      path,
      spellings: folder === path ? [] : [folder],
      dev: info.dev,
      ino: info.ino ?? 0,
    }];
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return [];
  }
}

/** The roots without those that lie in another, so that nothing is walked twice. */
function outermost(roots: Root[], rules: PathRules): Root[] {
  return roots.filter((root, at) =>
    !roots.some((other, index) =>
      other.path === root.path ? index < at : isInside(root.path, other.path, rules)
    )
  );
}
