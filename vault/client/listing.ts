// All rows within reach, page by page. A server that lists without an end, or more than memory is for, is
// stopped.

import { ToolError } from "../../containment/error.ts";
import { isFields } from "./answers.ts";
import type { Api } from "./api.ts";
import { badAnswer } from "./refusals.ts";
import { type FileRow, fileRow, type FolderRow, folderRow, type Row } from "./rows.ts";

const PAGE = 1000;
/** Pages of one kind of rows (vault spec, 3). */
const MAX_PAGES = 1000;
/** Bytes of one page: a thousand rows with the longest names that there can be. */
const LONGEST_PAGE = 16 * 1024 * 1024;
/** Bytes of all pages of one kind: about half a million rows with names as they usually are. */
const LONGEST_LISTING = 512 * 1024 * 1024;
/** What the place of a next page is made of: it goes into the address as it is. */
const CURSOR = /^[\w.~:/?@!$()*+,;=%-]{1,2048}$/;

/** All rows of a connection. */
export interface Listing {
  folders: Map<string, FolderRow>;
  files: Map<string, FileRow>;
  /** Rows that made no sense. */
  skipped: number;
}

function tooLarge(): ToolError {
  return new ToolError(
    "too_large",
    "the vault's server lists more than this program takes, so nothing of it is used; make a " +
      "connection to fewer folders",
  );
}

/** @throws ToolError `too_large`, and as `Api.json`. */
export async function fetchListing(api: Api, signal: AbortSignal | undefined): Promise<Listing> {
  // What fails on one side is not to be waited for on the other.
  const stop = new AbortController();
  const until = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal]);
  try {
    const [folders, files] = await Promise.all([
      pages(api, "folders", folderRow, until),
      pages(api, "files", fileRow, until),
    ]);
    let skipped = folders.skipped + files.skipped;
    for (const id of files.rows.keys()) {
      // One id is one thing.
      if (folders.rows.has(id) && files.rows.delete(id)) skipped++;
    }
    return { folders: folders.rows, files: files.rows, skipped };
  } catch (error) {
    stop.abort(error);
    throw error;
  }
}

/** All pages of one kind of rows. */
async function pages<R extends Row>(
  api: Api,
  kind: "folders" | "files",
  read: (value: unknown) => R | undefined,
  signal: AbortSignal,
): Promise<{ rows: Map<string, R>; skipped: number }> {
  const rows = new Map<string, R>();
  let [skipped, bytes, after] = [0, 0, ""];
  for (let page = 0; page < MAX_PAGES; page++) {
    const path = `/${kind}?limit=${PAGE}${after}`;
    const { value, size } = await api.json({ method: "GET", path, most: LONGEST_PAGE, signal });
    bytes += size;
    if (bytes > LONGEST_LISTING) throw tooLarge();
    const { entries, next } = pageIn(value, kind);
    for (const entry of entries) {
      const row = read(entry);
      if (row === undefined) skipped++;
      else rows.set(row.id, row);
    }
    if (next === null) return { rows, skipped };
    after = `&after=${next}`;
  }
  throw tooLarge();
}

function pageIn(value: unknown, kind: string): { entries: unknown[]; next: string | null } {
  const fields = isFields(value) ? value : {};
  const { [kind]: entries, next = null } = fields;
  if (!Array.isArray(entries)) throw badAnswer(`a page of ${kind}`);
  if (entries.length > PAGE) throw badAnswer(`more ${kind} in a page than were asked for`);
  if (next !== null && !(typeof next === "string" && CURSOR.test(next))) {
    throw badAnswer(`the place of the next ${kind}`);
  }
  return { entries, next };
}
