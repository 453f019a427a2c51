// A file's ciphertext on its way out: it can be stopped whoever holds the stream, and remembers why its
// source failed, since a transport tells of that in words of its own.

import { ToolError } from "../../containment/error.ts";
import { CryptoError } from "@shieldfive/crypto/extra/kdf_pool.ts";

export class Outflow {
  /** What is to be sent. */
  readonly stream: ReadableStream<Uint8Array>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #failure: unknown;

  constructor(ciphertext: ReadableStream<Uint8Array>) {
    const reader = ciphertext.getReader();
    this.#reader = reader;
    this.stream = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          this.#failure = error;
          throw error;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    }, { highWaterMark: 0 });
  }

  /** Lets go of the source, which may be a file. */
  stop(reason: unknown): void {
    // Not awaited: a source that does not answer must not hold up the news. It may have failed itself.
    void this.#reader.cancel(reason).catch(() => {});
  }

  /** What the source failed with, as it is to be told; undefined while it did not. */
  get failure(): ToolError | undefined {
    const failure = this.#failure;
    if (failure === undefined || failure instanceof ToolError) return failure;
    if (failure instanceof CryptoError && failure.code === "plaintext_size_mismatch") {
      return new ToolError(
        "changed",
        "the file changed while it was read, so nothing was stored; try again when nobody writes to it",
        { cause: failure },
      );
    }
    return new ToolError(
      "io_error",
      "the file could not be read to its end, so nothing was stored; see whether it can be opened",
      { cause: failure },
    );
  }
}
