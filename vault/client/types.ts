// What a connection's library gives and takes. Everything in here is plain data: names are already
// opened, and no key, token or secret is in any of it.

import type { Progress } from "../../containment/rooms/protocol.ts";

export type { Progress };

/** What a connection may do; each holder of a later one has those before it too. */
export type Scope = "read" | "organize" | "write";

/** What the server says of the connection, as it is now. */
export interface GrantInfo {
  id: string;
  scopes: Scope[];
  /** The whole vault, rather than `folderIds`. */
  wholeVault: boolean;
  /** The folders that were picked; empty for the whole vault. */
  folderIds: string[];
  /** The connection's own trash; null where it may only read. */
  trashFolderId: string | null;
  /** RFC 3339. */
  expiresAt: string;
  /** What may be uploaded, in bytes of ciphertext; absent without a limit, and without `write`. */
  writeBudget?: { bytes: number; usedBytes: number };
}

interface ItemFields {
  id: string;
  /** The folder that it lies in; null at the connection's top. */
  parentId: string | null;
  /** To be shown: characters that do not show are replaced, a long one is cut. Null: does not open. */
  name: string | null;
  /** Exactly as it was sealed, for whoever seals it again; null with `name`, and for the trash. */
  rawName: string | null;
  /** The name as the server keeps it: the part of an item's identity that a rename changes. */
  envelope: string;
  inTrash: boolean;
  /** As the server wrote it, RFC 3339; a change of the item changes it. */
  updatedAt: string;
}

export interface VaultFolder extends ItemFields {
  kind: "folder";
  /** Picked by the owner, the trash, or a top-level folder of a whole-vault connection. */
  scopeRoot: boolean;
  /** The connection's own trash. */
  trash: boolean;
  /** Whether its key is held: without it nothing in it can be opened, or put there. */
  open: boolean;
}

export interface VaultFile extends ItemFields {
  kind: "file";
  /** Bytes of the content, by the server's word. */
  size: number;
  /** Bytes that the server stores; null where it does not say. */
  ciphertextSize: number | null;
  /** As the uploader said, filtered as names are; null where nothing was said. */
  contentType: string | null;
  createdAt: string;
  cipherVersion: number;
  /** False while its key has not come: the owner's page adds it the next time that it is open. */
  readable: boolean;
}

export type VaultItem = VaultFolder | VaultFile;

/** What is shown in place of a name that does not open. */
export const NAME_UNAVAILABLE = "[name unavailable]";
/** What the connection's trash is called; its own name is sealed under a key that stays with the owner. */
export const TRASH_LABEL = "ShieldFive Bin (this connection)";

/** The vault within a connection's reach, as it was when it was loaded. It does not change. */
export interface VaultView {
  readonly grant: GrantInfo;
  readonly folders: ReadonlyMap<string, VaultFolder>;
  readonly files: ReadonlyMap<string, VaultFile>;
  /** Files whose content cannot be opened, for want of a key. */
  readonly unreadable: number;
  /** Rows that made no sense and were left out. */
  readonly skipped: number;
  /** Names that could not be tried: derivations failed, or `names: "none"` was asked for. */
  readonly untried: number;
  item(id: string): VaultItem | undefined;
  /** `/Folder/name`, at most 256 levels of it, with `[name unavailable]` where a name does not open. */
  path(item: VaultItem): string;
  /** What lies directly in a folder, or at the connection's top for null; sorted by name. */
  children(folderId: string | null): VaultItem[];
  /** The folders above an item, the nearest first; ends at a cycle and after 256. */
  ancestors(item: VaultItem): VaultFolder[];
  /** What an id or a path names: none, one, or several that have the same path. */
  resolve(text: string): VaultItem[];
}

/** What every call takes. */
export interface CallOptions {
  signal?: AbortSignal;
  progress?(progress: Progress): void;
}

export interface ViewOptions extends CallOptions {
  /** `"none"`: nothing is derived; names that were opened before are there all the same. */
  names?: "all" | "none";
  /**
   * For an upload: that the connection may add files, and that the owner's public key is the connection's,
   * is looked at before anything else is asked for.
   */
  recipient?: boolean;
}

export interface ContentOptions extends CallOptions {
  /** Bytes of content above which it is refused. */
  maxBytes: number;
}

/** What became of a change that was made. */
export interface Changed {
  /** The server's record of it; absent where its answer was lost. */
  auditId?: string;
  /** `done_after_read_back`: the answer was lost, and the vault shows the change. */
  outcome: "done" | "done_after_read_back";
}

/** What became of one item that was to be trashed. */
export interface TrashResult {
  id: string;
  kind: "file" | "folder";
  ok: boolean;
  auditId?: string;
  /** Why it was not; absent where it was. */
  code?: string;
}

export interface UploadRequest extends CallOptions {
  name: string;
  /** Sent and kept as it is; absent: the server learns nothing of the kind. */
  contentType?: string;
  /** Bytes that the source gives, exactly. */
  size: number;
  /** Read as fast as it is sent. A ToolError in it is passed on; it is cancelled when nobody reads it. */
  source: ReadableStream<Uint8Array>;
}

/** A file that was uploaded, read back and found to be what was sent. */
export interface Uploaded extends Changed {
  id: string;
  path: string;
  bytes: number;
  /** Of the content, 64 lower-case hex digits. */
  sha256: string;
  /** What may still be uploaded, in bytes of ciphertext; absent without a limit. */
  budgetRemainingBytes?: number;
}

/** Ciphertext on its way to storage: no token goes with it. */
export interface StorageRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: ReadableStream<Uint8Array>;
  /** Bytes of the body, to be announced. */
  size: number;
  /** Told how many bytes have left. */
  sent(bytes: number): void;
  signal: AbortSignal;
}

/** Puts ciphertext into storage. What it throws is a broken connection, or the signal's reason. */
export type StoragePut = (request: StorageRequest) => Promise<{ status: number }>;

/** Calls back after so many milliseconds, unless the returned function is called before. */
export type Alarm = (milliseconds: number, ring: () => void) => () => void;
