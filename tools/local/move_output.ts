// What a move tells about itself before it is made: where things go, what is displaced, and what a
// person may not expect of it (local-tools spec, 1.6).

import {
  type Destination,
  type Existing,
  isInTrash,
  nativeRules,
  quote,
  trashFolder,
} from "../../containment/mod.ts";
import type { ToolContext } from "../tool.ts";
import { measureFields, nameWarnings, unreadableWarnings } from "./change.ts";
import { foldersToMake } from "./mkdir.ts";
import type { MoveParts } from "./move_plan.ts";

/** The preview, which the result repeats. A type, so that it is a JSON value. */
export type MoveOutput = {
  performed: boolean;
  action: string;
  source: string;
  destination: string;
  kind: string;
  files: number;
  bytes: number;
  bytes_human: string;
  replaces_existing: boolean;
  displaced?: {
    kind: string;
    files: number;
    bytes: number;
    bytes_human: string;
    moved_to_trash: string;
  };
  crosses_volume: boolean;
  creates_directories?: string[];
  unreadable?: number;
  plan_binding: string;
  free_space?: number;
  metadata_not_preserved?: string[];
  link?: { link_target: string; resolves_before: string; resolves_after: string };
  warnings?: string[];
};

/** Names that nothing has yet and that the move would make. */
export function newNames(source: Existing, final: Destination): string[] {
  const { basename } = nativeRules;
  const own = basename(final.path);
  return own === basename(source.path) ? final.missing : [...final.missing, own];
}

/** What a copy between volumes cannot take along, told before it is made. */
const NOT_COPIED = ["creation time", "extended attributes", "access control lists"];

/** The preview of a move; `space` is what is free where a copy would go. */
export function describeMove(
  context: ToolContext,
  plan: MoveParts,
  space: number | undefined,
): MoveOutput {
  const { source, final, measured, crossesVolume, displaced } = plan;
  const creates = foldersToMake(final);
  const link = linkChange(context, source, final);
  const warnings = [
    ...unreadableWarnings(measured),
    ...(displaced === undefined ? [] : unreadableWarnings(displaced.measured)),
    ...newNames(source, final).flatMap(nameWarnings),
  ];
  if (link !== undefined) {
    warnings.push(
      `the relative link ${quote(link.link_target)} would lead to ${quote(link.resolves_after)} ` +
        `instead of ${quote(link.resolves_before)}`,
    );
  }
  if (isInTrash(source.path, source.root)) {
    warnings.push(
      "this takes an item out of the trash by hand; restore_local also marks its manifest",
    );
  }
  return {
    performed: false,
    action: "move",
    source: source.path,
    destination: final.path,
    ...measureFields(measured),
    replaces_existing: displaced !== undefined,
    ...(displaced === undefined ? {} : {
      displaced: {
        ...measureFields(displaced.measured),
        moved_to_trash: trashFolder(displaced.base),
      },
    }),
    crosses_volume: crossesVolume,
    ...(creates.length > 0 ? { creates_directories: creates } : {}),
    ...(measured.unreadable.count > 0 ? { unreadable: measured.unreadable.count } : {}),
    plan_binding: measured.binding,
    ...(space === undefined ? {} : { free_space: space, metadata_not_preserved: NOT_COPIED }),
    ...(link === undefined ? {} : { link }),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

/** Where a relative link leads before and after, when that differs. */
function linkChange(context: ToolContext, source: Existing, final: Destination) {
  if (!source.info.isSymlink) return undefined;
  const target = context.disk.readLink(source.path);
  if (nativeRules.isAbsolute(target)) return undefined;
  const from = nativeRules.resolve(nativeRules.dirname(source.path), target);
  const to = nativeRules.resolve(nativeRules.dirname(final.path), target);
  if (from === to) return undefined;
  return { link_target: target, resolves_before: from, resolves_after: to };
}
