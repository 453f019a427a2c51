// Compares files of the same size: of large ones first the chunks at both ends, which tell most of them
// apart for little; what is still alike is read whole and hashed. Only equal hashes of whole contents make
// duplicates. Downloads go one after the other, so that a limit of the server is met once.

import { createHash } from "../../../../containment/node.ts";
import { ToolError } from "../../../../containment/error.ts";
import type { VaultFile, VaultView } from "../../../../vault/client/types.ts";
import type { VaultContext } from "../../context.ts";
import { type Bucket, bytesIn, type Unverified } from "./buckets.ts";

/** Bytes at an end that are compared: a chunk of the formats. */
const END = 4 * 1024 * 1024;
/** The format whose parts cannot be had without what lies before them. */
const WITHOUT_CHUNKS = 1;

/** Failures that end the call: what was found would not be worth more than what it cost. */
const FATAL = new Set(["grant_invalid", "grant_mismatch", "cancelled", "not_connected"]);
/** Failures after which no download would go better. */
const ENDING = new Set(["quota_exceeded", "rate_limited", "network_error"]);

/** What was found. */
export interface Found {
  groups: { sha256: string; files: VaultFile[] }[];
  unverified: Unverified[];
  hashedBytes: number;
  /** The code of what ended all downloads. */
  stopped?: string;
  /** Files that were left because of that. */
  notAttempted: number;
}

export class Search {
  readonly #context: VaultContext;
  readonly #view: VaultView;
  readonly #found: Found = { groups: [], unverified: [], hashedBytes: 0, notAttempted: 0 };
  /** Bytes that may still be downloaded. */
  #left: number;
  #done = 0;
  #total = 0;

  /** @param budget bytes that may be downloaded. */
  constructor(context: VaultContext, view: VaultView, budget: number) {
    this.#context = context;
    this.#view = view;
    this.#left = budget;
  }

  /** @throws ToolError `grant_invalid`, `cancelled`. */
  async run(buckets: readonly Bucket[]): Promise<Found> {
    this.#total = buckets.reduce((sum, bucket) => sum + bytesIn(bucket), 0);
    for (const bucket of buckets) {
      for (const alike of await this.#narrowed(bucket)) await this.#compare(alike);
    }
    return this.#found;
  }

  /** A bucket by what its ends say; the bucket as it is where reading them saves nothing. */
  async #narrowed(bucket: Bucket): Promise<Bucket[]> {
    const [{ size }] = bucket;
    if (size <= 2 * END) return [bucket];
    const groups: Bucket[] = [];
    for (const alike of await this.#byPart(bucket, 0, END)) {
      const inChunks = alike.every(({ cipherVersion }) => cipherVersion !== WITHOUT_CHUNKS);
      const last = Math.floor((size - 1) / END) * END;
      groups.push(...(inChunks ? await this.#byPart(alike, last, size - last) : [alike]));
    }
    return groups;
  }

  /** Those of the files that have a part in common, by that part. */
  async #byPart(files: Bucket, offset: number, length: number): Promise<Bucket[]> {
    const byHash = new Map<string, Bucket>();
    for (const file of this.#affordable(files, length)) {
      const hash = await this.#attempt(file, length, async () => {
        const { client, signal } = this.#context;
        const part = await client.contentRange(this.#view, file, offset, length, signal);
        return createHash("sha256").update(part).digest("hex");
      });
      if (hash !== undefined) put(byHash, hash, file);
    }
    const alike = [...byHash.values()].filter((bucket) => bucket.length > 1);
    const apart = files.length - alike.reduce((sum, bucket) => sum + bucket.length, 0);
    this.#advance(apart * files[0].size);
    return alike;
  }

  async #compare(files: Bucket): Promise<void> {
    const byHash = new Map<string, Bucket>();
    const [{ size }] = files;
    const taken = this.#affordable(files, size);
    for (const file of taken) {
      const hash = await this.#attempt(file, size, () => this.#hash(file));
      if (hash !== undefined) put(byHash, hash, file);
      this.#advance(size);
    }
    this.#advance((files.length - taken.length) * size);
    for (const [sha256, same] of byHash) {
      if (same.length > 1) this.#found.groups.push({ sha256, files: same });
    }
  }

  async #hash(file: VaultFile): Promise<string> {
    const { client, signal } = this.#context;
    const content = await client.content(this.#view, file, { maxBytes: file.size, signal });
    const hash = createHash("sha256");
    let bytes = 0;
    for await (const piece of content) {
      hash.update(piece);
      bytes += piece.length;
      this.#report(this.#done + bytes);
    }
    this.#found.hashedBytes += bytes;
    return hash.digest("hex");
  }

  /** As many of the files as can be downloaded; none where it would be one, with nothing to compare it to. */
  #affordable(files: Bucket, bytes: number): Bucket {
    if (this.#found.stopped !== undefined) return files;
    const most = Math.floor(this.#left / bytes);
    const taken = most < 2 ? 0 : Math.min(most, files.length);
    const dropped = files.slice(taken).map((file) => ({ file, reason: "over_budget" }));
    this.#found.unverified.push(...dropped);
    return files.slice(0, taken);
  }

  /**
   * What a download gives, or nothing: then it is noted why.
   *
   * @throws ToolError that ends the call.
   */
  async #attempt<T>(
    file: VaultFile,
    bytes: number,
    download: () => Promise<T>,
  ): Promise<T | undefined> {
    const found = this.#found;
    if (found.stopped !== undefined) {
      found.notAttempted++;
      return undefined;
    }
    this.#left -= bytes;
    try {
      return await download();
    } catch (error) {
      if (!(error instanceof ToolError) || FATAL.has(error.code)) throw error;
      if (ENDING.has(error.code)) found.stopped = error.code;
      found.unverified.push({ file, reason: error.code });
      return undefined;
    }
  }

  #advance(bytes: number): void {
    this.#done += bytes;
    this.#report(this.#done);
  }

  #report(done: number): void {
    this.#context.progress({ done, total: this.#total, unit: "bytes", label: "comparing" });
  }
}

function put(byHash: Map<string, Bucket>, hash: string, file: VaultFile): void {
  const bucket = byHash.get(hash);
  if (bucket === undefined) byHash.set(hash, [file]);
  else bucket.push(file);
}
