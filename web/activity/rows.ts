// The record as it is shown: newest first, by day, with runs of the same look at the vault as one line. An
// assistant lists the vault before each thing that it does, and nobody wants to read that ten times over.

import type { ActivityEntry } from "../../vault/owner/mod.ts";
import { isChange } from "./words.ts";

/** One line: an entry, or several alike of which this is the newest. */
export interface Row {
  entry: ActivityEntry;
  /** How many entries the line stands for. */
  count: number;
}

export interface Day {
  /** Midnight at its start, in the reader's time zone: milliseconds since 1970. */
  start: number;
  rows: Row[];
}

/** What to show of the record. */
export interface Filter {
  kind: "all" | "changes" | "refused";
  /** Those of one connection; `owner` for the owner's own, `all` for any. */
  who: string;
}

/** Whether an entry is among what is asked for. */
export function passes(entry: ActivityEntry, { kind, who }: Filter): boolean {
  if (who !== "all" && who !== (entry.grantId ?? "owner")) return false;
  if (kind === "refused") return entry.result === "refused";
  return kind === "all" || isChange(entry);
}

/** The entries without the beginning of an upload whose end is there too: it says nothing more. */
export function withoutBeginnings(entries: readonly ActivityEntry[]): ActivityEntry[] {
  const ended = new Set(
    entries.filter(({ action, result }) => action === "upload_file" && result === "ok")
      .map(({ objectId }) => objectId),
  );
  return entries.filter(({ action, result, objectId }) =>
    action !== "reserve_upload" || result !== "ok" || !ended.has(objectId)
  );
}

function alike(a: ActivityEntry, b: ActivityEntry): boolean {
  return a.action === "list" && b.action === "list" && a.grantId === b.grantId &&
    a.result === b.result && a.code === b.code;
}

function dayOf(time: string): number {
  return new Date(time).setHours(0, 0, 0, 0);
}

/** The entries by day, as they come: newest first. */
export function byDay(entries: readonly ActivityEntry[]): Day[] {
  const days: Day[] = [];
  for (const entry of entries) {
    const start = dayOf(entry.at);
    const day = days.at(-1);
    const last = day?.rows.at(-1);
    if (day?.start !== start) days.push({ start, rows: [{ entry, count: 1 }] });
    else if (last !== undefined && alike(last.entry, entry)) last.count++;
    else day.rows.push({ entry, count: 1 });
  }
  return days;
}

/**
 * What is known once a newer first page has come: its entries, then those from before that it does not have.
 * Undefined when something between the two may be missing.
 */
export function merged(
  newest: readonly ActivityEntry[],
  known: readonly ActivityEntry[],
): ActivityEntry[] | undefined {
  const there = new Set(newest.map(({ id }) => id));
  const older = known.filter(({ id }) => !there.has(id));
  const overlap = older.length < known.length || known.length === 0;
  return overlap ? [...newest, ...older] : undefined;
}
