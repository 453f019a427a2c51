// What a search for duplicates has to say about what it did not do, in the spec's order and with its
// marker words (local-tools spec, 4.5 and 1.0.6).

import { count, formatBytes } from "../../format.ts";
import type { Found } from "./find.ts";

export interface Facts {
  found: Found;
  input: { min_bytes: number; max_files_hashed: number; max_bytes_hashed?: number };
  /** Hard-linked names beyond the one that stands for each listed copy. */
  extraNames: number;
  /** Files of which several names were met and of which there is no copy. */
  alone: number;
  /** Empty files that were left out. */
  empty: number;
  cloudOnly: { files: number; bytes: number };
}

export function duplicateWarnings(facts: Facts): string[] {
  const { found } = facts;
  const refused = [...found.refused.values()];
  const changed = refused.filter((refusal) => refusal.kind === "changed").length;
  const unreadable = refused.length - changed;
  return [
    budgetWarning(facts),
    facts.extraNames === 0 ? undefined : `${facts.extraNames} name(s) are hardlinks of a listed ` +
      "copy: removing one of them frees no space; space returns only when all names of a copy go",
    facts.alone === 0
      ? undefined
      : `${count(facts.alone, "file")} with several hardlinked names and no other copy ` +
        "not listed; removing a name frees no space",
    unreadable === 0 ? undefined : `${count(unreadable, "file")} could not be read and were not ` +
      "compared, so the result is a lower bound",
    changed === 0
      ? undefined
      : `${count(changed, "file")} changed during the scan and were not compared`,
    facts.cloudOnly.files === 0
      ? undefined
      : `${count(facts.cloudOnly.files, "file")} (${formatBytes(facts.cloudOnly.bytes)}) only in ` +
        "the cloud not read, since reading downloads them; include_cloud_only does",
    emptyWarning(facts),
  ].filter((warning) => warning !== undefined);
}

function budgetWarning({ found: { unread }, input }: Facts): string | undefined {
  if (unread.files.size === 0) return undefined;
  const budget = `max_files_hashed ${input.max_files_hashed}` +
    (input.max_bytes_hashed === undefined ? "" : `, max_bytes_hashed ${input.max_bytes_hashed}`);
  const buckets = unread.bucketsSkipped + unread.bucketsInPart;
  return `the hash budget (${budget}) was reached: ${count(unread.files.size, "file")} in ` +
    `${count(buckets, "size group")} (${unread.bucketsInPart} of them hashed in part) were never ` +
    `hashed, with up to ${
      formatBytes(unread.upperBound)
    } to win, so the result is a lower bound; ` +
    "raise max_files_hashed" + (input.max_bytes_hashed === undefined ? "" : " or max_bytes_hashed");
}

function emptyWarning({ empty, input }: Facts): string | undefined {
  if (input.min_bytes === 0) {
    return "empty files are included: all of them are equal, and removing them frees no space";
  }
  return empty === 0
    ? undefined
    : `${count(empty, "empty file")} left out, since they hold nothing to win; min_bytes 0 ` +
      "includes them";
}
