// The rows of the vault server: what goes in comes out, all of a transaction or nothing.

import assert from "node:assert/strict";
import { formatCursor, parseCursor } from "../../../vault/server/rows/cursor.ts";
import type { AuditRow, Rows } from "../../../vault/server/rows/rows.ts";
import { openRows } from "../../../vault/server/rows/sqlite.ts";
import {
  BIN,
  fileRow,
  folderRow,
  grantRow,
  OWNER,
  ownerRow,
  rowId,
  setUp,
  uploadRow,
} from "./rows_support.ts";

/** Rows of a new vault whose clock stands at 5000. */
function withRows(body: (rows: Rows) => void): void {
  const rows = openRows(Deno.makeTempDirSync(), () => 5000);
  try {
    setUp(rows);
    body(rows);
  } finally {
    rows.close();
  }
}

function auditRow(id: string, at: number): AuditRow {
  return {
    id,
    ownerId: OWNER,
    grantId: null,
    action: "rename_file",
    objectKind: "file",
    objectId: rowId(1),
    result: "ok",
    code: null,
    at,
    before: { name: "old", folderId: null },
    after: { name: "new" },
    version: 2,
    undoneAt: null,
  };
}

Deno.test("rows come back as they went in, after a reopening too", () => {
  const folder = Deno.makeTempDirSync();
  const first = openRows(folder);
  setUp(first);
  const file = fileRow(rowId(1), { contentType: "text/plain", pqkFkWrapped: "x", pqkFkIv: "y" });
  const grant = grantRow(rowId(2), { scopeAll: true, includeMedia: false, trashFolderId: BIN });
  const upload = uploadRow(rowId(3), { row: { a: [1, null, "x"] }, answer: { ok: true } });
  first.insertFile(file);
  first.insertGrant(grant);
  first.insertUpload(upload);
  first.insertAudit(auditRow(rowId(4), 7));
  first.close();
  const rows = openRows(folder);
  assert.deepEqual(rows.owner(), ownerRow());
  assert.deepEqual(rows.folder(BIN), folderRow(BIN, { kind: "bin" }));
  assert.deepEqual(rows.file(file.id), file);
  assert.deepEqual(rows.fileByStorageKey(file.storageKey), file);
  assert.deepEqual(rows.grantByTokenHash(grant.tokenHash), grant);
  assert.deepEqual(rows.upload(upload.id), upload);
  assert.deepEqual(rows.audit(rowId(4)), auditRow(rowId(4), 7));
  rows.close();
});

Deno.test("a transaction that throws leaves nothing, and cannot be nested or async", () => {
  withRows((rows) => {
    assert.throws(
      () =>
        rows.transaction(() => {
          rows.insertFolder(folderRow(rowId(1)));
          throw new Error("stop");
        }),
      /stop/,
    );
    assert.equal(rows.folder(rowId(1)), undefined);
    assert.throws(() => rows.transaction(() => rows.transaction(() => 1)), /already open/);
    assert.throws(
      () =>
        rows.transaction(() => {
          rows.insertFolder(folderRow(rowId(1)));
          return Promise.resolve();
        }),
      /must not be async/,
    );
    assert.equal(rows.folder(rowId(1)), undefined);
    assert.equal(rows.transaction(() => 7), 7);
  });
});

Deno.test("a reference to nothing is refused at the commit, and all of it undone", () => {
  withRows((rows) => {
    assert.throws(
      () =>
        rows.transaction(() => {
          rows.insertFolder(folderRow(rowId(1)));
          rows.insertFile(fileRow(rowId(2), { folderId: rowId(99) }));
        }),
      /FOREIGN KEY/,
    );
    assert.equal(rows.folder(rowId(1)), undefined);
    // Parents may go before their children within one transaction.
    rows.insertFolder(folderRow(rowId(3)));
    rows.insertFolder(folderRow(rowId(4), { parentId: rowId(3) }));
    assert.throws(() => rows.removeFolder(rowId(3)), /FOREIGN KEY/);
    rows.transaction(() => {
      rows.removeFolder(rowId(3));
      rows.removeFolder(rowId(4));
    });
    assert.equal(rows.folder(rowId(4)), undefined);
  });
});

Deno.test("a taken id, token, storage key or owner's place is a duplicate", () => {
  withRows((rows) => {
    rows.insertFile(fileRow(rowId(1)));
    const { storageKey } = rows.file(rowId(1))!;
    rows.insertGrant(grantRow(rowId(2)));
    const duplicate = { code: "duplicate" };
    assert.throws(() => rows.insertFile(fileRow(rowId(1))), duplicate);
    assert.throws(() => rows.insertFile(fileRow(rowId(3), { storageKey })), duplicate);
    assert.throws(() => rows.insertGrant(grantRow(rowId(4), { tokenHash: rowId(2) })), duplicate);
    assert.throws(() => rows.insertOwner({ ...ownerRow(), id: rowId(5) }), duplicate);
    rows.insertUpload(uploadRow(rowId(6)));
    for (const taken of [BIN, rowId(1), rowId(6)]) assert.ok(rows.idTaken(taken), taken);
    assert.ok(!rows.idTaken(rowId(7)));
  });
});

Deno.test("a change raises the version, and its time rises even when the clock does not", () => {
  withRows((rows) => {
    rows.insertFolder(folderRow(rowId(1)));
    rows.insertFile(fileRow(rowId(2), { updatedAt: 8000 }));
    const changed = rows.changeFolder(rowId(1), { name: "new" });
    assert.deepEqual(changed, folderRow(rowId(1), { name: "new", version: 2, updatedAt: 5000 }));
    assert.equal(rows.changeFolder(rowId(1), { parentId: BIN }).updatedAt, 5001);
    assert.deepEqual(rows.folder(rowId(1))?.parentId, BIN);
    assert.equal(rows.changeFile(rowId(2), { pqkFkIv: null }).updatedAt, 8001);
    assert.equal(rows.updateOwner({ failedLogins: 3 }).failedLogins, 3);
    assert.equal(rows.owner()?.updatedAt, 5000);
    assert.throws(() => rows.changeFile(rowId(9), {}), { code: "not_found" });
  });
});

Deno.test("pages follow (created_at, id) and give every row once, equal times included", () => {
  withRows((rows) => {
    const expected = [];
    for (let number = 0; number < 25; number++) {
      const row = fileRow(rowId(number * 7919 % 25), { createdAt: 100 + Math.floor(number / 9) });
      rows.insertFile(row);
      expected.push(row);
    }
    expected.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
    const seen = [];
    for (let page = rows.files({ limit: 4, after: null }); page.length > 0;) {
      assert.ok(page.length <= 4);
      seen.push(...page);
      const cursor = parseCursor(formatCursor(page.at(-1)!))!;
      page = rows.files({ limit: 4, after: cursor });
    }
    assert.deepEqual(seen, expected);
    for (const at of [5, 6, 6, 7].entries()) rows.insertAudit(auditRow(rowId(100 + at[0]), at[1]));
    const newest = rows.activity({ limit: 2, after: null });
    assert.deepEqual(newest.map(({ at, id }) => [at, id]), [[7, rowId(103)], [6, rowId(102)]]);
    const rest = rows.activity({ limit: 9, after: { createdAt: 6, id: rowId(102) } });
    assert.deepEqual(rest.map(({ id }) => id), [rowId(101), rowId(100)]);
  });
});

Deno.test("a cursor is URL-safe text, and any other text is none", () => {
  const cursor = { createdAt: 1_700_000_000_123, id: rowId(1) };
  assert.match(formatCursor(cursor), /^[A-Za-z0-9._-]+$/);
  assert.deepEqual(parseCursor(formatCursor(cursor)), cursor);
  for (
    const text of [
      "",
      "1",
      ".a",
      "01.a",
      "-1.a",
      "1.",
      "1.a b",
      "1.a\n",
      "1e3.a",
      "9".repeat(17) + ".a",
    ]
  ) {
    assert.equal(parseCursor(text), undefined, JSON.stringify(text));
  }
});

Deno.test("what lies below a folder is found at any depth, and a cycle ends", () => {
  withRows((rows) => {
    rows.insertFolder(folderRow(rowId(1)));
    rows.insertFolder(folderRow(rowId(2), { parentId: rowId(1) }));
    rows.insertFolder(folderRow(rowId(3), { parentId: rowId(2) }));
    rows.insertFile(fileRow(rowId(4), { folderId: rowId(3), size: 10 }));
    rows.insertFile(fileRow(rowId(5), { folderId: rowId(1), size: 5 }));
    rows.insertFile(fileRow(rowId(6), { size: 1 }));
    assert.deepEqual(rows.subtree(rowId(1)).sort(), [rowId(1), rowId(2), rowId(3)]);
    assert.deepEqual(rows.subtree(rowId(99)), []);
    assert.deepEqual(rows.fileTotalsBelow(rowId(1)), { count: 2, bytes: 15 });
    assert.deepEqual(rows.fileTotals(), { count: 3, bytes: 16 });
    assert.deepEqual(rows.filesIn(null).map(({ id }) => id), [rowId(6)]);
    assert.deepEqual(rows.childFolders(null).map(({ id }) => id), [BIN, rowId(1)]);
    rows.changeFolder(rowId(1), { parentId: rowId(3) });
    assert.equal(rows.subtree(rowId(2)).length, 3);
  });
});

Deno.test("connections: roots, wraps, the owner's copy, and which of them are alive", () => {
  withRows((rows) => {
    rows.insertFolder(folderRow(rowId(1)));
    rows.insertGrant(grantRow(rowId(2)));
    rows.insertGrant(grantRow(rowId(3), { revokedAt: 1 }));
    rows.insertGrant(grantRow(rowId(4), { expiresAt: 5000 }));
    assert.equal(rows.liveGrantCount(4999), 2);
    assert.equal(rows.liveGrantCount(5000), 1);
    rows.addGrantRoot(rowId(2), rowId(1));
    rows.addGrantRoot(rowId(2), rowId(1));
    assert.deepEqual(rows.grantRoots(rowId(2)), [rowId(1)]);
    const key = { grantId: rowId(2), kind: "folder" as const, objectId: rowId(1), iv: "i" };
    rows.putGrantKey({ ...key, wrapped: "old" });
    rows.putGrantKey({ ...key, wrapped: "new" });
    assert.deepEqual(rows.grantKeys(rowId(2)), [{ ...key, wrapped: "new" }]);
    const copy = { grantId: rowId(2), wrapped: "w", iv: "i", scope: { scopeAll: false } };
    rows.putGrantOwnerCopy(copy);
    assert.deepEqual(rows.grantOwnerCopy(rowId(2)), copy);
    rows.removeFolder(rowId(1));
    assert.deepEqual(rows.grantRoots(rowId(2)), [], "a purged folder is no root any more");
    assert.throws(() => rows.updateGrant(rowId(2), { writeReservedBytes: -1 }), /CHECK/);
  });
});

Deno.test("sessions, setup token, idempotency, tombstones and settings are kept and let go", () => {
  withRows((rows) => {
    const session = { ownerId: OWNER, createdAt: 1, lastUsedAt: 1, expiresAt: 100 };
    for (const id of ["a", "b", "c"]) {
      rows.insertSession({ ...session, id, tokenHash: `hash ${id}` });
    }
    rows.touchSession("b", 50);
    assert.equal(rows.sessionByTokenHash("hash b")?.lastUsedAt, 50);
    rows.removeStaleSessions(60, 1);
    rows.removeSession("c");
    rows.removeStaleSessions(60, 2);
    assert.equal(rows.sessionByTokenHash("hash a"), undefined);
    rows.removeSessions("b");
    assert.ok(rows.sessionByTokenHash("hash b"));
    rows.removeStaleSessions(100, 0);
    assert.equal(rows.sessionByTokenHash("hash b"), undefined);
    rows.putSetupToken({ tokenHash: "one", createdAt: 1 });
    rows.putSetupToken({ tokenHash: "two", createdAt: 2 });
    assert.equal(rows.setupToken()?.tokenHash, "two");
    rows.removeSetupToken();
    assert.equal(rows.setupToken(), undefined);
    const answered = { actorId: OWNER, key: "k", requestHash: "h", status: 201, at: 5 };
    rows.insertIdempotency({ ...answered, response: { ok: true } });
    assert.deepEqual(rows.idempotency(OWNER, "k")?.response, { ok: true });
    rows.removeIdempotencyBefore(6);
    assert.equal(rows.idempotency(OWNER, "k"), undefined);
    rows.addPurgedObject({ storageKey: "s", at: 3 });
    assert.deepEqual(rows.purgedObjects(), [{ storageKey: "s", at: 3 }]);
    rows.removePurgedObject("s");
    assert.deepEqual(rows.purgedObjects(), []);
    rows.putSetting("url_key", "1");
    rows.putSetting("url_key", "2");
    assert.equal(rows.setting("url_key"), "2");
  });
});

Deno.test("reservations that are over are found, stored ones are not", () => {
  withRows((rows) => {
    rows.insertUpload(uploadRow(rowId(1), { expiresAt: 5000 }));
    rows.insertUpload(uploadRow(rowId(2), { expiresAt: 5001 }));
    rows.insertUpload(uploadRow(rowId(3), { expiresAt: 1 }));
    rows.updateUpload(rowId(3), { state: "stored", answer: { status: "stored" } });
    assert.equal(rows.reservedUploadCount(), 2);
    assert.deepEqual(rows.expiredUploads(5000).map(({ id }) => id), [rowId(1)]);
    const { storageKey } = rows.upload(rowId(2))!;
    assert.equal(rows.uploadByStorageKey(storageKey)?.id, rowId(2));
    rows.removeUpload(rowId(2));
    assert.equal(rows.upload(rowId(2)), undefined);
  });
});
