/**
 * The owner's side of a vault: everything that takes its keys. It runs in a browser and under Deno, and
 * needs of either only what the web platform has; the server sees ciphertext, sealed names and wrapped
 * keys, and nothing that opens them.
 *
 * @module
 */

export { type OwnerVaultOptions, vaultStatus } from "./entrance.ts";
export { OwnerError, type OwnerErrorCode } from "./error.ts";
export { MAX_FILE_BYTES, nameFault } from "./rules.ts";
export type {
  ActivityEntry,
  BulkResult,
  Download,
  DownloadOptions,
  ExportedFile,
  ExportFailure,
  File,
  Folder,
  Grant,
  GrantExtension,
  GrantRequest,
  Item,
  ItemFailure,
  OwnerTransport,
  Progress,
  RefreshProgress,
  Scope,
  Stats,
  Tree,
  UploadRequest,
} from "./types.ts";
export { defaultTransport } from "./transport.ts";
export { type KdfBackend, KdfWorkers } from "./kdf_workers.ts";
export { OwnerVault } from "./vault.ts";
