// Version 1: everything (vault spec, 13). Times are milliseconds since 1970, flags 0 or 1, and what is
// called JSON is text. References are checked at the commit, since the owner and the Bin need each other
// and a folder may be purged before what lies in it.

export const firstSchema = `
CREATE TABLE owners (
  id TEXT PRIMARY KEY,
  kdf_salt TEXT NOT NULL,
  kdf_preset TEXT NOT NULL,
  login_proof_hash TEXT NOT NULL,
  root_key TEXT NOT NULL,
  recovery_proof_hash TEXT NOT NULL,
  recovery_root_key TEXT NOT NULL,
  ml_kem_public_key TEXT NOT NULL,
  bin_folder_id TEXT NOT NULL REFERENCES folders DEFERRABLE INITIALLY DEFERRED,
  media_folder_id TEXT REFERENCES folders DEFERRABLE INITIALLY DEFERRED,
  failed_logins INTEGER NOT NULL,
  next_login_at INTEGER NOT NULL,
  egress_day TEXT NOT NULL,
  egress_day_bytes INTEGER NOT NULL,
  egress_month TEXT NOT NULL,
  egress_month_bytes INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX one_owner ON owners ((1));

CREATE TABLE setup_tokens (
  token_hash TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES owners DEFERRABLE INITIALLY DEFERRED,
  token_hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE TABLE folders (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES owners DEFERRABLE INITIALLY DEFERRED,
  parent_id TEXT REFERENCES folders DEFERRABLE INITIALLY DEFERRED,
  name TEXT NOT NULL,
  fk_wrapped TEXT,
  fk_iv TEXT,
  kind TEXT NOT NULL CHECK (kind IN ('normal', 'bin', 'media')),
  origin_id TEXT,
  binned_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL
) STRICT;
CREATE INDEX folders_by_parent ON folders (parent_id);
CREATE INDEX folders_by_age ON folders (created_at, id);

CREATE TABLE files (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES owners DEFERRABLE INITIALLY DEFERRED,
  folder_id TEXT REFERENCES folders DEFERRABLE INITIALLY DEFERRED,
  name TEXT NOT NULL,
  content_type TEXT,
  size INTEGER NOT NULL,
  ciphertext_size INTEGER NOT NULL,
  storage_key TEXT NOT NULL UNIQUE,
  cipher_parts_sha1 TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  cipher_version INTEGER NOT NULL,
  cipher_chunk_size INTEGER,
  cipher_nonce_prefix TEXT,
  csk_wrapped TEXT NOT NULL,
  csk_iv TEXT NOT NULL,
  pqk_fk_wrapped TEXT,
  pqk_fk_iv TEXT,
  origin_id TEXT,
  binned_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL
) STRICT;
CREATE INDEX files_by_folder ON files (folder_id);
CREATE INDEX files_by_age ON files (created_at, id);

CREATE TABLE grants (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES owners DEFERRABLE INITIALLY DEFERRED,
  label TEXT NOT NULL,
  client_hint TEXT NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  scope_all INTEGER NOT NULL CHECK (scope_all IN (0, 1)),
  include_media INTEGER NOT NULL CHECK (include_media IN (0, 1)),
  trash_folder_id TEXT REFERENCES folders ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
  pk_fingerprint TEXT NOT NULL,
  write_budget_bytes INTEGER,
  write_used_bytes INTEGER NOT NULL CHECK (write_used_bytes >= 0),
  write_reserved_bytes INTEGER NOT NULL CHECK (write_reserved_bytes >= 0),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  revoked_at INTEGER,
  last_used_at INTEGER
) STRICT;
CREATE INDEX grants_by_trash_folder ON grants (trash_folder_id);

CREATE TABLE grant_roots (
  grant_id TEXT NOT NULL REFERENCES grants DEFERRABLE INITIALLY DEFERRED,
  folder_id TEXT NOT NULL REFERENCES folders ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (grant_id, folder_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX grant_roots_by_folder ON grant_roots (folder_id);

CREATE TABLE grant_keys (
  grant_id TEXT NOT NULL REFERENCES grants DEFERRABLE INITIALLY DEFERRED,
  kind TEXT NOT NULL,
  object_id TEXT NOT NULL,
  wrapped TEXT NOT NULL,
  iv TEXT NOT NULL,
  PRIMARY KEY (grant_id, kind, object_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE grant_owner_copies (
  grant_id TEXT PRIMARY KEY REFERENCES grants DEFERRABLE INITIALLY DEFERRED,
  wrapped TEXT NOT NULL,
  iv TEXT NOT NULL,
  scope TEXT NOT NULL
) STRICT;

CREATE TABLE uploads (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES owners DEFERRABLE INITIALLY DEFERRED,
  grant_id TEXT REFERENCES grants DEFERRABLE INITIALLY DEFERRED,
  folder_id TEXT,
  storage_key TEXT NOT NULL UNIQUE,
  size_bytes INTEGER NOT NULL,
  proof_key TEXT NOT NULL,
  row TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('reserved', 'stored', 'failed')),
  sha1 TEXT,
  sha256 TEXT,
  answer TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX uploads_by_state ON uploads (state, expires_at);

CREATE TABLE audit (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL REFERENCES owners DEFERRABLE INITIALLY DEFERRED,
  grant_id TEXT REFERENCES grants DEFERRABLE INITIALLY DEFERRED,
  action TEXT NOT NULL,
  object_kind TEXT CHECK (object_kind IN ('file', 'folder')),
  object_id TEXT,
  result TEXT NOT NULL CHECK (result IN ('ok', 'refused')),
  code TEXT,
  at INTEGER NOT NULL,
  before TEXT NOT NULL,
  after TEXT NOT NULL,
  version INTEGER,
  undone_at INTEGER
) STRICT;
CREATE INDEX audit_by_time ON audit (at, id);
CREATE INDEX audit_of_changes ON audit (object_id, version) WHERE version IS NOT NULL;

CREATE TABLE idempotency (
  actor_id TEXT NOT NULL,
  key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  status INTEGER NOT NULL,
  response TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (actor_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_time ON idempotency (at);

CREATE TABLE purged_objects (
  storage_key TEXT PRIMARY KEY,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;
