// All keys of an unlocked vault: the root key, the pair that files are sealed for, and the folders' keys as
// far as they were opened. They never leave this object but as arguments of a cipher, and go with `wipe`.

import { zeroize } from "@shieldfive/crypto";
import { KeyDerivationPool } from "@shieldfive/crypto/extra/kdf_pool.ts";
import { pooledNameKeys } from "@shieldfive/crypto/extra/pooled_name_keys.ts";
import { deriveMlKemKeypair, type MlKemKeypair } from "@shieldfive/crypto/pq-hybrid-v1";
import { keyFingerprint, publicKeyFingerprint } from "@shieldfive/crypto/vault";
import { OwnerError } from "./error.ts";
import type { KdfBackend } from "./kdf_workers.ts";

/** Derives the keys of names through the pool. */
export type NameKeys = ReturnType<typeof pooledNameKeys>;

export class Keyring {
  readonly rootKey: Uint8Array;
  readonly pair: MlKemKeypair;
  readonly pool: KeyDerivationPool;
  readonly kdf: KdfBackend;
  #folders = new Map<string, Uint8Array>();
  /**
   * Also those of folders that are gone: a change that is under way may still seal something with one, and
   * a wiped key is the one that everybody knows.
   */
  readonly #all: Uint8Array[] = [];
  /** What each folder's key was when it was first seen: a folder keeps its key for good. */
  readonly #fingerprints = new Map<string, string>();

  private constructor(rootKey: Uint8Array, pair: MlKemKeypair, kdf: KdfBackend) {
    this.rootKey = rootKey;
    this.pair = pair;
    this.kdf = kdf;
    this.pool = new KeyDerivationPool({ backend: kdf });
  }

  /** The keyring of a root key, which it owns from then on. */
  static async of(rootKey: Uint8Array, kdf: KdfBackend): Promise<Keyring> {
    return new Keyring(rootKey, await deriveMlKemKeypair(rootKey), kdf);
  }

  /** By what a connection knows the vault's public key. */
  get publicKeyFingerprint(): string {
    return publicKeyFingerprint(this.pair.publicKey);
  }

  /** Whether the key of a folder is held; that of the top always is. */
  holds(folderId: string | null): boolean {
    return folderId === null || this.#folders.has(folderId);
  }

  /**
   * The key that seals what lies in a folder; the root key for null.
   *
   * @throws OwnerError `key_unavailable`
   */
  keyOf(folderId: string | null): Uint8Array {
    const key = folderId === null ? this.rootKey : this.#folders.get(folderId);
    if (key === undefined) {
      throw new OwnerError("key_unavailable", "the folder's key does not open");
    }
    return key;
  }

  /** Takes the key of a folder that was just made. */
  add(folderId: string, key: Uint8Array): void {
    this.#folders.set(folderId, this.#keep(key));
    this.#fingerprints.set(folderId, keyFingerprint(key));
  }

  /**
   * Takes the folder keys of a listing in the place of those that there were. Wraps are bound to no row,
   * so a server could show one folder's key for another's: a key that a folder did not have before in
   * this session, or that two folders would have, is not taken.
   */
  replace(keys: Map<string, Uint8Array>): void {
    const owners = new Map<string, string[]>();
    for (const [id, key] of keys) {
      const fingerprint = keyFingerprint(key);
      owners.set(fingerprint, [...owners.get(fingerprint) ?? [], id]);
    }
    const taken = new Map<string, Uint8Array>();
    for (const [fingerprint, ids] of owners) {
      const [id] = ids;
      const known = this.#fingerprints.get(id) ?? fingerprint;
      if (ids.length > 1 || known !== fingerprint) continue;
      this.#fingerprints.set(id, fingerprint);
      taken.set(id, this.#folders.get(id) ?? this.#keep(keys.get(id)!));
    }
    this.#folders = taken;
    const held = new Set(taken.values());
    for (const key of keys.values()) {
      if (!held.has(key)) zeroize(key);
    }
  }

  #keep(key: Uint8Array): Uint8Array {
    this.#all.push(key);
    return key;
  }

  /** Derives name keys for as long as the signal lasts. */
  nameKeys(signal?: AbortSignal): NameKeys {
    return pooledNameKeys(this.pool, signal);
  }

  wipe(): void {
    this.pool.close();
    for (const key of [this.rootKey, this.pair.secretKey, ...this.#all]) zeroize(key);
    this.#all.length = 0;
    this.#folders.clear();
    this.#fingerprints.clear();
  }
}
