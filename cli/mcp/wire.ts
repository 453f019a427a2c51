// The connection to the client: lines of JSON-RPC over standard input and output. It answers what
// the SDK's own stdio transport would drop (see incoming.ts), never lets two messages mix, never
// sends a line that clients refuse for its size, and reports its end instead of acting on it, so
// that answers which are already made are written in full before the process goes.

import {
  INTERNAL_ERROR,
  INVALID_REQUEST,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/server";
import { type Incoming, Opening, readIncoming } from "./incoming.ts";
import { LineSplitter, MAX_LINE } from "./lines.ts";
import type { Write } from "./stdout.ts";

/** No outgoing line reaches this many bytes (decisions 5). */
export const MAX_OUTGOING = 8 * 1024 * 1024;

/** Bytes waiting to be written at which nothing more is read until the client has caught up. */
const MAX_WAITING = 64 * 1024 * 1024;

const READ_SIZE = 64 * 1024;
/** Bytes written at a time, so that it can be seen whether the reader still takes any. */
const WRITE_SIZE = 64 * 1024;

/** Bytes read, or null at the end of the input. */
export type Read = (into: Uint8Array) => Promise<number | null>;

export interface WireOptions {
  read: Read;
  write: Write;
  /** A line for the log. */
  log(line: string): void;
}

/** Why a connection is over: the client closed its end, or nobody reads ours. */
export type End = "input" | "output";

export class StdioWire implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Settles when no more can come in or go out. */
  readonly ended: Promise<End>;
  /** Settles when the first message is written. */
  readonly answered: Promise<void>;

  readonly #options: WireOptions;
  readonly #ended = Promise.withResolvers<End>();
  readonly #answered = Promise.withResolvers<void>();
  readonly #opening = new Opening();
  #written: Promise<void> = Promise.resolve();
  #waiting = 0;
  #broken = false;

  constructor(options: WireOptions) {
    this.#options = options;
    this.ended = this.#ended.promise;
    this.answered = this.#answered.promise;
  }

  start(): Promise<void> {
    this.#readAll().catch((error) => this.onerror?.(error)).finally(() =>
      this.#ended.resolve("input")
    );
    return Promise.resolve();
  }

  /** Puts a message in line for writing. Settles at once: a slow reader holds up nothing else. */
  send(message: JSONRPCMessage | ErrorAnswer): Promise<void> {
    const bytes = this.#encode(message);
    if (bytes !== undefined) {
      this.#waiting += bytes.length;
      this.#written = this.#written.then(() => this.#writeAll(bytes));
    }
    return Promise.resolve();
  }

  /**
   * Settles when everything that was sent so far is written, or when the reader took nothing for so
   * many milliseconds.
   */
  async drain(patience: number): Promise<void> {
    const done = this.#written.then(() => true);
    for (let before = -1; before !== this.#waiting;) {
      before = this.#waiting;
      if (await Promise.race([done, pause(patience)])) return;
    }
  }

  close(): Promise<void> {
    this.onclose?.();
    return Promise.resolve();
  }

  async #readAll(): Promise<void> {
    const lines = new LineSplitter({
      line: (bytes) => this.#receive(readIncoming(bytes)),
      tooLong: () =>
        this.#refuse(
          null,
          INVALID_REQUEST,
          `Invalid request: a line is longer than ${MAX_LINE} bytes`,
        ),
    });
    const chunk = new Uint8Array(READ_SIZE);
    for (let read; (read = await this.#options.read(chunk)) !== null;) {
      lines.push(chunk.subarray(0, read));
      if (this.#waiting > MAX_WAITING) await this.#written;
    }
    lines.end();
  }

  #receive(incoming: Incoming): void {
    const admitted = incoming.kind === "message" ? this.#opening.admit(incoming.message) : incoming;
    switch (admitted.kind) {
      case "message":
        return this.onmessage?.(admitted.message);
      case "refused":
        return this.#refuse(admitted.id, admitted.code, admitted.message);
      case "ignored":
        return this.#options.log(admitted.reason);
    }
  }

  #refuse(id: string | number | null, code: number, message: string): void {
    this.send({ jsonrpc: "2.0", id, error: { code, message } });
  }

  /** The last guard on the size of a line; results are fitted long before (see fit.ts). */
  #encode(message: JSONRPCMessage | ErrorAnswer): Uint8Array | undefined {
    const bytes = new TextEncoder().encode(JSON.stringify(message) + "\n");
    if (bytes.length < MAX_OUTGOING) return bytes;
    this.#options.log(`a message of ${bytes.length} bytes is too large to send`);
    if (!("id" in message) || "method" in message) return undefined;
    return this.#encode({
      jsonrpc: "2.0",
      id: message.id ?? null,
      error: { code: INTERNAL_ERROR, message: "the answer was too large to send" },
    });
  }

  async #writeAll(bytes: Uint8Array): Promise<void> {
    try {
      for (let done = 0; done < bytes.length && !this.#broken;) {
        const written = await this.#options.write(bytes.subarray(done, done + WRITE_SIZE));
        this.#waiting -= written;
        done += written;
      }
      this.#answered.resolve();
    } catch (error) {
      // Nobody reads any more: there is no one to tell, and it is no fault of the program.
      if (!(error instanceof Deno.errors.BrokenPipe)) this.onerror?.(error as Error);
      this.#broken = true;
      this.#ended.resolve("output");
    }
  }
}

function pause(milliseconds: number): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), milliseconds));
}

/** An error whose request had no readable id; JSON-RPC answers those with the id null. */
interface ErrorAnswer {
  jsonrpc: "2.0";
  id: string | number | null;
  error: { code: number; message: string };
}
