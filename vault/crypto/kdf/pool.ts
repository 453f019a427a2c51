// Keys by the dozen: a listing has hundreds of names, each with a derivation of its own that takes 64 MiB
// or more. A pool does as many at a time as there are cores for, never holds more memory than its limit
// however many were asked for, does equal derivations once, in the order of asking, and remembers results,
// and what its caller found to be futile.

import { bytesToHex, concatBytes, putUint32, utf8, zeroize } from "../bytes.ts";
import { CryptoError } from "../errors.ts";
import { sha256 } from "../primitives/hash.ts";
import { LastUsed } from "./last_used.ts";
import {
  ARGON2_LENGTH,
  ARGON2_LEVELS,
  type Argon2Level,
  type Argon2Request,
  requireRequest,
} from "./parameters.ts";

/** Who carries derivations out. */
export interface DerivationBackend {
  /** How many derivations at a time are done faster than one after the other. */
  readonly concurrency: number;
  /** Copies the request's bytes before it returns. */
  derive(request: Argon2Request): Promise<Uint8Array>;
}

export interface PoolOptions {
  backend: DerivationBackend;
  /** Bytes that all derivations at a time may take; 256 MiB unless said, the least that does `moderate`. */
  memoryLimit?: number;
  /** Results that are kept; the ones that were not asked for longest are wiped first. */
  keptResults?: number;
  /** Failures that are remembered. */
  keptFailures?: number;
}

/** One derivation of 32 bytes. */
export interface KeyRequest {
  password: Uint8Array;
  salt: Uint8Array;
  level: Argon2Level;
  /**
   * What the key is for, as the caller knows it: of an envelope that no key opened (see `remember`) no key
   * is derived again. It is kept as a digest.
   */
  purpose?: string;
}

/** One who waits for a result. */
interface Waiter {
  resolve(key: Uint8Array): void;
  reject(error: unknown): void;
}

/** A derivation that was asked for, by one or by many. */
interface Job {
  password: Uint8Array;
  salt: Uint8Array;
  level: Argon2Level;
  waiters: Set<Waiter>;
}

const KIBIBYTE = 1024;

/** Derives keys of names and the like; see the top of this file for what it promises. */
export class KeyDerivationPool {
  readonly #backend: DerivationBackend;
  readonly #memoryLimit: number;
  readonly #results: LastUsed<Uint8Array>;
  readonly #failures: LastUsed<true>;
  /** By the digest of what is derived; a Map keeps the order of asking. */
  readonly #waiting = new Map<string, Job>();
  readonly #running = new Map<string, Job>();
  #memory = 0;
  #closed = false;

  constructor(
    {
      backend,
      memoryLimit = 256 * KIBIBYTE * KIBIBYTE,
      keptResults = 32_768,
      keptFailures = 32_768,
    }: PoolOptions,
  ) {
    this.#backend = backend;
    this.#memoryLimit = memoryLimit;
    this.#results = new LastUsed(keptResults, zeroize);
    this.#failures = new LastUsed(keptFailures);
  }

  /**
   * The key, which is the caller's own copy. The request's bytes may be wiped as soon as this returns.
   *
   * @param signal releases the caller at once. A derivation that has begun is finished all the same, and
   * its result kept; one that nobody waits for any more does not begin.
   * @throws the signal's reason; what the backend throws; CryptoError `known_failure`,
   * `memory_limit_exceeded` for a level that the pool may never do, `invalid_input`, `pool_closed`.
   */
  async derive(request: KeyRequest, signal?: AbortSignal): Promise<Uint8Array> {
    signal?.throwIfAborted();
    if (this.#closed) throw closed();
    if (request.purpose !== undefined && this.knows(request.purpose)) {
      throw new CryptoError("known_failure", "an earlier attempt with the same values was futile");
    }
    this.#requirePossible(request);
    const id = idOf(request);
    const kept = this.#results.get(id);
    if (kept !== undefined) return kept.slice();
    return await this.#wait(id, request, signal);
  }

  /** Notes that no key opened what is called so, until as many others were noted as are kept. */
  remember(purpose: string): void {
    this.#failures.set(digestOf(utf8(purpose)), true);
  }

  /** Whether that was noted. */
  knows(purpose: string): boolean {
    return this.#failures.get(digestOf(utf8(purpose))) !== undefined;
  }

  /** Whether anything is being derived or waits to be. */
  get idle(): boolean {
    return this.#running.size + this.#waiting.size === 0;
  }

  /** Wipes all results and lets nobody wait any longer; what is being derived is wiped when it comes. */
  close(): void {
    this.#closed = true;
    for (const job of [...this.#waiting.values(), ...this.#running.values()]) {
      for (const waiter of job.waiters) waiter.reject(closed());
      job.waiters.clear();
    }
    for (const job of this.#waiting.values()) zeroize(job.password);
    this.#waiting.clear();
    this.#results.clear();
    this.#failures.clear();
  }

  #requirePossible({ level, ...bytes }: KeyRequest): void {
    if (!Object.hasOwn(ARGON2_LEVELS, level)) {
      throw new CryptoError("invalid_input", "there is no such level of cost");
    }
    requireRequest({ ...bytes, ...ARGON2_LEVELS[level] });
    if (memoryOf(level) > this.#memoryLimit) {
      throw new CryptoError(
        "memory_limit_exceeded",
        `the level ${level} takes ${
          memoryOf(level)
        } bytes, more than the ${this.#memoryLimit} that ` +
          "may be used for it",
      );
    }
  }

  #wait(id: string, request: KeyRequest, signal?: AbortSignal): Promise<Uint8Array> {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    const waiter: Waiter = { resolve, reject };
    const job = this.#running.get(id) ?? this.#waiting.get(id) ?? this.#ask(id, request);
    job.waiters.add(waiter);
    const giveUp = () => {
      job.waiters.delete(waiter);
      if (job.waiters.size === 0 && this.#waiting.get(id) === job) {
        this.#waiting.delete(id);
        zeroize(job.password);
        this.#begin(); // what it stood before may fit
      }
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", giveUp);
    this.#begin();
    return promise.finally(() => signal?.removeEventListener("abort", giveUp));
  }

  #ask(id: string, { password, salt, level }: KeyRequest): Job {
    const job = {
      password: password.slice(),
      salt: salt.slice(),
      level,
      waiters: new Set<Waiter>(),
    };
    this.#waiting.set(id, job);
    return job;
  }

  /**
   * Begins what there is room for. Nothing overtakes: a large derivation would wait for ever behind small
   * ones that keep coming.
   */
  #begin(): void {
    for (const [id, job] of this.#waiting) {
      const memory = memoryOf(job.level);
      if (this.#running.size >= Math.max(1, this.#backend.concurrency)) return;
      if (this.#memory + memory > this.#memoryLimit) return;
      this.#waiting.delete(id);
      this.#running.set(id, job);
      this.#memory += memory;
      this.#run(id, job, memory);
    }
  }

  async #run(id: string, job: Job, memory: number): Promise<void> {
    try {
      const { password, salt, level } = job;
      const key = await this.#backend.derive({ password, salt, ...ARGON2_LEVELS[level] });
      for (const waiter of job.waiters) waiter.resolve(key.slice());
      if (this.#closed) zeroize(key);
      else this.#results.set(id, key);
    } catch (error) {
      for (const waiter of job.waiters) waiter.reject(error);
    } finally {
      zeroize(job.password);
      this.#running.delete(id);
      this.#memory -= memory;
      this.#begin();
    }
  }
}

function memoryOf(level: Argon2Level): number {
  return ARGON2_LEVELS[level].memoryKiB * KIBIBYTE;
}

function closed(): CryptoError {
  return new CryptoError("pool_closed", "the pool of key derivations was closed");
}

/** What is derived, as a digest, so that no password is kept for comparison. */
function idOf({ password, salt, level }: KeyRequest): string {
  const lengths = new Uint8Array(8);
  putUint32(lengths, 0, password.length);
  putUint32(lengths, 4, salt.length);
  const message = concatBytes([lengths, password, salt, utf8(`${level} ${ARGON2_LENGTH}`)]);
  const id = digestOf(message);
  zeroize(message);
  return id;
}

function digestOf(bytes: Uint8Array): string {
  return bytesToHex(sha256(bytes));
}
