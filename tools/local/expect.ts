// The tie between a report of duplicates and the trash: before an item goes, it is read and must be
// the reported content, and the copy that was to stay is read and must be that content too. Otherwise
// the last copy could be trashed after its keeper went away (local-tools spec, 1.9).

import {
  asToolError,
  type Existing,
  hashFile,
  isInside,
  isInTrash,
  quote,
  resolveEntry,
  sameInode,
  ToolError,
} from "../../containment/mod.ts";
import type { ToolContext } from "../tool.ts";

/** What is known of one item. */
export type Expectation = {
  path: string;
  sha256?: string;
  size?: number;
  /** The copy that stays. */
  keep?: string;
};

/**
 * Checks every expectation by reading.
 *
 * @returns the SHA-256 of the items that were read, by path.
 * @throws ToolError `content_changed`, `keeper_missing`, `invalid_argument`.
 */
export function checkExpectations(
  context: ToolContext,
  expectations: Expectation[],
  entries: Existing[],
): Map<string, string> {
  const digests = new Map<string, string>();
  const keepers = new Map<string, string>();
  for (const expectation of expectations) {
    const { path } = resolveEntry(expectation.path, "expect.path", context);
    const item = entries.find((entry) => entry.path === path);
    if (item === undefined) {
      throw new ToolError(
        "invalid_argument",
        `expect names ${quote(path)}, which is not among the paths; nothing was changed`,
      );
    }
    const digest = checkItem(context, item, expectation);
    digests.set(item.path, digest);
    if (expectation.keep !== undefined) {
      checkKeeper(context, item, expectation.keep, digest, entries, keepers);
    }
  }
  return digests;
}

/** The content's SHA-256; `refusal` says what it means that the file changes meanwhile. */
function read(
  context: ToolContext,
  { path, info }: Existing,
  refusal: (why: string) => ToolError,
): string {
  let done = 0;
  const onBytes = (bytes: number) => {
    done += bytes;
    context.progress({ done, total: info.size, unit: "bytes", label: "checking" });
  };
  try {
    return hashFile(path, info, { ...context, onBytes });
  } catch (error) {
    const changed = error instanceof ToolError && error.code === "source_changed";
    throw changed ? refusal("changed while it was read") : asToolError(error, "reading", path);
  }
}

function checkItem(context: ToolContext, item: Existing, expected: Expectation): string {
  const changed = (why: string) =>
    new ToolError(
      "content_changed",
      `${quote(item.path)} ${why}; nothing was changed. Look for duplicates again`,
      { detail: { path: item.path } },
    );
  if (!item.info.isFile) throw changed("is not a regular file any more");
  if (expected.size !== undefined && expected.size !== item.info.size) {
    throw changed(`has ${item.info.size} bytes and not the expected ${expected.size}`);
  }
  const digest = read(context, item, changed);
  if (expected.sha256 !== undefined && expected.sha256 !== digest) {
    throw changed("does not have the expected content");
  }
  return digest;
}

function checkKeeper(
  context: ToolContext,
  item: Existing,
  keep: string,
  digest: string,
  entries: Existing[],
  known: Map<string, string>,
): void {
  const missing = (why: string) =>
    new ToolError(
      "keeper_missing",
      `the copy to keep of ${quote(item.path)}, ${quote(keep)}, ${why}; nothing was changed`,
      { detail: { path: item.path, keep } },
    );
  const keeper = resolveKeeper(context, keep, missing);
  if (!keeper.info.isFile) throw missing("is not a regular file");
  if (sameInode(keeper.info, item.info)) throw missing("is another name of the same file");
  if (entries.some((entry) => isInside(keeper.path, entry.path))) {
    throw missing("is itself to be trashed");
  }
  if (isInTrash(keeper.path, keeper.root)) throw missing("is in the trash");
  const content = known.get(keeper.path) ?? read(context, keeper, missing);
  known.set(keeper.path, content);
  if (content !== digest) throw missing("has other content");
}

function resolveKeeper(
  context: ToolContext,
  keep: string,
  missing: (why: string) => ToolError,
): Existing {
  try {
    return resolveEntry(keep, "keep", context);
  } catch (error) {
    throw error instanceof ToolError && error.code === "not_found" ? missing("is gone") : error;
  }
}
