// A connection as people and programs are told of it. Of its string nothing is ever shown but the first
// characters of the id, by which ShieldFive lists it too.

import type { GrantInfo, Scope } from "../../vault/client/types.ts";
import { count } from "../../tools/format.ts";
import { localDate } from "../terminal/table.ts";

/** How connections are told apart. */
export function shortId(grantId: string): string {
  return grantId.slice(0, 8);
}

/** The grant as data. */
export function grantData(grant: GrantInfo): Record<string, unknown> {
  return {
    id: shortId(grant.id),
    scopes: grant.scopes,
    whole_vault: grant.wholeVault,
    ...(grant.wholeVault ? {} : { folders: grant.folderIds.length }),
    expires: grant.expiresAt,
  };
}

const MAY: Record<Scope, string> = {
  read: "read",
  organize: "organize",
  write: "add files to",
};

/** `may read and organize 3 folders until 2026-03-01 12:00`. */
export function grantText({ scopes, wholeVault, folderIds, expiresAt }: GrantInfo): string {
  const words = scopes.map((scope) => MAY[scope]);
  const may = words.length < 2
    ? words.join()
    : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
  const what = wholeVault ? "the whole vault" : count(folderIds.length, "folder");
  return `may ${may} ${what} until ${localMinute(expiresAt)}`;
}

/** Local date and time; a connection may last for an hour. */
function localMinute(instant: string): string {
  const date = new Date(instant);
  const two = (n: number) => String(n).padStart(2, "0");
  return `${localDate(instant)} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
