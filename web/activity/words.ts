// What the record says, in plain words. The server knows ids alone; names come from the open vault.

import type { ActivityEntry } from "../../vault/owner/mod.ts";

/** What was done, before the name of what it was done to. */
const DEEDS: Record<string, string> = {
  list: "Looked at what is there",
  download: "Read",
  rename_file: "Renamed",
  rename_folder: "Renamed",
  move_file: "Moved",
  move_folder: "Moved",
  create_folder: "Made the folder",
  trash_file: "Moved to the Bin:",
  trash_folder: "Moved to the Bin:",
  restore_file: "Restored",
  restore_folder: "Restored",
  purge_file: "Deleted for ever: a file",
  purge_folder: "Deleted for ever: a folder",
  reserve_upload: "Began to add",
  abort_upload: "Stopped adding",
  upload_file: "Added",
  complete_file: "Completed the keys of",
  setup: "Made the vault",
  login: "Unlocked the vault",
  recover: "Opened the vault with the recovery key",
  change_passphrase: "Changed the passphrase",
  change_recovery: "Made a new recovery key",
  create_grant: "Made the connection",
  extend_grant: "Changed the connection",
  revoke_grant: "Revoked the connection",
  undo: "Undid a change of",
};

/** The same for what was tried and refused. */
const ATTEMPTS: Record<string, string> = {
  list: "Tried to look at what is there",
  download: "Tried to read",
  rename_file: "Tried to rename",
  rename_folder: "Tried to rename",
  move_file: "Tried to move",
  move_folder: "Tried to move",
  create_folder: "Tried to make a folder",
  trash_file: "Tried to move to the Bin:",
  trash_folder: "Tried to move to the Bin:",
  reserve_upload: "Tried to add a file",
  abort_upload: "Tried to stop adding a file",
  upload_file: "Tried to add",
  login: "Tried to unlock the vault",
  recover: "Tried to open the vault with the recovery key",
  change_passphrase: "Tried to change the passphrase",
  change_recovery: "Tried to make a new recovery key",
};

/** Actions that change nothing in the vault. */
const LOOKING: ReadonlySet<string> = new Set(["list", "download", "login", "recover"]);
/** Actions whose object is gone after them. */
const ENDING: ReadonlySet<string> = new Set(["purge_file", "purge_folder"]);

const REASONS: Record<string, string> = {
  missing_scope: "it is not allowed to do that",
  not_found: "it is out of its reach, or gone",
  conflict: "it had been changed meanwhile",
  rate_limited: "too many requests",
  write_budget_exhausted: "the upload allowance is used up",
  transfer_limit: "the month's transfer is used up",
  egress_cap: "the day's transfer is used up",
  too_many_items: "too many items at once",
  finalize_failed: "the upload did not arrive whole",
  invalid_destination: "it cannot go there",
  bad_request: "the request was malformed",
  login_failed: "wrong passphrase or recovery key",
};

type Said = Pick<ActivityEntry, "action" | "result">;

/** What happened, as the beginning of a sentence that the name of the object ends. */
export function deedText({ action, result }: Said): string {
  const known = result === "refused" ? ATTEMPTS[action] : DEEDS[action];
  // An action of a newer server is said as it calls itself.
  return known ?? `${result === "refused" ? "Tried" : "Did"} “${action.replaceAll("_", " ")}”`;
}

/** Why something was refused. */
export function reasonText(code: string | null): string {
  if (code === null) return "no reason is recorded";
  return REASONS[code] ?? code.replaceAll("_", " ");
}

/** Whether something was changed, or was to be. */
export function isChange({ action }: Pick<ActivityEntry, "action">): boolean {
  return !LOOKING.has(action);
}

/** Whether somebody tried to be the owner and did not know the secret. */
export function isStranger({ code, grantId }: Pick<ActivityEntry, "code" | "grantId">): boolean {
  return grantId === null && code === "login_failed";
}

/** Whether there is an object whose name belongs into the sentence. */
export function namesObject({ action, objectId }: ActivityEntry): boolean {
  return objectId !== null && !ENDING.has(action);
}
