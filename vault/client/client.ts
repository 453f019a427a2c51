// A connection's way into a vault: what an assistant's tools work with. All keys live behind it. Every
// failure is a ToolError with a code of the vault spec; a change whose answer was lost is looked for in
// the vault before anything is said of it.

import { ToolError } from "../../containment/error.ts";
import { zeroize } from "@shieldfive/crypto";
import { CryptoError, type DerivationBackend } from "@shieldfive/crypto/extra/kdf_pool.ts";
import {
  deriveGrantWrapKey,
  grantBearerToken,
  type GrantCredential,
} from "@shieldfive/crypto/vault";
import { Api, sender } from "./api.ts";
import { createFolder, move, rename } from "./changes.ts";
import { contentOf } from "./content.ts";
import { fetchGrant } from "./grant.ts";
import { load, type Loaded } from "./load.ts";
import { Names } from "./names.ts";
import { checkedOrigin } from "./origin.ts";
import { Parts } from "./range.ts";
import { notFound } from "./refusals.ts";
import type { UploadPlace } from "./send.ts";
import { storageThrough } from "./storage.ts";
import { systemAlarm } from "./timing.ts";
import { trash } from "./trash.ts";
import type {
  Alarm,
  CallOptions,
  Changed,
  ContentOptions,
  GrantInfo,
  StoragePut,
  TrashResult,
  Uploaded,
  UploadRequest,
  VaultFile,
  VaultFolder,
  VaultItem,
  VaultView,
  ViewOptions,
} from "./types.ts";
import { upload } from "./upload.ts";

export interface ClientOptions {
  /** Where the vault's server is: https, or http on this machine. */
  origin: string;
  /** From `parseConnectionString`; copied. */
  credential: GrantCredential;
  /** Derives the keys of names. */
  kdf: DerivationBackend;
  /** A line for the log; it never has a name, an id, a token or an address in it. */
  log(line: string): void;
  fetch?: typeof fetch;
  /** How ciphertext gets into storage; absent: with `fetch`. */
  storage?: StoragePut;
  /** Milliseconds since 1970. */
  now?(): number;
  alarm?: Alarm;
}

function copyOf(credential: GrantCredential): GrantCredential {
  const { token, secret } = credential;
  return { ...credential, token: token.slice(), secret: secret.slice() };
}

function placeOf(options: ClientOptions): UploadPlace {
  const { origin, kdf, log, now = Date.now, alarm = systemAlarm } = options;
  const credential = copyOf(options.credential);
  const send = sender(options.fetch);
  const token = grantBearerToken(credential);
  return {
    api: new Api({ origin: checkedOrigin(origin), token, send, alarm }),
    credential,
    names: new Names(kdf, log),
    storage: options.storage ?? storageThrough(send, alarm),
    grantWrapKey: deriveGrantWrapKey(credential.secret, credential.grantId),
    now,
    log,
  };
}

export class VaultClient {
  readonly #place: UploadPlace;
  readonly #parts = new Parts();
  /** What lies behind each view that was given out. */
  readonly #loaded = new WeakMap<VaultView, Loaded>();
  #closed = false;

  /** @throws ToolError `invalid_origin` */
  constructor(options: ClientOptions) {
    this.#place = placeOf(options);
  }

  /**
   * Asks whether the connection is good, and what it may do.
   *
   * @throws ToolError `grant_invalid`, `grant_mismatch`, and as every call: `network_error`,
   * `rate_limited`, `bad_answer`, `cancelled`.
   */
  grant(signal?: AbortSignal): Promise<GrantInfo> {
    return this.#open(async ({ api, credential }) => {
      return (await fetchGrant(api, credential.grantId, signal)).info;
    });
  }

  /**
   * Loads everything within reach: rows, keys, names. Names that were opened before are not opened again.
   *
   * @throws ToolError as {@link grant}; `too_large` for a listing without an end; with `recipient`
   * `missing_scope`, `no_recipient_key`, `key_mismatch`.
   */
  view(options: ViewOptions = {}): Promise<VaultView> {
    return this.#open(async (place) => {
      const loaded = await load(place, options);
      this.#loaded.set(loaded.view, loaded);
      return loaded.view;
    });
  }

  /**
   * The content of a file, which is checked at its very end: until the stream has ended, what came is
   * not to be believed to be whole.
   *
   * @throws ToolError, at once or in the stream: `pending_owner_unlock`, `unsupported`, `too_large`,
   * `row_mismatch`, `decrypt_failed`, `not_found`, `quota_exceeded`.
   */
  content(
    view: VaultView,
    file: VaultFile,
    options: ContentOptions,
  ): Promise<ReadableStream<Uint8Array>> {
    return this.#open(({ api }) => {
      const { keys, rows } = this.#behind(view);
      return contentOf({ api, keys }, rowIn(rows.files, file), options);
    });
  }

  /**
   * A part of a file's content, by the chunks that it lies in alone: each is authentic, that the rest of
   * the file is there is not proven. Shorter where the content ends before.
   *
   * @throws ToolError as {@link content}; `invalid_argument` for more than 64 MiB.
   */
  contentRange(
    view: VaultView,
    file: VaultFile,
    offset: number,
    length: number,
    signal?: AbortSignal,
  ): Promise<Uint8Array> {
    return this.#open(({ api }) => {
      const { keys, rows } = this.#behind(view);
      const row = rowIn(rows.files, file);
      return this.#parts.read({ api, keys }, row, { offset, length, signal });
    });
  }

  /** @throws ToolError as `checkRename`; `conflict`, `outcome_unknown` */
  rename(
    view: VaultView,
    item: VaultItem,
    name: string,
    options: CallOptions = {},
  ): Promise<Changed> {
    return this.#open((place) => {
      const loaded = this.#behind(view);
      return rename(place, loaded, itemIn(view, item), name, options);
    });
  }

  /** @throws ToolError as `checkMove`; `conflict`, `outcome_unknown` */
  move(
    view: VaultView,
    item: VaultItem,
    destination: VaultFolder,
    options: CallOptions = {},
  ): Promise<Changed> {
    return this.#open((place) => {
      const loaded = this.#behind(view);
      const what = { item: itemIn(view, item), destination: folderIn(view, destination) };
      return move(place, loaded, what, options);
    });
  }

  /** @throws ToolError as `checkCreateFolder`; `outcome_unknown` */
  createFolder(
    view: VaultView,
    parent: VaultFolder,
    name: string,
    options: CallOptions = {},
  ): Promise<Changed & { id: string }> {
    return this.#open((place) => {
      const what = { parent: folderIn(view, parent), name };
      return createFolder(place, this.#behind(view), what, options);
    });
  }

  /**
   * Moves items into the connection's trash, each for itself.
   *
   * @throws ToolError as `checkTrash`; `outcome_unknown`
   */
  trash(
    view: VaultView,
    items: readonly VaultItem[],
    options: CallOptions = {},
  ): Promise<TrashResult[]> {
    return this.#open((place) => {
      const known = items.map((item) => itemIn(view, item));
      return trash(place, this.#behind(view), known, options);
    });
  }

  /**
   * Encrypts and uploads a file as it is read, downloads it again and compares. Takes the memory of a few
   * chunks, however large it is. The source is read, or let go, whatever happens.
   *
   * @throws ToolError as `checkUpload`; the source's own; `upload_failed`, `finalize_failed`,
   * `verify_failed` where it is in the vault and must not be relied on, `outcome_unknown`.
   */
  async upload(
    view: VaultView,
    destination: VaultFolder,
    request: UploadRequest,
  ): Promise<Uploaded> {
    try {
      return await this.#open((place) => {
        return upload(place, this.#behind(view), folderIn(view, destination), request);
      });
    } catch (error) {
      // Not awaited: a source that does not answer must not hold up the news. Locked, it was taken before.
      if (!request.source.locked) void request.source.cancel(error).catch(() => {});
      throw error;
    }
  }

  /**
   * Forgets the connection's secret, and names, for when it is replaced. What is under way comes to its
   * end; nothing else begins.
   */
  close(): void {
    this.#closed = true;
    this.#place.names.close();
    zeroize(this.#place.credential.secret);
    zeroize(this.#place.credential.token);
  }

  /** Does something over the connection; what fails in the cryptography is no other kind of error. */
  async #open<T>(body: (place: UploadPlace) => Promise<T>): Promise<T> {
    if (this.#closed) {
      throw new ToolError(
        "not_connected",
        "the connection was ended or replaced meanwhile; call vault_connect",
      );
    }
    try {
      return await body(this.#place);
    } catch (error) {
      if (error instanceof CryptoError) throw cryptoFailed(error);
      throw error;
    }
  }

  #behind(view: VaultView): Loaded {
    const loaded = this.#loaded.get(view);
    if (loaded === undefined) throw new TypeError("the view is not this client's");
    return loaded;
  }
}

/** A failure of a derivation: no key, name or text is in the message of one. */
function cryptoFailed(cause: CryptoError): ToolError {
  return new ToolError(
    "crypto_failed",
    `${cause.message} (${cause.code}); nothing was changed. Try again`,
    { cause },
  );
}

function rowIn<R>(rows: ReadonlyMap<string, R>, { id }: VaultItem): R {
  const row = rows.get(id);
  if (row === undefined) throw notFound();
  return row;
}

/** The item as this very view has it. */
function itemIn(view: VaultView, { id }: VaultItem): VaultItem {
  const item = view.item(id);
  if (item === undefined) throw notFound();
  return item;
}

function folderIn(view: VaultView, { id }: VaultFolder): VaultFolder {
  const folder = view.folders.get(id);
  if (folder === undefined) throw notFound();
  return folder;
}
