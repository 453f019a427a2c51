// All that the server knows beside the objects, behind typed methods. Everything is synchronous, so a
// request's check and its change stand in one transaction by being in one body.

import type { Cursor } from "./cursor.ts";
import type {
  AuditRow,
  FileRow,
  FolderRow,
  GrantKeyRow,
  GrantOwnerCopyRow,
  GrantRow,
  IdempotencyRow,
  OwnerRow,
  PurgedObjectRow,
  SessionRow,
  SetupTokenRow,
  UploadRow,
} from "./row_types.ts";

export type * from "./row_types.ts";

/** A page to be read: so many rows after a place, in the order of (created_at, id). */
export interface PageOf {
  limit: number;
  after: Cursor | null;
}

/** How many rows, and how many bytes of plaintext. */
export interface Totals {
  count: number;
  bytes: number;
}

/** What lies directly in one folder, or at the root. */
export interface FolderTotals extends Totals {
  folderId: string | null;
}

/** The columns that a change may touch; `version` and `updatedAt` follow by themselves. */
export type FolderChange = Partial<
  Omit<FolderRow, "id" | "ownerId" | "createdAt" | "updatedAt" | "version">
>;
export type FileChange = Partial<
  Omit<FileRow, "id" | "ownerId" | "createdAt" | "updatedAt" | "version">
>;

/**
 * The rows. `insert…` throws a `duplicate` ToolError when the key is taken; `change…` and `update…` throw
 * `not_found` when there is no such row; a look-up gives undefined.
 */
export interface Rows {
  /** BEGIN IMMEDIATE … COMMIT, rolled back when the body throws; not to be nested, and not async. */
  transaction<T>(body: () => T): T;
  close(): void;

  owner(): OwnerRow | undefined;
  insertOwner(row: OwnerRow): void;
  updateOwner(changes: Partial<Omit<OwnerRow, "id" | "createdAt" | "updatedAt">>): OwnerRow;

  setupToken(): SetupTokenRow | undefined;
  /** Takes the place of an earlier one. */
  putSetupToken(row: SetupTokenRow): void;
  removeSetupToken(): void;

  insertSession(row: SessionRow): void;
  sessionByTokenHash(tokenHash: string): SessionRow | undefined;
  touchSession(id: string, at: number): void;
  removeSession(id: string): void;
  /** Removes all sessions, or all but one. */
  removeSessions(exceptId?: string): void;
  /** Removes what expired by `now` and what was last used before `idleSince`. */
  removeStaleSessions(now: number, idleSince: number): void;

  insertFolder(row: FolderRow): void;
  folder(id: string): FolderRow | undefined;
  /** Raises `version` by one, and `updatedAt` to now or by 1 ms, whichever is later. */
  changeFolder(id: string, changes: FolderChange): FolderRow;
  removeFolder(id: string): void;
  folders(page: PageOf): FolderRow[];
  childFolders(parentId: string | null): FolderRow[];
  /** As {@link folders}, of those with the ids. */
  foldersOf(ids: string[], page: PageOf): FolderRow[];
  /** The folder's id and those of all below it; a cycle ends. */
  subtree(folderId: string): string[];

  insertFile(row: FileRow): void;
  file(id: string): FileRow | undefined;
  changeFile(id: string, changes: FileChange): FileRow;
  /**
   * Adds the post-quantum wrap that a file had not yet. Nothing is replaced, so `updatedAt` rises alone and
   * the change before can still be undone.
   */
  completeFile(id: string, wrap: Pick<FileRow, "pqkFkWrapped" | "pqkFkIv">): FileRow;
  removeFile(id: string): void;
  files(page: PageOf): FileRow[];
  filesIn(folderId: string | null): FileRow[];
  /** As {@link files}, of those that lie directly in one of the folders. */
  filesWithin(folderIds: string[], page: PageOf): FileRow[];
  fileByStorageKey(storageKey: string): FileRow | undefined;
  fileTotals(): Totals;
  /** How many objects the files have, and their bytes of ciphertext. */
  objectTotals(): Totals;
  /** Of the files anywhere below a folder. */
  fileTotalsBelow(folderId: string): Totals;
  /** Of the files directly in each folder, and of those at the root. */
  fileTotalsByFolder(): FolderTotals[];
  /** Whether a folder, file or upload already has the id. */
  idTaken(id: string): boolean;

  insertGrant(row: GrantRow): void;
  grant(id: string): GrantRow | undefined;
  grantByTokenHash(tokenHash: string): GrantRow | undefined;
  updateGrant(id: string, changes: Partial<Omit<GrantRow, "id" | "ownerId">>): GrantRow;
  /** All of them, the oldest first. */
  grants(): GrantRow[];
  /** Neither revoked nor expired at the time. */
  liveGrantCount(now: number): number;
  addGrantRoot(grantId: string, folderId: string): void;
  grantRoots(grantId: string): string[];
  /** Takes the place of an earlier wrap of the same object. */
  putGrantKey(row: GrantKeyRow): void;
  grantKeys(grantId: string): GrantKeyRow[];
  putGrantOwnerCopy(row: GrantOwnerCopyRow): void;
  grantOwnerCopy(grantId: string): GrantOwnerCopyRow | undefined;

  insertUpload(row: UploadRow): void;
  upload(id: string): UploadRow | undefined;
  uploadByStorageKey(storageKey: string): UploadRow | undefined;
  updateUpload(id: string, changes: Partial<Omit<UploadRow, "id" | "ownerId">>): UploadRow;
  removeUpload(id: string): void;
  reservedUploadCount(): number;
  /** Reservations whose time was over at `now`. */
  expiredUploads(now: number): UploadRow[];

  insertAudit(row: AuditRow): void;
  audit(id: string): AuditRow | undefined;
  markUndone(id: string, at: number): void;
  /**
   * Of the changes of a row that were not undone, the last one before a version stands for another version
   * from now on, in which the row is as that change left it.
   */
  moveLastChange(objectId: string, before: number, to: number): void;
  /** The newest first; `after` is the place of the last one that was read (its `at` as `createdAt`). */
  activity(page: PageOf): AuditRow[];

  insertIdempotency(row: IdempotencyRow): void;
  idempotency(actorId: string, key: string): IdempotencyRow | undefined;
  removeIdempotencyBefore(at: number): void;

  addPurgedObject(row: PurgedObjectRow): void;
  removePurgedObject(storageKey: string): void;
  /** The oldest first; so many at most, where that is said. */
  purgedObjects(most?: number): PurgedObjectRow[];

  /** A value of the store's own, such as the key of its URL signatures; undefined when never set. */
  setting(name: string): string | undefined;
  putSetting(name: string, value: string): void;
}
