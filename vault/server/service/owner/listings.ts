// What the owner sees: every row, in pages, and how much there is. Rows look as they do to a connection,
// with what only the owner needs beside it.

import type { FileRow, FolderRow, Json } from "../../rows/rows.ts";
import { fileFields, folderFields } from "../agent/rows_as_json.ts";
import { pageOf, requestedPage } from "../paging.ts";
import type { Route } from "../router.ts";
import { timeText, timeTextOrNull } from "../times.ts";
import { type Owned, ownerRead } from "./as_owner.ts";

/** Where a thing lay before it went to the Bin, and how often its row has changed. */
function ownFields({ createdAt, originId, binnedAt, version }: FileRow | FolderRow) {
  return {
    createdAt: timeText(createdAt),
    originId,
    binnedAt: timeTextOrNull(binnedAt),
    version,
  };
}

function foldersOf({ call, rows, reach, owner }: Owned): Json {
  const listing = { name: "folders", actorId: owner.id };
  const page = requestedPage(call, listing);
  const found = rows.folders({ ...page, limit: page.limit + 1 });
  const { rows: folders, next } = pageOf(call, listing, page, found);
  return {
    folders: folders.map((folder) => ({
      ...folderFields(folder),
      ...ownFields(folder),
      kind: folder.kind,
      inTrash: folder.kind !== "bin" && reach.placeOfFolder(folder.id) === "trash",
    })),
    next,
  };
}

function filesOf({ call, rows, reach, owner }: Owned): Json {
  const listing = { name: "files", actorId: owner.id };
  const page = requestedPage(call, listing);
  const found = rows.files({ ...page, limit: page.limit + 1 });
  const { rows: files, next } = pageOf(call, listing, page, found);
  return {
    files: files.map((file) => ({
      ...fileFields(file),
      ...ownFields(file),
      inTrash: reach.placeOfFile(file) === "trash",
    })),
    next,
  };
}

function statsOf({ call, rows, owner }: Owned): Json {
  const all = rows.fileTotals();
  const bin = rows.fileTotalsBelow(owner.binFolderId);
  const { count, bytes } = rows.objectTotals();
  return {
    files: all.count - bin.count,
    bytes: all.bytes - bin.bytes,
    bin: { files: bin.count, bytes: bin.bytes },
    objects: { count, bytes },
    egress: call.state.egress.totals(owner),
  };
}

export const listingRoutes: Route[] = [
  ownerRead("/folders", foldersOf),
  ownerRead("/files", filesOf),
  ownerRead("/stats", statsOf),
];
