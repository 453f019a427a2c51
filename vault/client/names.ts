// Names as the server keeps them, opened and sealed. Opening one costs 64 MiB and a good part of a tenth of
// a second, so what was opened, or did not open, is remembered for as long as the row stays as it is; equal
// derivations are done once, and only so many at a time (crypto spec, 12, 16 and 21).

import { CryptoError, KeyDerivationPool } from "@shieldfive/crypto/extra/kdf_pool.ts";
import type { DerivationBackend } from "@shieldfive/crypto/extra/kdf_pool.ts";
import { pooledNameKeys } from "@shieldfive/crypto/extra/pooled_name_keys.ts";
import { decryptPooledName } from "@shieldfive/crypto/extra/pooled_names.ts";
import { nameFitsRow } from "@shieldfive/crypto/extra/row_binding.ts";
import {
  decryptNameWithKey,
  encryptNameV6,
  keyFingerprint,
  type NameEnvelope,
  parseNameEnvelope,
} from "@shieldfive/crypto/vault";
import { inTurn } from "../owner/in_turn.ts";
import { throwIfCancelled } from "./timing.ts";
import type { CallOptions } from "./types.ts";

/** A name to be opened, and the key that should open it. */
export interface SealedName {
  rowId: string;
  /** The envelope's text. */
  raw: string;
  /** Of the folder that it stands in, or of this name alone. */
  by: { folderKey: Uint8Array } | { nameKey: Uint8Array };
}

/** A name that was tried: null does not open. */
interface Tried {
  raw: string;
  /** Of the folder's key. */
  fingerprint: string;
  name: string | null;
}

/** Names that were tried, by the id of their row. */
export interface OpenedNames {
  names: Map<string, string | null>;
  /** How many could not be tried. */
  untried: number;
}

/** The envelope in a row; undefined for what is none, or what the row must not carry. */
export function envelopeOf(raw: string, rowId: string): NameEnvelope | undefined {
  const envelope = parseNameEnvelope(raw);
  return envelope !== null && nameFitsRow(envelope, rowId) ? envelope : undefined;
}

/** Failures of a name itself; everything else is a failure of whoever derives. */
const DOES_NOT_OPEN = new Set(["name_decrypt_failed", "unsupported_envelope", "invalid_input"]);

/** The name, or null where it does not open. */
async function nameOrNull(opening: Promise<string>): Promise<string | null> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof CryptoError && DOES_NOT_OPEN.has(error.code)) return null;
    throw error;
  }
}

export class Names {
  readonly #pool: KeyDerivationPool;
  readonly #kdf: DerivationBackend;
  readonly #log: (line: string) => void;
  readonly #tried = new Map<string, Tried>();
  /** Key fingerprints, since a folder's names are all tried with the same one. */
  readonly #fingerprints = new WeakMap<Uint8Array, string>();

  constructor(kdf: DerivationBackend, log: (line: string) => void) {
    this.#kdf = kdf;
    this.#pool = new KeyDerivationPool({ backend: kdf });
    this.#log = log;
  }

  /**
   * Opens names. What cannot be derived at the moment is left out, and tried again the next time.
   *
   * @param options.derive false: takes only what costs nothing.
   * @throws ToolError `cancelled`
   */
  async open(
    sealed: readonly SealedName[],
    options: CallOptions & { derive: boolean },
  ): Promise<OpenedNames> {
    const { derive, progress, signal } = options;
    const names = new Map<string, string | null>();
    const costly: SealedName[] = [];
    for (const name of sealed) {
      const known = await this.#withoutDerivation(name);
      if (known === undefined) costly.push(name);
      else names.set(name.rowId, known);
    }
    if (!derive) return { names, untried: costly.length };
    let done = 0;
    const report = () =>
      progress?.({ done, total: costly.length, unit: "files", label: "opening names" });
    if (costly.length > 0) report();
    const failures: unknown[] = [];
    // Twice as many as run, so that the pool never stands still.
    await inTurn(costly, 2 * Math.max(1, this.#kdf.concurrency), async (name) => {
      try {
        names.set(name.rowId, await this.#derived(name, signal));
      } catch (error) {
        throwIfCancelled(signal);
        failures.push(error);
      }
      done++;
      report();
    });
    if (failures.length > 0) this.#logFailures(failures);
    return { names, untried: failures.length };
  }

  /** Opens one name; undefined where it cannot be tried. @throws ToolError `cancelled` */
  async openOne(name: SealedName, signal?: AbortSignal): Promise<string | null | undefined> {
    const { names } = await this.open([name], { derive: true, signal });
    return names.get(name.rowId);
  }

  /**
   * Seals a name for a row.
   *
   * @returns the envelope's text.
   * @throws ToolError `cancelled`; what hinders the derivation.
   */
  async seal(
    name: string,
    { rowId, folderKey, signal }: { rowId: string; folderKey: Uint8Array; signal?: AbortSignal },
  ): Promise<string> {
    try {
      const deriver = pooledNameKeys(this.#pool, signal);
      return JSON.stringify(await encryptNameV6({ name, folderKey, rowId }, deriver));
    } catch (error) {
      throwIfCancelled(signal);
      throw error;
    }
  }

  /** Forgets the names of rows that are no more, so that a long life takes no more memory than a listing. */
  keepOnly(ids: { has(id: string): boolean }): void {
    for (const id of this.#tried.keys()) {
      if (!ids.has(id)) this.#tried.delete(id);
    }
  }

  close(): void {
    this.#pool.close();
    this.#tried.clear();
  }

  /** What is known of a name, or costs nothing to find out; undefined for what has to be derived. */
  async #withoutDerivation({ rowId, raw, by }: SealedName): Promise<string | null | undefined> {
    const envelope = envelopeOf(raw, rowId);
    if (envelope === undefined) return null;
    if ("nameKey" in by) {
      return await nameOrNull(decryptNameWithKey({ envelope, nameKey: by.nameKey, rowId }));
    }
    const tried = this.#tried.get(rowId);
    const same = tried?.raw === raw && tried.fingerprint === this.#fingerprintOf(by.folderKey);
    return same ? tried.name : undefined;
  }

  async #derived({ rowId, raw, by }: SealedName, signal?: AbortSignal): Promise<string | null> {
    const envelope = envelopeOf(raw, rowId);
    if (envelope === undefined || "nameKey" in by) return null;
    const { folderKey } = by;
    const name = await nameOrNull(
      decryptPooledName(this.#pool, { envelope, folderKey, rowId }, signal),
    );
    this.#tried.set(rowId, { raw, fingerprint: this.#fingerprintOf(folderKey), name });
    return name;
  }

  #fingerprintOf(key: Uint8Array): string {
    let fingerprint = this.#fingerprints.get(key);
    if (fingerprint === undefined) {
      fingerprint = keyFingerprint(key);
      this.#fingerprints.set(key, fingerprint);
    }
    return fingerprint;
  }

  #logFailures(failures: readonly unknown[]): void {
    const [first] = failures;
    const { code, name } = first as { code?: unknown; name?: unknown };
    this.#log(`${failures.length} names could not be opened: deriving failed (${code ?? name})`);
  }
}
