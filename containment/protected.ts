// Places that govern the program itself: its configuration, its records, itself, and the files in
// which assistants keep theirs. No tool changes them, on anybody's word (decisions 4).

import { ToolError } from "./error.ts";
import { isInside } from "./paths.ts";
import { quote } from "./text.ts";

/**
 * Refuses an entry that is, holds or lies in a protected place.
 *
 * @param does what a tool was to do with it.
 * @throws ToolError `protected_location`.
 */
export function refuseProtected(
  path: string,
  protectedPaths: readonly string[],
  does: "changes" | "sends away" = "changes",
): void {
  const place = protectedPaths.find((each) => isInside(path, each) || isInside(each, path));
  if (place === undefined) return;
  throw new ToolError(
    "protected_location",
    `${quote(path)} is, holds or lies in ${quote(place)}, which shieldfive depends on and never ` +
      `${does} through a tool; nothing was changed`,
  );
}
