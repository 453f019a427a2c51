// The plan of vault_move_in: which files go where, and what the vault cannot take. Whatever speaks against the
// call, or against a path in it, stops it before anything is sent; a file that the vault cannot take for its
// own name or size is left out, and the others go on (field case F77).

import { ToolError } from "../../../containment/error.ts";
import { byCodeUnit, quote } from "../../../containment/text.ts";
import {
  allowanceLeft,
  MAX_ITEMS,
  requireFolder,
  storedBytes,
} from "../../../vault/client/rules.ts";
import type { VaultFolder, VaultView } from "../../../vault/client/types.ts";
import { count, formatBytes } from "../../format.ts";
import type { Plan } from "../../tool.ts";
import type { VaultContext } from "../context.ts";
import type { Source } from "../disk_gateway.ts";
import { checkFile, OWN_FAULTS, requireDisk, vaultName } from "./local_file.ts";
import { alike, pathIn, warningsField } from "./plan.ts";
import { fold } from "./search.ts";

/** A file that is to be moved in. */
export interface MoveInItem {
  source: Source & { trashDirectory: string };
  name: string;
}

/** A file that the vault cannot take. A type, so that it is a JSON value. */
export type LeftOut = { source: string; code: string; message: string };

export interface MoveInPlan extends Plan {
  view: VaultView;
  destination: VaultFolder;
  items: MoveInItem[];
  output: {
    performed: boolean;
    action: string;
    destination: string;
    destination_path: string;
    left_out?: LeftOut[];
    warnings?: string[];
  } & Record<string, unknown>;
}

interface Input {
  paths: string[];
  destination_folder_id: string;
}

/**
 * @throws ToolError `no_roots`, `bad_request`, `too_many_items`, `not_found`, `duplicate_name`,
 * `write_budget_exhausted`; as `DiskGateway.describe`, `VaultClient.view` and `checkUpload`, what is about one
 * file only where no other is left.
 */
export async function planMoveIn(context: VaultContext, input: Input): Promise<MoveInPlan> {
  const { client, signal, progress } = context;
  const disk = requireDisk(context);
  if (input.paths.length === 0) {
    throw new ToolError("bad_request", "paths is empty: name at least one file");
  }
  const question = { paths: input.paths, field: "paths", toTrash: true };
  const { sources, repeated } = await disk.describe(question);
  if (sources.length > MAX_ITEMS) throw tooMany(sources.length);
  const view = await client.view({ signal, progress, recipient: true });
  const destination = requireFolder(view, input.destination_folder_id.toLowerCase());
  const { items, leftOut } = sorted(view, destination, sources as MoveInItem["source"][]);
  refuseEqualNames(items);
  refuseTooMuch(view, items);
  const warnings = [
    ...(repeated === 0 ? [] : [`${count(repeated, "repeated path")} counted once`]),
    ...items.flatMap((item) => warningsAbout(view, destination, item, items)),
  ];
  return {
    view,
    destination,
    items,
    output: { ...shown(view, destination, items, leftOut), ...warningsField(warnings) },
    binding: binding(destination, items),
  };
}

function tooMany(files: number): ToolError {
  return new ToolError(
    "too_many_items",
    `${files} files were named, and one call takes at most ${MAX_ITEMS}; nothing was changed. Split ` +
      "them over several calls",
    { detail: { max: MAX_ITEMS } },
  );
}

/** Tells the files that the vault can take from the others. @throws ToolError of the first where all are. */
function sorted(
  view: VaultView,
  destination: VaultFolder,
  sources: readonly MoveInItem["source"][],
): { items: MoveInItem[]; leftOut: LeftOut[] } {
  const items: MoveInItem[] = [];
  const faults: ToolError[] = [];
  const leftOut: LeftOut[] = [];
  for (const source of sources) {
    const name = vaultName(source.name);
    try {
      checkFile(view, destination, source, { name });
      items.push({ source, name });
    } catch (error) {
      if (!(error instanceof ToolError) || !OWN_FAULTS.has(error.code)) throw error;
      faults.push(error);
      leftOut.push({ source: source.path, code: error.code, message: error.message });
    }
  }
  if (items.length === 0) throw faults[0];
  return { items, leftOut };
}

/** @throws ToolError `duplicate_name` */
function refuseEqualNames(items: readonly MoveInItem[]): void {
  const seen = new Map<string, MoveInItem>();
  for (const item of items) {
    const other = seen.get(item.name);
    if (other !== undefined) {
      throw new ToolError(
        "duplicate_name",
        `${quote(other.source.path)} and ${quote(item.source.path)} would both be called ` +
          `${
            quote(item.name)
          } in the vault; nothing was changed. Move them into different folders, or ` +
          "rename one first",
      );
    }
    seen.set(item.name, item);
  }
}

/** @throws ToolError `write_budget_exhausted` */
function refuseTooMuch({ grant }: VaultView, items: readonly MoveInItem[]): void {
  const left = allowanceLeft(grant);
  const taken = items.reduce((sum, { source }) => sum + storedBytes(source.bytes), 0);
  if (left === undefined || taken <= left) return;
  throw new ToolError(
    "write_budget_exhausted",
    `the files take ${
      formatBytes(taken)
    } in the vault, and the connection's upload allowance has ` +
      `${
        formatBytes(left)
      } left; nothing was changed. Move fewer of them, or have the owner raise it in ` +
      "ShieldFive → Settings → AI assistants",
    { detail: { needed_bytes: taken, left_bytes: left } },
  );
}

/** What a person should know before this file goes, in words. */
function warningsAbout(
  view: VaultView,
  { id }: VaultFolder,
  item: MoveInItem,
  items: readonly MoveInItem[],
): string[] {
  const { source: { links, path }, name } = item;
  const twin = items.slice(0, items.indexOf(item))
    .find((other) => fold(other.name) === fold(name));
  return [
    ...alike(view, id, name),
    ...(twin === undefined ? [] : [
      `${quote(twin.source.path)} and ${
        quote(path)
      } get names that differ only in capitals, or in how ` +
      "their letters are written",
    ]),
    ...(links === 1 ? [] : [
      `${
        quote(path)
      } is one of ${links} names of the same file; the others stay, and so does its space`,
    ]),
  ];
}

function shown(
  view: VaultView,
  destination: VaultFolder,
  items: readonly MoveInItem[],
  leftOut: LeftOut[],
) {
  const left = allowanceLeft(view.grant);
  return {
    performed: false,
    action: "move_in",
    destination: destination.id,
    destination_path: view.path(destination),
    files: items.map(({ source, name }) => ({
      source: source.path,
      bytes: source.bytes,
      bytes_human: formatBytes(source.bytes),
      vault_path: pathIn(view, destination, name),
      trash_directory: source.trashDirectory,
    })),
    total_bytes: totalOf(items),
    ...(left === undefined ? {} : { upload_allowance_left_bytes: left }),
    ...(leftOut.length === 0 ? {} : { left_out: leftOut }),
  };
}

/** Bytes of all files. */
export function totalOf(items: readonly MoveInItem[]): number {
  return items.reduce((sum, { source }) => sum + source.bytes, 0);
}

/** The order of the arguments does not matter to an approval. */
function binding(destination: VaultFolder, items: readonly MoveInItem[]): Plan["binding"] {
  return {
    op: "vault_move_in",
    destination: destination.id,
    items: items.map(({ source, name }) => ({
      source: source.path,
      entry: source.entry,
      bytes: source.bytes,
      name,
      trash_directory: source.trashDirectory,
    })).sort((a, b) => byCodeUnit(a.source, b.source)),
  };
}
