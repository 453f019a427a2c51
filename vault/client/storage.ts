// Ciphertext into storage: one request without any token, its length stated before the first byte, nothing
// held but what is on its way. Given up when storage takes nothing for a while.

import type { Send } from "./api.ts";
import { dismiss, meaningOf } from "./bodies.ts";
import { StatedStream } from "../stated_stream.ts";
import { IDLE_MS, orAborted, Watch } from "./timing.ts";
import type { Alarm, StoragePut, StorageRequest } from "./types.ts";

/** Milliseconds for the answer to what was sent whole: half a gigabyte may have to reach a slow disk. */
const ANSWER_MS = 120_000;

/** Puts ciphertext into storage by way of requests. */
export function storageThrough(send: Send, alarm: Alarm): StoragePut {
  return async ({ url, headers, body, size, sent, signal }) => {
    const watch = new Watch(alarm);
    const until = AbortSignal.any([signal, watch.signal]);
    const outgoing = new StatedStream(watched(body, sent, watch), size);
    watch.arm(IDLE_MS);
    try {
      const request = {
        method: "PUT",
        url,
        headers: { ...headers },
        body: outgoing,
        signal: until,
      };
      const response = await orAborted(send(request), until);
      await dismiss(response.body);
      return { status: response.status };
    } catch (error) {
      throw meaningOf(error, until);
    } finally {
      watch.disarm();
    }
  };
}

/** The same stream, counted. The watch runs while storage is to take something, not while it is made. */
function watched(
  body: ReadableStream<Uint8Array>,
  sent: StorageRequest["sent"],
  watch: Watch,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let taken = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      watch.disarm();
      const { done, value } = await reader.read();
      watch.arm(done ? ANSWER_MS : IDLE_MS);
      if (done) return controller.close();
      taken += value.length;
      controller.enqueue(value);
      sent(taken);
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}
