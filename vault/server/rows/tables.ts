// Which columns each table has, and how each is kept; the types see to it that none is forgotten.

import type { DatabaseSync } from "node:sqlite";
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
import { Table, type TableShape } from "./table.ts";

/** A value of the store's own. */
interface SettingRow {
  name: string;
  value: string;
}

/** The connection between a grant and a folder that it covers. */
interface GrantRootRow {
  grantId: string;
  folderId: string;
}

const OWNER: TableShape<OwnerRow> = {
  name: "owners",
  key: ["id"],
  columns: {
    id: "plain",
    kdfSalt: "plain",
    kdfPreset: "plain",
    loginProofHash: "plain",
    rootKey: "plain",
    recoveryProofHash: "plain",
    recoveryRootKey: "plain",
    mlKemPublicKey: "plain",
    binFolderId: "plain",
    mediaFolderId: "plain",
    failedLogins: "plain",
    nextLoginAt: "plain",
    egressDay: "plain",
    egressDayBytes: "plain",
    egressMonth: "plain",
    egressMonthBytes: "plain",
    createdAt: "plain",
    updatedAt: "plain",
  },
};

const SETUP_TOKEN: TableShape<SetupTokenRow> = {
  name: "setup_tokens",
  key: ["tokenHash"],
  columns: {
    tokenHash: "plain",
    createdAt: "plain",
  },
};

const SESSION: TableShape<SessionRow> = {
  name: "sessions",
  key: ["id"],
  columns: {
    id: "plain",
    ownerId: "plain",
    tokenHash: "plain",
    createdAt: "plain",
    lastUsedAt: "plain",
    expiresAt: "plain",
  },
};

const FOLDER: TableShape<FolderRow> = {
  name: "folders",
  key: ["id"],
  columns: {
    id: "plain",
    ownerId: "plain",
    parentId: "plain",
    name: "plain",
    fkWrapped: "plain",
    fkIv: "plain",
    kind: "plain",
    originId: "plain",
    binnedAt: "plain",
    createdAt: "plain",
    updatedAt: "plain",
    version: "plain",
  },
};

const FILE: TableShape<FileRow> = {
  name: "files",
  key: ["id"],
  columns: {
    id: "plain",
    ownerId: "plain",
    folderId: "plain",
    name: "plain",
    contentType: "plain",
    size: "plain",
    ciphertextSize: "plain",
    storageKey: "plain",
    cipherPartsSha1: "plain",
    sha256: "plain",
    cipherVersion: "plain",
    cipherChunkSize: "plain",
    cipherNoncePrefix: "plain",
    cskWrapped: "plain",
    cskIv: "plain",
    pqkFkWrapped: "plain",
    pqkFkIv: "plain",
    originId: "plain",
    binnedAt: "plain",
    createdAt: "plain",
    updatedAt: "plain",
    version: "plain",
  },
};

const GRANT: TableShape<GrantRow> = {
  name: "grants",
  key: ["id"],
  columns: {
    id: "plain",
    ownerId: "plain",
    label: "plain",
    clientHint: "plain",
    tokenHash: "plain",
    scopes: "json",
    scopeAll: "flag",
    includeMedia: "flag",
    trashFolderId: "plain",
    pkFingerprint: "plain",
    writeBudgetBytes: "plain",
    writeUsedBytes: "plain",
    writeReservedBytes: "plain",
    createdAt: "plain",
    expiresAt: "plain",
    revokedAt: "plain",
    lastUsedAt: "plain",
  },
};

const GRANT_KEY: TableShape<GrantKeyRow> = {
  name: "grant_keys",
  key: ["grantId", "kind", "objectId"],
  columns: {
    grantId: "plain",
    kind: "plain",
    objectId: "plain",
    wrapped: "plain",
    iv: "plain",
  },
};

const GRANT_OWNER_COPY: TableShape<GrantOwnerCopyRow> = {
  name: "grant_owner_copies",
  key: ["grantId"],
  columns: {
    grantId: "plain",
    wrapped: "plain",
    iv: "plain",
    scope: "json",
  },
};

const UPLOAD: TableShape<UploadRow> = {
  name: "uploads",
  key: ["id"],
  columns: {
    id: "plain",
    ownerId: "plain",
    grantId: "plain",
    folderId: "plain",
    storageKey: "plain",
    sizeBytes: "plain",
    proofKey: "plain",
    row: "json",
    state: "plain",
    sha1: "plain",
    sha256: "plain",
    answer: "json",
    createdAt: "plain",
    expiresAt: "plain",
  },
};

const AUDIT: TableShape<AuditRow> = {
  name: "audit",
  key: ["id"],
  columns: {
    id: "plain",
    ownerId: "plain",
    grantId: "plain",
    action: "plain",
    objectKind: "plain",
    objectId: "plain",
    result: "plain",
    code: "plain",
    at: "plain",
    before: "json",
    after: "json",
    version: "plain",
    undoneAt: "plain",
  },
};

const IDEMPOTENCY: TableShape<IdempotencyRow> = {
  name: "idempotency",
  key: ["actorId", "key"],
  columns: {
    actorId: "plain",
    key: "plain",
    requestHash: "plain",
    status: "plain",
    response: "json",
    at: "plain",
  },
};

const PURGED_OBJECT: TableShape<PurgedObjectRow> = {
  name: "purged_objects",
  key: ["storageKey"],
  columns: {
    storageKey: "plain",
    at: "plain",
  },
};

const GRANT_ROOT: TableShape<GrantRootRow> = {
  name: "grant_roots",
  key: ["grantId", "folderId"],
  columns: { grantId: "plain", folderId: "plain" },
};

const SETTING: TableShape<SettingRow> = {
  name: "settings",
  key: ["name"],
  columns: { name: "plain", value: "plain" },
};

/** All tables of an open database. */
export function tablesOf(database: DatabaseSync) {
  return {
    owners: new Table(database, OWNER),
    setupTokens: new Table(database, SETUP_TOKEN),
    sessions: new Table(database, SESSION),
    folders: new Table(database, FOLDER),
    files: new Table(database, FILE),
    grants: new Table(database, GRANT),
    grantKeys: new Table(database, GRANT_KEY),
    grantOwnerCopies: new Table(database, GRANT_OWNER_COPY),
    uploads: new Table(database, UPLOAD),
    audit: new Table(database, AUDIT),
    idempotency: new Table(database, IDEMPOTENCY),
    purgedObjects: new Table(database, PURGED_OBJECT),
    grantRoots: new Table(database, GRANT_ROOT),
    settings: new Table(database, SETTING),
  };
}
