// The owner's vault, unlocked: the one object that a page works with. All keys live in it and go with
// `lock`. Every method fails with an OwnerError, or with a signal's reason; after `lock` all of them do.

import { CryptoError } from "@shieldfive/crypto/extra/kdf_pool.ts";
import {
  type Account,
  changePassphrase,
  createAccount,
  recoverAccount,
  renewRecoveryKey,
  unlockAccount,
} from "./account.ts";
import { Activity } from "./activity.ts";
import { purge, restore, toBin } from "./bin.ts";
import { completeFiles } from "./complete.ts";
import { Contents } from "./contents.ts";
import { downloadRow } from "./download.ts";
import { entrance, type OwnerVaultOptions } from "./entrance.ts";
import { OwnerError } from "./error.ts";
import { exportAll, type ExportOptions } from "./export.ts";
import { extendGrant, renewNames } from "./extend.ts";
import { createGrant, listGrants } from "./grants.ts";
import { createFolder, move, rename } from "./organise.ts";
import { statsOf } from "./records.ts";
import { refresh } from "./refresh.ts";
import type { Workplace } from "./sealing.ts";
import type {
  ActivityEntry,
  BulkResult,
  Download,
  DownloadOptions,
  ExportedFile,
  File,
  Folder,
  Grant,
  GrantExtension,
  GrantRequest,
  Item,
  RefreshProgress,
  Stats,
  Tree,
  UploadRequest,
} from "./types.ts";
import { upload } from "./upload.ts";

/** What fails in the cryptography is no other kind of error for a page. */
function named(error: unknown): unknown {
  if (!(error instanceof CryptoError)) return error;
  return new OwnerError(error.code, error.message, { cause: error });
}

export class OwnerVault {
  readonly #account: Account;
  readonly #place: Workplace;
  readonly #activity: Activity;
  #locked = false;

  private constructor(account: Account) {
    const { api, keyring } = account;
    this.#account = account;
    this.#place = { api, keyring, contents: new Contents(keyring, account) };
    this.#activity = new Activity(this.#place);
  }

  /**
   * Makes the vault of a new server. The recovery key is to be shown once; nobody keeps it.
   *
   * @throws OwnerError `setup_token_invalid`, `already_initialized`, `invalid_argument`
   */
  static async create(
    options: OwnerVaultOptions & { setupToken: string; passphrase: string },
  ): Promise<{ vault: OwnerVault; recoveryKey: string }> {
    const { account, recoveryKey } = await createAccount(entrance(options), options);
    return { vault: new OwnerVault(account), recoveryKey };
  }

  /** @throws OwnerError `login_failed`, `rate_limited`, `key_mismatch`, `decrypt_failed` */
  static async unlock(
    options: OwnerVaultOptions & { passphrase: string },
  ): Promise<OwnerVault> {
    return new OwnerVault(await unlockAccount(entrance(options), options));
  }

  /**
   * With the recovery key; sets a new passphrase. The recovery key stays what it is.
   *
   * @throws OwnerError `invalid_recovery_key` for a mistyped one, and as {@link unlock}
   */
  static async recover(
    options: OwnerVaultOptions & { recoveryKey: string; newPassphrase: string },
  ): Promise<OwnerVault> {
    return new OwnerVault(await recoverAccount(entrance(options), options));
  }

  get ownerId(): string {
    return this.#account.ownerId;
  }

  /** When the session ends at the latest: RFC 3339. */
  get expiresAt(): string {
    return this.#account.expiresAt;
  }

  /** The tree of the last refresh with this vault's own changes since; another object after each. */
  get tree(): Tree {
    return this.#place.contents.tree;
  }

  /** Signs out and wipes the keys. What is under way fails with `locked`. Never throws. */
  async lock(): Promise<void> {
    if (this.#locked) return;
    this.#locked = true;
    const { api, keyring } = this.#account;
    await api.call("POST", "/logout", {}).catch(() => {
      // The session ends by itself, and the keys go either way.
    });
    api.close();
    keyring.wipe();
  }

  /** Does something with the keys, unless they are gone. */
  async #unlocked<T>(body: () => Promise<T>): Promise<T> {
    try {
      if (!this.#locked) return await body();
    } catch (error) {
      if (!this.#locked) throw named(error);
    }
    throw new OwnerError("locked", "the vault is locked");
  }

  /** Ends all other sessions. @throws OwnerError `login_failed`, `rate_limited` */
  changePassphrase(secrets: { current: string; next: string }): Promise<void> {
    return this.#unlocked(() => changePassphrase(this.#account, secrets));
  }

  /**
   * A new recovery key; the one before opens nothing any more.
   *
   * @throws OwnerError `login_failed`, `rate_limited`
   */
  renewRecoveryKey(secret: { passphrase: string }): Promise<string> {
    return this.#unlocked(() => renewRecoveryKey(this.#account, secret));
  }

  /**
   * Loads the vault: all rows, the folders' keys, the names. What was opened before is not opened again.
   *
   * @param onProgress shown the tree while its names are being opened.
   */
  refresh(
    onProgress?: (progress: RefreshProgress) => void,
    signal?: AbortSignal,
  ): Promise<Tree> {
    return this.#unlocked(() => refresh(this.#place, onProgress, signal));
  }

  /** Has the names in a folder opened before others, by a refresh that is under way too; null is the top. */
  showFirst(folderId: string | null): void {
    this.#place.contents.shownFolderId = folderId;
  }

  /**
   * Writes the keys that connections read files by, where a file came without (`File.incomplete`).
   *
   * @returns how many files were completed.
   */
  completeFiles(signal?: AbortSignal): Promise<number> {
    return this.#unlocked(() => completeFiles(this.#place, signal));
  }

  stats(): Promise<Stats> {
    return this.#unlocked(async () => statsOf(await this.#place.api.call("GET", "/stats")));
  }

  createFolder(parentId: string | null, name: string): Promise<Folder> {
    return this.#unlocked(() => createFolder(this.#place, parentId, name));
  }

  /**
   * @throws OwnerError `invalid_name`, `fixed_item`, `conflict`; `grant_not_updated` when it was renamed
   * and a connection could not be given the new name.
   */
  rename(item: Item, name: string): Promise<Item> {
    return this.#unlocked(async () => {
      const renamed = await rename(this.#place, item, name);
      await renewNames(this.#place, [item.id], "renamed");
      return renamed;
    });
  }

  /**
   * Moves items into a folder, or to the top. From the Bin too.
   *
   * @throws OwnerError `invalid_destination`, `not_found` for the folder; `grant_not_updated`
   */
  move(items: readonly Item[], folderId: string | null): Promise<BulkResult> {
    return this.#unlocked(async () => {
      const result = await move(this.#place, items, folderId);
      await renewNames(this.#place, result.done.map(({ id }) => id), "moved");
      return result;
    });
  }

  toBin(items: readonly Item[]): Promise<BulkResult> {
    return this.#unlocked(() => toBin(this.#place, items));
  }

  /**
   * Back to where each came from, or to the top when that is gone.
   *
   * @throws OwnerError `grant_not_updated`
   */
  restore(items: readonly Item[]): Promise<BulkResult> {
    return this.#unlocked(async () => {
      const result = await restore(this.#place, items);
      await renewNames(this.#place, result.done.map(({ id }) => id), "moved");
      return result;
    });
  }

  /** For ever. Only what lies in the Bin; a folder with everything in it. */
  purge(items: readonly Item[]): Promise<BulkResult> {
    return this.#unlocked(() => purge(this.#place, items));
  }

  /**
   * Encrypts and stores a file.
   *
   * @throws OwnerError `invalid_name`, `empty_file`, `too_large`, `invalid_destination`,
   * `key_unavailable`; `upload_failed`; `verify_failed` when the server stored something else.
   */
  upload(folderId: string | null, request: UploadRequest): Promise<File> {
    return this.#unlocked(() => upload(this.#place, folderId, request));
  }

  /** @throws OwnerError `not_found`, `key_unavailable`; for the rest see `Download.content` */
  download(fileId: string, options?: DownloadOptions): Promise<Download> {
    return this.#unlocked(async () => {
      const { contents } = this.#place;
      const row = contents.file(fileId);
      const file = contents.tree.files.get(fileId)!;
      return { file, content: await downloadRow(this.#place, row, options) };
    });
  }

  /** All connections, also those that ended. */
  grants(): Promise<Grant[]> {
    return this.#unlocked(async () => (await listGrants(this.#place)).map(({ grant }) => grant));
  }

  /**
   * Makes a connection. The string is shown once; nobody keeps it.
   *
   * @throws OwnerError `invalid_argument`, `not_found`, `too_many_grants`; `key_excluded` and others when
   * the server showed something that must not be sealed.
   */
  createGrant(request: GrantRequest): Promise<{ grant: Grant; connectionString: string }> {
    return this.#unlocked(() => createGrant(this.#place, request));
  }

  /** @throws OwnerError `grant_altered` when its scope is not what was agreed to; `key_excluded` */
  extendGrant(id: string, extension: GrantExtension): Promise<Grant> {
    return this.#unlocked(() => extendGrant(this.#place, id, extension));
  }

  revokeGrant(id: string): Promise<void> {
    return this.#unlocked(async () => {
      await this.#place.api.call("POST", `/grants/${id}/revoke`, {});
    });
  }

  /** What was done to the vault, the newest first; `next` is the next page's `after`. */
  activity(after?: string): Promise<{ entries: ActivityEntry[]; next: string | null }> {
    return this.#unlocked(() => this.#activity.page(after));
  }

  /**
   * Undoes one change that {@link activity} showed; refresh before, so that it is known, and afterwards.
   *
   * @throws OwnerError `conflict` when it was changed since, and others that say why it cannot be undone
   */
  undo(entryId: string): Promise<void> {
    return this.#unlocked(() => this.#activity.undo(entryId));
  }

  /**
   * Every file outside the Bin, one after the other. Each is to be read, or left, before the next.
   *
   * @param options.onFailure told of files that cannot be opened at all; a content that turns out to be
   * damaged fails its stream.
   */
  exportAll(options?: ExportOptions): AsyncIterable<ExportedFile> {
    const download = ({ id }: File, signal?: AbortSignal) =>
      this.#unlocked(() => downloadRow(this.#place, this.#place.contents.file(id), { signal }));
    return exportAll(this.#place.contents, download, options);
  }
}
