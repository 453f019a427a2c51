// The granted folders as one call may use them: a client may work in a part of them.

import { type Disk, narrowRoots, type Root, ToolError } from "../containment/mod.ts";

/**
 * The roots that a call may use.
 *
 * @param within folders to which they are narrowed; absent: not at all.
 * @throws ToolError `no_roots` when the narrowing leaves none.
 */
export function rootsWithin(
  roots: Root[],
  within: readonly string[] | undefined,
  disk: Disk,
): Root[] {
  if (within === undefined) return roots;
  const narrowed = narrowRoots(roots, within, disk);
  if (narrowed.length > 0 || roots.length === 0) return narrowed;
  throw new ToolError(
    "no_roots",
    "none of the folders that the client works in overlaps a granted folder, so nothing is " +
      "allowed; nothing was changed. Open a granted folder in the client, or start the server " +
      "without --client-roots narrow",
  );
}
