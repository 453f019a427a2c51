// Who runs the program, and what the permissions of a file say about them. The system answers for certain
// only to whoever tries, and `doctor` tries nothing: where an access list could decide otherwise, the
// answer is that it is not known.

import { errnoOf, realDisk } from "../../../containment/mod.ts";
import { readText } from "./read_text.ts";

export interface User {
  /** Numeric id; absent where the platform has none or the runtime does not tell it. */
  uid?: number;
  /** Numeric ids of all of the user's groups, as far as they are known. */
  groups: number[];
}

/** The user that runs this process. */
export function currentUser(): User {
  return { uid: userId(), groups: groupIds() };
}

function userId(): number | undefined {
  try {
    return Deno.uid() ?? undefined;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    return undefined;
  }
}

function groupIds(): number[] {
  if (Deno.build.os !== "linux") return [];
  try {
    const status = readText(realDisk, "/proc/self/status");
    const fields = [/^Gid:(.*)$/m, /^Groups:(.*)$/m].map((pattern) => pattern.exec(status)?.[1]);
    return fields.flatMap((field) => (field?.match(/\d+/g) ?? []).map(Number));
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return []; // the runtime shows it only to whoever may do everything
  }
}

/** Whether the user may add and remove names in a folder. */
export function mayChange(info: Deno.FileInfo, { uid, groups }: User): "yes" | "no" | "unknown" {
  const { mode, uid: owner, gid } = info;
  if (uid === undefined || mode === null || owner === null) return "unknown";
  if (uid === 0) return "yes";
  const allows = (shift: number) => ((mode >> shift) & 0o3) === 0o3;
  if (uid === owner) return allows(6) ? "yes" : "no";
  if (gid !== null && groups.includes(gid)) return allows(3) ? "yes" : "no";
  if (allows(0)) return "yes";
  // With an access list, these bits are the most that anybody on the list may do.
  return allows(3) ? "unknown" : "no";
}
