// Looks at the files that tools for the vault are to work on. Everything is looked at afresh whenever it is
// asked for: what the other room says of a file is compared, and never taken for granted.

import {
  type Disk,
  type Existing,
  inspectTrash,
  isInTrash,
  kindOf,
  mtimeOf,
  nativeRules,
  type PathRules,
  quote,
  refuseProtected,
  resolveEntry,
  type Root,
  ToolError,
  trashBase,
  trashFolder,
} from "../../../containment/mod.ts";
import { kindName } from "../../local/change.ts";
import { withoutRepeats } from "../../local/repeats.ts";
import type { Described, Question, Source } from "../disk_gateway.ts";

/** The folders of one call, and what looks at the disk. */
export interface Place {
  roots: Root[];
  disk: Disk;
  rules?: PathRules;
  now(): number;
  /** The user's numeric id, where the platform has one. */
  uid?: number;
  protectedPaths: readonly string[];
  version: string;
}

/** @throws ToolError as `DiskGateway.describe` */
export function look(place: Place, { paths, field, toTrash }: Question): Described {
  const entries = paths.map((path, i) => {
    return resolveEntry(path, paths.length === 1 ? field : `${field}[${i}]`, place);
  });
  const distinct = withoutRepeats(place.disk, entries);
  return {
    sources: distinct.map((entry) => sourceOf(place, entry, toTrash)),
    repeated: entries.length - distinct.length,
  };
}

function sourceOf(place: Place, entry: Existing, toTrash: boolean): Source {
  requireFile(entry);
  refuseProtected(entry.path, place.protectedPaths, "sends away");
  const { path, info } = entry;
  return {
    path,
    name: nativeRules.basename(path),
    entry: entryOf(info),
    bytes: info.size,
    links: info.nlink ?? 1,
    ...(toTrash ? { trashDirectory: trashFolder(usableTrash(place, entry)) } : {}),
  };
}

/** What a source is bound by (vault spec, 5). */
function entryOf(info: Deno.FileInfo): string {
  return `${kindOf(info)}:${info.dev}:${info.ino ?? 0}:${mtimeOf(info)}:${info.size}`;
}

function requireFile({ path, info }: Existing): void {
  if (info.isFile) return;
  throw new ToolError(
    "not_a_file",
    `${quote(path)} is a ${kindName(kindOf(info))} and no regular file; nothing was changed. ` +
      (info.isDirectory ? "Name the files in it" : "Name the file itself"),
  );
}

/**
 * The folder that holds the trash of a file, as far as one can tell without using it.
 *
 * @throws ToolError `already_trashed`, `trash_unsafe`, `trash_no_same_volume`.
 */
export function usableTrash(place: Place, { path, info, root }: Existing): string {
  if (isInTrash(path, root)) {
    throw new ToolError(
      "already_trashed",
      `${quote(path)} is in the trash already; nothing was changed. Restore it first`,
    );
  }
  const base = trashBase(place.disk, path, info, root);
  inspectTrash(base, place);
  return base;
}

/**
 * Looks at a file again.
 *
 * @throws ToolError `changed` when it is not what was looked at before; otherwise as {@link look}.
 */
export function lookAgain(place: Place, before: Source): Existing {
  const entry = resolvedAgain(place, before);
  const { path, info } = entry;
  if (path !== before.path || entryOf(info) !== before.entry) throw changed(before.path);
  requireFile(entry);
  refuseProtected(path, place.protectedPaths, "sends away");
  return entry;
}

function resolvedAgain(place: Place, { path }: Source): Existing {
  try {
    return resolveEntry(path, "path", place);
  } catch (error) {
    if (error instanceof ToolError && error.code === "not_found") throw changed(path, error);
    throw error;
  }
}

/** The refusal to go on with a file that is not what it was. */
export function changed(path: string, cause?: unknown): ToolError {
  return new ToolError(
    "changed",
    `${
      quote(path)
    } is not the file any more that was looked at (written to, replaced or taken away), ` +
      "so it was left as it is; look at it and try again",
    { detail: { path }, cause },
  );
}
