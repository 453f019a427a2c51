// Argon2id off the page's thread. In a browser it is WebAssembly, which holds the thread that it runs in:
// a page that derived by itself would stand still for a second at the passphrase and for as long as the
// names take. The page says how its worker is started, whose script is kdf_worker.ts.

import {
  argon2id,
  type Argon2Request,
  type DerivationBackend,
} from "@shieldfive/crypto/extra/kdf_pool.ts";
import { OwnerError } from "./error.ts";
import type { KdfAnswer, KdfQuestion } from "./kdf_worker.ts";

/** Who derives keys. */
export type KdfBackend = DerivationBackend;

/** More at a time are not faster: derivations contend for the memory that they all go through. */
const MAX_CONCURRENCY = 4;

function cores(): number {
  return Math.max(1, Math.min(navigator.hardwareConcurrency, MAX_CONCURRENCY));
}

/** Derivations in this thread: natively where that can be had, which holds nobody up. */
export function kdfOfThisThread(): KdfBackend {
  return { concurrency: cores(), derive: argon2id };
}

interface Waiter {
  resolve(key: Uint8Array): void;
  reject(error: unknown): void;
}

/** One worker and who waits for it. */
class Crew {
  readonly waiting = new Map<number, Waiter>();
  readonly worker: Worker;
  lost = false;

  constructor(worker: Worker) {
    this.worker = worker;
    worker.onmessage = ({ data }: MessageEvent<KdfAnswer>) => {
      const waiter = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if ("key" in data) waiter?.resolve(data.key);
      else waiter?.reject(new OwnerError(data.code, data.message));
    };
    worker.onmessageerror = () => this.stop();
    worker.onerror = (event) => {
      event.preventDefault();
      this.stop();
    };
  }

  /** Ends the worker; whoever waits for it waits no longer. */
  stop(): void {
    this.lost = true;
    this.worker.terminate();
    const error = new OwnerError("derivation_failed", "the worker that derives keys was lost");
    for (const waiter of this.waiting.values()) waiter.reject(error);
    this.waiting.clear();
  }
}

/** Workers that derive keys; one that is lost is replaced by the next derivation. */
export class KdfWorkers implements KdfBackend {
  readonly concurrency: number;
  readonly #start: () => Worker;
  #crews: Crew[] = [];
  #lastId = 0;

  /**
   * @param start starts a worker that runs kdf_worker.ts.
   * @param concurrency absent: as many as there are cores, at most four. Each takes 64 MiB, and the one
   * that does the passphrase 256.
   */
  constructor(start: () => Worker, concurrency: number = cores()) {
    this.#start = start;
    this.concurrency = concurrency;
  }

  /** @throws OwnerError `derivation_failed` where the worker was lost or there is not enough memory. */
  derive({ password, salt, ...costs }: Argon2Request): Promise<Uint8Array> {
    const crew = this.#idlest();
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    crew.waiting.set(id, { resolve, reject });
    const question: KdfQuestion = { id, password: password.slice(), salt: salt.slice(), ...costs };
    crew.worker.postMessage(question, [question.password.buffer as ArrayBuffer]);
    return promise;
  }

  /** Ends the workers; derivations that run fail. */
  close(): void {
    for (const crew of this.#crews) crew.stop();
    this.#crews = [];
  }

  /** The living worker with the least to do; a new one when all are busy and more are allowed. */
  #idlest(): Crew {
    this.#crews = this.#crews.filter(({ lost }) => !lost);
    const idle = this.#crews.find(({ waiting }) => waiting.size === 0);
    if (idle !== undefined) return idle;
    if (this.#crews.length < this.concurrency) {
      const crew = new Crew(this.#start());
      this.#crews.push(crew);
      return crew;
    }
    return this.#crews.reduce((best, crew) => crew.waiting.size < best.waiting.size ? crew : best);
  }
}
