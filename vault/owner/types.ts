// What the owner's library takes and gives: the owner's view of the vault, with names in the clear. None
// of it holds a key, so a page may keep and show all of it.

/** How far something has come; `total` is 0 as long as it is not known. */
export interface Progress {
  phase: "rows" | "names" | "encrypting" | "sending" | "checking" | "receiving";
  done: number;
  total: number;
}

/** Progress of a refresh. The tree is there from the phase `names` on, with what is open so far. */
export interface RefreshProgress extends Progress {
  tree?: Tree;
}

/** What items of both kinds have. */
interface ItemFields {
  id: string;
  /** Exactly as it was given; null when it does not open (yet: see `pending`). Show it filtered. */
  name: string | null;
  /** The name was not tried yet; only in a tree that a refresh hands out on its way. */
  pending: boolean;
  /** Whether its key opens, so that its content (of a folder: what lies in it) can be read. */
  readable: boolean;
  /** Lies somewhere in the Bin. The Bin itself does not. */
  inBin: boolean;
  /** Where it lay before it was put into the Bin; null for the top, undefined where not known. */
  originId?: string | null;
  /** RFC 3339, UTC. */
  createdAt: string;
  updatedAt: string;
  version: number;
}

export interface Folder extends ItemFields {
  kind: "folder";
  parentId: string | null;
  /** What the folder is to the vault: `connection-bin` is where one connection's trash goes. */
  role: "normal" | "bin" | "media" | "connection-bin";
}

export interface File extends ItemFields {
  kind: "file";
  folderId: string | null;
  /** As the uploader said; null when nothing was said. Show it filtered. */
  contentType: string | null;
  /** Bytes of the content. */
  size: number;
  /** Bytes that the server stores. */
  ciphertextSize: number | null;
  cipherVersion: number;
  /** Connections cannot read it before a refresh has completed its keys (files from a phone or CLI). */
  incomplete: boolean;
}

export type Item = Folder | File;

/** The vault as it was at the last refresh, and since changed by this client alone. */
export interface Tree {
  readonly folders: ReadonlyMap<string, Folder>;
  readonly files: ReadonlyMap<string, File>;
  readonly binId: string;
  readonly mediaId: string | null;
  /** What lies directly in a folder, or at the top for null: folders first, each by name. */
  children(folderId: string | null): Item[];
  /** `/Folder/name`, with `[name unavailable]` where a name does not open. */
  path(item: Item): string;
  /** The folders above an item, the topmost first. */
  ancestors(item: Item): Folder[];
}

export type Scope = "read" | "organize" | "write";

/** One of the owner's connections to an assistant. */
export interface Grant {
  id: string;
  /** Null when it does not open. */
  label: string | null;
  clientHint: string;
  scopes: Scope[];
  /** The whole vault, rather than `rootIds`. */
  scopeAll: boolean;
  includeMedia: boolean;
  rootIds: string[];
  trashFolderId: string | null;
  state: "live" | "expired" | "revoked";
  createdAt: string;
  expiresAt: string;
  revokedAt: string | null;
  lastUsedAt: string | null;
  /** Null: no limit. */
  writeBudgetBytes: number | null;
  writeUsedBytes: number;
  writeReservedBytes: number;
}

/** What may be asked of a new connection. */
export interface GrantRequest {
  label: string;
  /** `claude-desktop`, `claude-code`, `cursor`, `chatgpt`, `local` or `other`. */
  clientHint: string;
  /** `read` is always among them. */
  scopes: Scope[];
  folderIds: string[] | "all";
  /** With `"all"` only. */
  includeMedia?: boolean;
  /** 1 hour to 90 days. */
  expiresInMs: number;
  /** Ciphertext bytes that may be uploaded; null or absent: no limit. With `write` only. */
  writeBudgetBytes?: number | null;
}

export interface GrantExtension {
  /** From now on. */
  expiresInMs?: number;
  writeBudgetBytes?: number | null;
  /** For a connection to the whole vault: gives it the top-level folders made since. */
  addFolders?: boolean;
}

/** One record of what was done to the vault; ids only, since the server knows no names. */
export interface ActivityEntry {
  id: string;
  /** Null: the owner. */
  grantId: string | null;
  action: string;
  objectKind: "file" | "folder" | null;
  objectId: string | null;
  result: "ok" | "refused";
  code: string | null;
  at: string;
  undoable: boolean;
  undoneAt: string | null;
}

/** What the vault holds, by the server's count; sizes are of the content unless they say otherwise. */
export interface Stats {
  files: number;
  bytes: number;
  bin: { files: number; bytes: number };
  /** What the server stores. */
  objects: { count: number; bytes: number };
  /** Bytes that left the server today and this month (UTC). */
  egress: { day: number; month: number };
}

/** What became of one of several items; the others were done. */
export interface ItemFailure {
  item: Item;
  code: string;
}

/** What became of a change to several items. */
export interface BulkResult {
  done: Item[];
  failed: ItemFailure[];
}

export interface UploadRequest {
  name: string;
  /** Bytes; more or fewer fail the upload. */
  size: number;
  /** Sent and stored as it is: leave it out to keep it from the server. */
  type?: string;
  content: Blob | (() => ReadableStream<Uint8Array>);
  /** Downloads the file again afterwards and compares it with what was sent. */
  verify?: boolean;
  onProgress?(progress: Progress): void;
  signal?: AbortSignal;
}

export interface DownloadOptions {
  onProgress?(progress: Progress): void;
  signal?: AbortSignal;
}

export interface Download {
  file: File;
  /**
   * Fails when the content turns out to be cut or changed, which may be at its very end: what was
   * written before is to be thrown away then.
   */
  content: ReadableStream<Uint8Array>;
}

/** One file of an export. */
export interface ExportedFile {
  /** Relative, with `/`; safe for any file system, and no two are equal whatever their case. */
  path: string;
  size: number;
  modifiedAt: string;
  content: ReadableStream<Uint8Array>;
}

/** A file that an export had to leave out. */
export interface ExportFailure {
  path: string;
  code: string;
}

/** How requests leave; a page needs none of its own. */
export interface OwnerTransport {
  fetch(request: Request): Promise<Response>;
  /**
   * Puts ciphertext into storage.
   *
   * @param size bytes, for the length that is announced.
   * @param onSent told how many bytes have left so far.
   */
  put(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: ReadableStream<Uint8Array> | Blob,
    size: number,
    onSent: (bytes: number) => void,
    signal?: AbortSignal,
  ): Promise<{ status: number }>;
}
