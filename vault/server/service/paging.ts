// Listings come in pages. The place of the next page is the row that the last one ended with, as a text
// that is good for this listing and this caller alone: it carries a MAC, and is refused anywhere else.

import { macOf, sameText } from "@shieldfive/crypto/extra/server_values.ts";
import { type Cursor, formatCursor, parseCursor } from "../rows/cursor.ts";
import type { PageOf } from "../rows/rows.ts";
import { badRequest } from "./refusal.ts";
import type { Call } from "./router.ts";

/** A listing, and whose. */
export interface Listing {
  name: string;
  actorId: string;
}

/** The MAC of a place, 43 characters, and the dot in front of it. */
const MAC_LENGTH = 44;

function macFor(call: Call, listing: Listing, place: string): string {
  return macOf(call.state.signingKey, ["cursor", listing.name, listing.actorId, place]);
}

/** The place behind a row as URL-safe text. */
export function cursorText(call: Call, listing: Listing, cursor: Cursor): string {
  const place = formatCursor(cursor);
  return `${place}.${macFor(call, listing, place)}`;
}

function parseCursorText(call: Call, listing: Listing, text: string): Cursor {
  const place = text.slice(0, -MAC_LENGTH);
  const mac = text.slice(1 - MAC_LENGTH);
  const cursor = parseCursor(place);
  if (cursor === undefined || !sameText(mac, macFor(call, listing, place))) {
    throw badRequest("after must be the next of the page before");
  }
  return cursor;
}

const LIMIT = /^[1-9]\d{0,8}$/;

/**
 * The page that a request asks for with `limit` and `after`, each at most once and nothing else.
 *
 * @throws Refusal 400 `bad_request`.
 */
export function requestedPage(call: Call, listing: Listing): PageOf {
  const query = new URLSearchParams(call.request.query);
  const page: PageOf = { limit: call.context.limits.rowsPerPage, after: null };
  const seen = new Set<string>();
  for (const [name, value] of query) {
    if (seen.has(name)) throw badRequest(`${name} must be given once`);
    seen.add(name);
    if (name === "limit") {
      if (!LIMIT.test(value) || Number(value) > page.limit) {
        throw badRequest(`limit must be a whole number from 1 to ${page.limit}`);
      }
      page.limit = Number(value);
    } else if (name === "after") page.after = parseCursorText(call, listing, value);
    else throw badRequest("a listing takes limit and after");
  }
  return page;
}

/** A page of a listing as it goes out. */
export interface Page<Row> {
  rows: Row[];
  /** Null on the last page. */
  next: string | null;
}

/** Cuts a page out of rows of which one more was read than fits. */
export function pageOf<Row extends Cursor>(
  call: Call,
  listing: Listing,
  { limit }: PageOf,
  found: Row[],
): Page<Row> {
  const rows = found.slice(0, limit);
  const next = found.length > limit ? cursorText(call, listing, rows[rows.length - 1]) : null;
  return { rows, next };
}
