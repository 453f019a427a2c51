// What is told when a move-in stops before its end: what was moved, where the file is that it stopped at, and
// which files nothing was done with (vault spec, 11).

import { ToolError } from "../../../containment/error.ts";
import { quote } from "../../../containment/text.ts";
import type { Uploaded } from "../../../vault/client/types.ts";
import { count } from "../../format.ts";
import { reasonOf } from "../../reason.ts";
import type { MoveInItem } from "./move_in_plan.ts";

/** A file whose copy was verified and whose original is in the trash. A type, so that it is a JSON value. */
export type Moved = {
  source: string;
  bytes: number;
  vault_file_id: string;
  vault_path: string;
  sha256: string;
  trashed_to: string;
};

/** Files named in a message before it only counts. */
const MAX_NAMED = 10;

/** How far it was when it stopped. */
export interface Stopped {
  items: readonly MoveInItem[];
  moved: readonly Moved[];
  /** The batch of the originals in the trash. */
  batch?: string;
  /** The file that it stopped at. */
  at: MoveInItem;
  /** Its copy, where that was verified. */
  uploaded?: Uploaded;
  recoverable: number;
  warnings: readonly string[];
}

/** The file that it stopped at, where a copy of it is in the vault. */
interface Both {
  source: string;
  vault_file_id: string;
  vault_path?: string;
  sha256?: string;
  /** Whether the copy was read back and is what the file is. */
  verified: boolean;
}

/** What to throw: the failure under its own code, with what became of every file. */
export function stoppedBy(cause: unknown, stopped: Stopped): ToolError {
  const error = failureOf(cause);
  const { items, moved, at } = stopped;
  const both = copyOf(error, stopped);
  const untouched = items.slice(moved.length + (both === null ? 0 : 1))
    .map(({ source }) => source.path);
  const detail = {
    ...error.detail,
    performed: moved.length > 0,
    moved,
    trash_batch: stopped.batch ?? null,
    space_freed_bytes: 0,
    space_recoverable_bytes: stopped.recoverable,
    in_vault_and_still_on_disk: both,
    untouched,
  };
  const changedAnything = error.changedAnything || moved.length > 0 || both !== null;
  const message = changedAnything
    ? whatBecame(error, stopped, both, untouched.length)
    : `${quote(at.source.path)}: ${error.message}`;
  return new ToolError(error.code, message, { detail, changedAnything, cause });
}

/** A failure with a code of its own, or `move_failed`; the log has the stack of a bug. */
function failureOf(cause: unknown): ToolError {
  if (cause instanceof ToolError && cause.code !== "internal") return cause;
  if (cause instanceof ToolError) return new ToolError("move_failed", cause.message, { cause });
  console.log((cause as Error)?.stack ?? String(cause));
  return new ToolError("move_failed", "a bug in shieldfive stopped it; the log has its stack", {
    cause,
  });
}

/** The copy that the file has in the vault, where it stopped after that was made. */
function copyOf({ detail }: ToolError, { at, uploaded }: Stopped): Both | null {
  const source = at.source.path;
  if (uploaded !== undefined) {
    const { id, path, sha256 } = uploaded;
    return { source, vault_file_id: id, vault_path: path, sha256, verified: true };
  }
  const id = detail?.vault_file_id;
  return typeof id === "string" ? { source, vault_file_id: id, verified: false } : null;
}

function whatBecame(
  error: ToolError,
  { items, moved, batch, at, warnings }: Stopped,
  both: Both | null,
  untouched: number,
): string {
  const source = quote(at.source.path);
  const named = moved.slice(0, MAX_NAMED)
    .map(({ source, trashed_to }) => `${quote(source)} is now ${quote(trashed_to)}`);
  const more = moved.length - named.length;
  const parts = [
    `${moved.length} of ${count(items.length, "file")} moved into the vault, then it stopped at ` +
    `${source}: ${reasonOf(error)}`,
    ...(moved.length === 0
      ? []
      : [named.join("; ") + (more > 0 ? `; and ${more} more` : "") + ` (batch ${batch})`]),
    ...(both === null ? [] : [stateOf(error, both)]),
    ...(untouched === 0 ? [] : [`untouched: ${count(untouched, "file")}`]),
    ...warnings,
  ];
  return parts.map((part) => part.replace(/\.$/, "")).join(". ");
}

/** What became of the file that it stopped at. */
function stateOf({ code, detail }: ToolError, { source, verified, vault_path }: Both): string {
  if (!verified) return `${quote(source)} is still on disk; its copy in the vault is not verified`;
  const copy = `${quote(source)} is in the vault as ${quote(vault_path)}, verified`;
  if (detail?.trashed_to !== undefined) return copy;
  return code === "move_failed"
    ? `${copy}; whether its original is still there or in the trash is not known`
    : `${copy}, and still on disk`;
}
