// What the page asks of the worker that holds the vault, and what comes back. Everything in it can be copied
// from thread to thread: no key is among it, and no stream (not every browser can hand one over).

import type { VaultItems } from "../../vault/owner/tree.ts";
import type { File, OwnerVault, Progress, RefreshProgress } from "../../vault/owner/mod.ts";

/** The vault's methods that are handed through just as they are. */
export const PASSED = [
  "changePassphrase",
  "renewRecoveryKey",
  "stats",
  "createFolder",
  "rename",
  "move",
  "toBin",
  "restore",
  "purge",
  "grants",
  "createGrant",
  "extendGrant",
  "revokeGrant",
  "activity",
  "undo",
] as const;

export type PassedMethod = typeof PASSED[number];

/** An open vault, as far as the page knows it. */
export interface Opened {
  ownerId: string;
  /** RFC 3339: when the session ends at the latest. */
  expiresAt: string;
}

/** Where plain bytes go. */
export type Destination =
  /** A file that the person picked; what was in it stays until all has arrived. */
  | { kind: "file"; handle: FileSystemFileHandle }
  /** Memory, or wherever the browser keeps large blobs. */
  | { kind: "blob" };

/** Where many files go. */
export type TreeDestination =
  /** A folder that the person picked: a folder of its own is made in it. */
  | { kind: "folder"; handle: FileSystemDirectoryHandle; name: string }
  /** One zip file. */
  | Destination;

/** What an export or a download of several files left behind. */
export interface Exported {
  files: number;
  bytes: number;
  /** Files that could not be read, with the reason. */
  failed: { path: string; code: string }[];
  /** Only where it was not written anywhere yet. */
  blob?: Blob;
}

/** How far an export has come. */
export interface ExportProgress {
  files: number;
  bytes: number;
  totalFiles: number;
  totalBytes: number;
}

/** How long the page waits for what: name, parameters and result of every call. */
export interface Calls extends Pick<OwnerVault, PassedMethod> {
  status(): Promise<{ initialized: boolean; version: string }>;
  create(how: { setupToken: string; passphrase: string }): Promise<
    Opened & {
      recoveryKey: string;
    }
  >;
  unlock(how: { passphrase: string }): Promise<Opened>;
  recover(how: { recoveryKey: string; newPassphrase: string }): Promise<Opened>;
  lock(): Promise<void>;
  /** The folder that is looked at: its names are opened first. */
  showFirst(folderId: string | null): Promise<void>;
  /** Progress: {@link RefreshProgress} without its tree, which comes as a message of its own. */
  refresh(): Promise<void>;
  /** Progress: {@link Progress}. */
  upload(folderId: string | null, name: string, content: Blob): Promise<File>;
  /** Progress: {@link Progress}. Undefined when it was written to a file. */
  download(fileId: string, to: Destination): Promise<Blob | undefined>;
  /** Files, and folders with all that is in them. Progress: {@link ExportProgress}. */
  collect(ids: string[], to: TreeDestination): Promise<Exported>;
  /** Everything outside the Bin. Progress: {@link ExportProgress}. */
  exportAll(to: TreeDestination): Promise<Exported>;
}

export type CallName = keyof Calls;

/** What a call tells while it is under way. */
export type CallProgress = Progress | ExportProgress | Omit<RefreshProgress, "tree">;

/** The tree as it crosses from thread to thread. */
export type TreeSnapshot = VaultItems;

/** From the page to the worker. */
export type ToWorker =
  | { id: number; call: CallName; parameters: unknown[] }
  | { id: number; stop: true };

/** From the worker to the page. */
export type FromWorker =
  | { id: number; progress: CallProgress }
  | { id: number; result: unknown }
  | { id: number; failure: { code: string; message: string; retryAfterSeconds?: number } }
  | { tree: TreeSnapshot };
