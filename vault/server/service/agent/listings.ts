// What lies within a connection's reach, page by page. The place of the next page is always a row that
// was given out: the place of a row out of reach would tell that it exists.

import type { FileRow, FolderRow, Json, PageOf } from "../../rows/rows.ts";
import { record } from "../audit.ts";
import { badRequest } from "../refusal.ts";
import { pageOf, requestedPage } from "../paging.ts";
import type { Route } from "../router.ts";
import type { Work } from "./admission.ts";
import { plainRoute, type Spec } from "./route.ts";
import { fileAsJson, folderAsJson, grantAsJson } from "./rows_as_json.ts";

/** Rows that are read at a time while a page fills. */
const AT_A_TIME = 1001;

/**
 * The rows within reach behind a place, one more than the page holds, so that its end is known.
 *
 * @param read gives the rows of a place in their order.
 */
function fill<Row extends FileRow | FolderRow>(
  { limit, after }: PageOf,
  read: (page: PageOf) => Row[],
  isWithinReach: (row: Row) => boolean,
): Row[] {
  const found: Row[] = [];
  for (let place = after;;) {
    const rows = read({ limit: AT_A_TIME, after: place });
    for (const row of rows) {
      if (isWithinReach(row) && found.push(row) > limit) return found;
    }
    if (rows.length < AT_A_TIME) return found;
    place = rows[rows.length - 1];
  }
}

function list({ call, grant }: Work, name: string) {
  const listing = { name, actorId: grant.id };
  return { listing, page: requestedPage(call, listing) };
}

/** A listing without parameters. */
function requireNoQuery({ call }: Work): void {
  if (call.request.query !== "") throw badRequest("there is nothing to ask for here");
}

function grantOf(work: Work): Json {
  requireNoQuery(work);
  const { rows, grant, owner } = work;
  record(work, { action: "list" });
  return grantAsJson(grant, owner, rows.grantRoots(grant.id), rows.grantKeys(grant.id));
}

function isScopeRoot({ grant }: Work, roots: Set<string>, folder: FolderRow): boolean {
  return roots.has(folder.id) || folder.id === grant.trashFolderId ||
    (grant.scopeAll && folder.parentId === null);
}

/**
 * The folders that a connection to some folders can reach at all; undefined for one to the whole vault. To
 * look at each folder of a large vault for a connection to a small part of it would hold up all others.
 */
function reachableIds({ rows, grant }: Work): string[] | undefined {
  if (grant.scopeAll) return undefined;
  const tops = [
    ...rows.grantRoots(grant.id),
    ...(grant.trashFolderId ? [grant.trashFolderId] : []),
  ];
  return [...new Set(tops.flatMap((top) => rows.subtree(top)))];
}

function foldersOf(work: Work): Json {
  const { call, rows, reach, grant } = work;
  const { listing, page } = list(work, "folders");
  const placeOf = (id: string) => reach.placeOfFolder(id);
  const ids = reachableIds(work);
  const read = (at: PageOf) => ids === undefined ? rows.folders(at) : rows.foldersOf(ids, at);
  const found = fill(page, read, ({ id }) => placeOf(id) !== undefined);
  const roots = new Set(rows.grantRoots(grant.id));
  const { rows: folders, next } = pageOf(call, listing, page, found);
  record(work, { action: "list" });
  return {
    folders: folders.map((folder) => {
      const parent = folder.parentId === null ? undefined : placeOf(folder.parentId);
      const place = placeOf(folder.id)!;
      return folderAsJson(folder, place, parent, isScopeRoot(work, roots, folder));
    }),
    next,
  };
}

function filesOf(work: Work): Json {
  const { call, rows, reach } = work;
  const { listing, page } = list(work, "files");
  const ids = reachableIds(work);
  const read = (at: PageOf) => ids === undefined ? rows.files(at) : rows.filesWithin(ids, at);
  const found = fill(page, read, (file) => reach.placeOfFile(file) !== undefined);
  const { rows: files, next } = pageOf(call, listing, page, found);
  record(work, { action: "list" });
  return { files: files.map((file) => fileAsJson(file, reach.placeOfFile(file)!)), next };
}

/** All files within reach, however many. */
function statsOf(work: Work): Json {
  requireNoQuery(work);
  const { rows, reach } = work;
  const ids = reachableIds(work);
  const reachable = ids && new Set<string | null>(ids);
  const totals = { scope: { files: 0, bytes: 0 }, trash: { files: 0, bytes: 0 } };
  for (const { folderId, count, bytes } of rows.fileTotalsByFolder()) {
    if (reachable?.has(folderId) === false) continue;
    const place = reach.placeOfFile({ folderId });
    if (place === undefined) continue;
    totals[place].files += count;
    totals[place].bytes += bytes;
  }
  record(work, { action: "list" });
  return { ...totals.scope, inTrash: totals.trash };
}

function listing(path: string, act: (work: Work) => Json): Route {
  const spec: Spec = { method: "GET", path, action: "list" };
  return plainRoute(path === "/grant" ? spec : { ...spec, scope: "read" }, act);
}

export const listingRoutes: Route[] = [
  listing("/grant", grantOf),
  listing("/folders", foldersOf),
  listing("/files", filesOf),
  listing("/stats", statsOf),
];
