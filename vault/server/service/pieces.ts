// The bytes of a request as they come.

import { Refusal } from "./refusal.ts";

/**
 * The pieces of a body.
 *
 * @throws Refusal 400 `broken_off` when the sender goes away: no fault of the server's.
 */
export async function* piecesOf(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error) => {
        throw new Refusal(400, "broken_off", "the body broke off", { cause: error });
      });
      if (done) return;
      yield value;
    }
  } finally {
    // Who stops in the middle leaves the rest to be dismissed.
    reader.releaseLock();
  }
}
