// What the vault's tools take and give in common: ids, the page of a list, the confirmation of a change,
// and what a reader must know of what is missing.

import type { Hints, Schemas } from "../tool.ts";

/** A tool that only looks, at what others may change at any time. */
export const READS_VAULT: Hints = { readOnlyHint: true, idempotentHint: true, openWorldHint: true };
/** A change that takes nothing from where it was put. */
export const CHANGES_VAULT: Hints = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
};

const ID = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

/** The id of a file or folder. */
export function id(z: Schemas) {
  return z.string().regex(ID, "must be an id as vault_list_files and vault_search_files give it");
}

/** Which part of the vault a reading tool looks at. */
export function folderArgument(z: Schemas) {
  return {
    folder_id: id(z).optional().describe(
      "Only what lies in this folder, at any depth. Absent: all that the connection reaches.",
    ),
  };
}

export function trashArgument(z: Schemas) {
  return {
    include_trash: z.boolean().default(false).describe(
      "Also what is in the connection's trash.",
    ),
  };
}

export const MAX_ROWS = 5000;

export function limitArgument(z: Schemas) {
  return {
    limit: z.number().int().min(1).max(MAX_ROWS).default(200).describe("Rows to return at most."),
  };
}

/** Sentences about what is missing from a result or may be wrong in it. */
export function warningsField(z: Schemas) {
  return { warnings: z.array(z.string()).optional() };
}
