// Who may come in: the owner, sessions, connections with their keys, and the store's own settings.

import type { DatabaseSync } from "node:sqlite";
import { inTransaction } from "./database.ts";
import type {
  GrantKeyRow,
  GrantOwnerCopyRow,
  GrantRow,
  OwnerRow,
  SessionRow,
  SetupTokenRow,
} from "./rows.ts";
import { tablesOf } from "./tables.ts";

/** The part of `Rows` that is about whoever asks. */
export class SqliteAccounts {
  protected readonly database: DatabaseSync;
  protected readonly tables: ReturnType<typeof tablesOf>;
  protected readonly now: () => number;

  constructor(database: DatabaseSync, now: () => number) {
    this.database = database;
    this.tables = tablesOf(database);
    this.now = now;
  }

  transaction<T>(body: () => T): T {
    if (this.database.isTransaction) throw new Error("a transaction is already open");
    return inTransaction(this.database, body);
  }

  close(): void {
    this.database.close();
  }

  owner(): OwnerRow | undefined {
    return this.tables.owners.first("LIMIT 1");
  }

  insertOwner(row: OwnerRow): void {
    this.tables.owners.insert(row);
  }

  updateOwner(changes: Partial<OwnerRow>): OwnerRow {
    const owner = this.owner();
    const updatedAt = this.later(owner?.updatedAt);
    return this.tables.owners.update([owner?.id ?? ""], { ...changes, updatedAt });
  }

  setupToken(): SetupTokenRow | undefined {
    return this.tables.setupTokens.first("LIMIT 1");
  }

  putSetupToken(row: SetupTokenRow): void {
    this.removeSetupToken();
    this.tables.setupTokens.insert(row);
  }

  removeSetupToken(): void {
    this.tables.setupTokens.removeWhere("");
  }

  insertSession(row: SessionRow): void {
    this.tables.sessions.insert(row);
  }

  sessionByTokenHash(tokenHash: string): SessionRow | undefined {
    return this.tables.sessions.first("WHERE token_hash = ?", tokenHash);
  }

  touchSession(id: string, at: number): void {
    this.tables.sessions.update([id], { lastUsedAt: at });
  }

  removeSession(id: string): void {
    this.tables.sessions.remove(id);
  }

  removeSessions(exceptId = ""): void {
    this.tables.sessions.removeWhere("WHERE id <> ?", exceptId);
  }

  removeStaleSessions(now: number, idleSince: number): void {
    this.tables.sessions.removeWhere(
      "WHERE expires_at <= ? OR last_used_at < ?",
      now,
      idleSince,
    );
  }

  insertGrant(row: GrantRow): void {
    this.tables.grants.insert(row);
  }

  grant(id: string): GrantRow | undefined {
    return this.tables.grants.get(id);
  }

  grantByTokenHash(tokenHash: string): GrantRow | undefined {
    return this.tables.grants.first("WHERE token_hash = ?", tokenHash);
  }

  updateGrant(id: string, changes: Partial<GrantRow>): GrantRow {
    return this.tables.grants.update([id], changes);
  }

  grants(): GrantRow[] {
    return this.tables.grants.select("ORDER BY created_at, id");
  }

  liveGrantCount(now: number): number {
    return this.grants().filter((row) => row.revokedAt === null && row.expiresAt > now).length;
  }

  addGrantRoot(grantId: string, folderId: string): void {
    this.tables.grantRoots.put({ grantId, folderId });
  }

  grantRoots(grantId: string): string[] {
    return this.tables.grantRoots.select("WHERE grant_id = ? ORDER BY folder_id", grantId)
      .map(({ folderId }) => folderId);
  }

  putGrantKey(row: GrantKeyRow): void {
    this.tables.grantKeys.put(row);
  }

  grantKeys(grantId: string): GrantKeyRow[] {
    return this.tables.grantKeys.select("WHERE grant_id = ? ORDER BY kind, object_id", grantId);
  }

  putGrantOwnerCopy(row: GrantOwnerCopyRow): void {
    this.tables.grantOwnerCopies.put(row);
  }

  grantOwnerCopy(grantId: string): GrantOwnerCopyRow | undefined {
    return this.tables.grantOwnerCopies.get(grantId);
  }

  setting(name: string): string | undefined {
    return this.tables.settings.get(name)?.value;
  }

  putSetting(name: string, value: string): void {
    this.tables.settings.put({ name, value });
  }

  /** Now, or 1 ms after a time that is not over yet. */
  protected later(old = 0): number {
    return Math.max(this.now(), old + 1);
  }
}
