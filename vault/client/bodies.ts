// Answers' bodies, held to a size: whoever sends more than was to be expected must not fill the memory.

import { ToolError } from "../../containment/error.ts";
import { badAnswer, connectionBroke } from "./refusals.ts";
import { orAborted, reasonOf } from "./timing.ts";

/**
 * The bytes of an answer.
 *
 * @throws ToolError `bad_answer` above so many bytes, `network_error`; what the signal was aborted with.
 */
export async function boundedBytes(
  response: Response,
  most: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const announced = Number(response.headers.get("content-length") ?? 0);
  if (announced > most) {
    await dismiss(response.body);
    throw badAnswer("it is too long");
  }
  return await collected(response.body, most, signal);
}

async function collected(
  body: ReadableStream<Uint8Array> | null,
  most: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const bytes = new GrowingBytes(most);
  if (body === null) return bytes.all;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await orAborted(reader.read(), signal);
      if (done) return bytes.all;
      if (!bytes.add(value)) throw badAnswer("it is too long");
    }
  } catch (error) {
    // Not awaited: who sends nothing may not hear of this either.
    void reader.cancel(error).catch(() => {});
    throw meaningOf(error, signal);
  }
}

/** Bytes in one piece of memory: a list of pieces could cost many times what is in them. */
class GrowingBytes {
  readonly #most: number;
  #bytes = new Uint8Array(16 * 1024);
  #length = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get all(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** @returns whether there was room. */
  add(piece: Uint8Array): boolean {
    const length = this.#length + piece.length;
    if (length > this.#most) return false;
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.min(this.#most, Math.max(length, 2 * this.#bytes.length)));
      larger.set(this.all);
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.#length);
    this.#length = length;
    return true;
  }
}

/** What a request or a read that failed is called. */
export function meaningOf(error: unknown, signal: AbortSignal): ToolError {
  if (signal.aborted) return reasonOf(signal);
  return error instanceof ToolError ? error : connectionBroke(error);
}

/** Tells the sender of a body that nobody reads it. */
export async function dismiss(body: ReadableStream<Uint8Array> | null): Promise<void> {
  try {
    await body?.cancel();
  } catch {
    // It broke off before; there is nothing left to stop.
  }
}

/** @throws ToolError `bad_answer` for what is no JSON in UTF-8; an empty text is an empty object. */
export function parsedJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return {};
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw badAnswer("it is no JSON", cause);
  }
}
