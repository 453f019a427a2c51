// The rows in SQLite. What a method does is one statement, or a few that belong into the caller's
// transaction; the only thing added here is that a change of a folder or file raises its version and
// that its time never stands still.

import { openDatabase } from "./database.ts";
import { MIGRATIONS } from "./migrations/mod.ts";
import type {
  AuditRow,
  FileChange,
  FileRow,
  FolderChange,
  FolderRow,
  FolderTotals,
  IdempotencyRow,
  PageOf,
  PurgedObjectRow,
  Rows,
  Totals,
  UploadRow,
} from "./rows.ts";
import { SqliteAccounts } from "./sqlite_accounts.ts";

/** A folder and all below it; UNION drops what was seen, so a cycle ends. */
const BELOW = `WITH RECURSIVE below(id) AS (
  SELECT id FROM folders WHERE id = ?
  UNION SELECT folders.id FROM folders JOIN below ON folders.parent_id = below.id)`;
const totalsOf = (column: "size" | "ciphertext_size") =>
  `SELECT count(*) AS count, coalesce(sum(${column}), 0) AS bytes FROM files`;
const TOTALS = totalsOf("size");

/** The rows of a data folder that this process has locked; see {@link openRows}. */
class SqliteRows extends SqliteAccounts implements Rows {
  insertFolder(row: FolderRow): void {
    this.tables.folders.insert(row);
  }

  folder(id: string): FolderRow | undefined {
    return this.tables.folders.get(id);
  }

  changeFolder(id: string, changes: FolderChange): FolderRow {
    const next = this.#next(this.folder(id));
    return this.tables.folders.update([id], { ...changes, ...next });
  }

  removeFolder(id: string): void {
    this.tables.folders.remove(id);
  }

  folders({ limit, after }: PageOf): FolderRow[] {
    return this.tables.folders.select(
      "WHERE (created_at, id) > (?, ?) ORDER BY created_at, id LIMIT ?",
      after?.createdAt ?? -1,
      after?.id ?? "",
      limit,
    );
  }

  childFolders(parentId: string | null): FolderRow[] {
    return this.tables.folders.select("WHERE parent_id IS ? ORDER BY created_at, id", parentId);
  }

  foldersOf(ids: string[], { limit, after }: PageOf): FolderRow[] {
    return this.tables.folders.select(
      `WHERE id IN (SELECT value FROM json_each(?)) AND (created_at, id) > (?, ?)
       ORDER BY created_at, id LIMIT ?`,
      JSON.stringify(ids),
      after?.createdAt ?? -1,
      after?.id ?? "",
      limit,
    );
  }

  subtree(folderId: string): string[] {
    return this.database.prepare(`${BELOW} SELECT id FROM below`).all(folderId)
      .map(({ id }) => id as string);
  }

  insertFile(row: FileRow): void {
    this.tables.files.insert(row);
  }

  file(id: string): FileRow | undefined {
    return this.tables.files.get(id);
  }

  changeFile(id: string, changes: FileChange): FileRow {
    const next = this.#next(this.file(id));
    return this.tables.files.update([id], { ...changes, ...next });
  }

  completeFile(id: string, wrap: Pick<FileRow, "pqkFkWrapped" | "pqkFkIv">): FileRow {
    const updatedAt = this.later(this.file(id)?.updatedAt);
    return this.tables.files.update([id], { ...wrap, updatedAt });
  }

  removeFile(id: string): void {
    this.tables.files.remove(id);
  }

  files({ limit, after }: PageOf): FileRow[] {
    return this.tables.files.select(
      "WHERE (created_at, id) > (?, ?) ORDER BY created_at, id LIMIT ?",
      after?.createdAt ?? -1,
      after?.id ?? "",
      limit,
    );
  }

  filesIn(folderId: string | null): FileRow[] {
    return this.tables.files.select("WHERE folder_id IS ? ORDER BY created_at, id", folderId);
  }

  filesWithin(folderIds: string[], { limit, after }: PageOf): FileRow[] {
    return this.tables.files.select(
      `WHERE folder_id IN (SELECT value FROM json_each(?)) AND (created_at, id) > (?, ?)
       ORDER BY created_at, id LIMIT ?`,
      JSON.stringify(folderIds),
      after?.createdAt ?? -1,
      after?.id ?? "",
      limit,
    );
  }

  fileByStorageKey(storageKey: string): FileRow | undefined {
    return this.tables.files.first("WHERE storage_key = ?", storageKey);
  }

  fileTotals(): Totals {
    return this.#totals(TOTALS);
  }

  objectTotals(): Totals {
    return this.#totals(totalsOf("ciphertext_size"));
  }

  fileTotalsBelow(folderId: string): Totals {
    return this.#totals(`${BELOW} ${TOTALS} WHERE folder_id IN (SELECT id FROM below)`, folderId);
  }

  fileTotalsByFolder(): FolderTotals[] {
    const sql =
      `SELECT folder_id, count(*) AS count, sum(size) AS bytes FROM files GROUP BY folder_id`;
    return this.database.prepare(sql).all().map(({ folder_id, count, bytes }) => ({
      folderId: folder_id as string | null,
      count: Number(count),
      bytes: Number(bytes),
    }));
  }

  idTaken(id: string): boolean {
    return (this.folder(id) ?? this.file(id) ?? this.upload(id)) !== undefined;
  }

  insertUpload(row: UploadRow): void {
    this.tables.uploads.insert(row);
  }

  upload(id: string): UploadRow | undefined {
    return this.tables.uploads.get(id);
  }

  uploadByStorageKey(storageKey: string): UploadRow | undefined {
    return this.tables.uploads.first("WHERE storage_key = ?", storageKey);
  }

  updateUpload(id: string, changes: Partial<UploadRow>): UploadRow {
    return this.tables.uploads.update([id], changes);
  }

  removeUpload(id: string): void {
    this.tables.uploads.remove(id);
  }

  reservedUploadCount(): number {
    return this.tables.uploads.select("WHERE state = 'reserved'").length;
  }

  expiredUploads(now: number): UploadRow[] {
    return this.tables.uploads.select(
      "WHERE state = 'reserved' AND expires_at <= ? ORDER BY expires_at",
      now,
    );
  }

  insertAudit(row: AuditRow): void {
    this.tables.audit.insert(row);
  }

  audit(id: string): AuditRow | undefined {
    return this.tables.audit.get(id);
  }

  markUndone(id: string, at: number): void {
    this.tables.audit.update([id], { undoneAt: at });
  }

  moveLastChange(objectId: string, before: number, to: number): void {
    this.database.prepare(
      `UPDATE audit SET version = ? WHERE id =
       (SELECT id FROM audit WHERE object_id = ? AND version < ? AND undone_at IS NULL
        ORDER BY version DESC LIMIT 1)`,
    ).run(to, objectId, before);
  }

  activity({ limit, after }: PageOf): AuditRow[] {
    return this.tables.audit.select(
      "WHERE (at, id) < (?, ?) ORDER BY at DESC, id DESC LIMIT ?",
      after?.createdAt ?? Number.MAX_SAFE_INTEGER,
      after?.id ?? "",
      limit,
    );
  }

  insertIdempotency(row: IdempotencyRow): void {
    this.tables.idempotency.insert(row);
  }

  idempotency(actorId: string, key: string): IdempotencyRow | undefined {
    return this.tables.idempotency.get(actorId, key);
  }

  removeIdempotencyBefore(at: number): void {
    this.tables.idempotency.removeWhere("WHERE at < ?", at);
  }

  addPurgedObject(row: PurgedObjectRow): void {
    this.tables.purgedObjects.insert(row);
  }

  removePurgedObject(storageKey: string): void {
    this.tables.purgedObjects.remove(storageKey);
  }

  purgedObjects(most = -1): PurgedObjectRow[] {
    return this.tables.purgedObjects.select("ORDER BY at, storage_key LIMIT ?", most);
  }

  #totals(sql: string, ...parameters: string[]): Totals {
    const found = this.database.prepare(sql).get(...parameters);
    return { count: Number(found?.count), bytes: Number(found?.bytes) };
  }

  #next(old: { updatedAt: number; version: number } | undefined) {
    return { updatedAt: this.later(old?.updatedAt), version: (old?.version ?? 0) + 1 };
  }
}

/**
 * Opens the rows of a data folder, made or brought up to date when needed. The folder must be locked by
 * this process (`openDataFolder`).
 *
 * @param now the time in milliseconds since 1970.
 * @throws ToolError `schema_too_new` for data that a newer program wrote.
 */
export function openRows(dataFolder: string, now: () => number = Date.now): Rows {
  return new SqliteRows(openDatabase(dataFolder, MIGRATIONS), now);
}
