// Writes an answer as fast as its reader takes it. One that breaks off is cut, so that nobody takes a part
// for the whole.

import { giveBack } from "../../../containment/rooms/bodies/give_back.ts";
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { ServiceAnswer } from "../service/message.ts";

/** Whether the client was sent all of the answer. */
export type Outcome = "sent" | "cut";

/** Statuses whose answers have no body, and no length either. */
const BODILESS = new Set([204, 304]);

/**
 * Sends an answer and waits until the system has taken all of it, or the client is gone.
 *
 * @param stallMs milliseconds after which a reader that takes nothing is cut off.
 */
export async function respond(
  response: ServerResponse,
  { status, headers, body }: Pick<ServiceAnswer, "status" | "headers"> & {
    body: ServiceAnswer["body"] | Uint8Array;
  },
  stallMs: number,
): Promise<Outcome> {
  if (body instanceof ReadableStream) {
    if (response.destroyed) await body.cancel();
    else {
      response.writeHead(status, headers);
      await pump(body, response, stallMs);
    }
  } else if (!response.destroyed) {
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    const length: OutgoingHttpHeaders = BODILESS.has(status)
      ? {}
      : { "content-length": bytes?.length ?? 0 };
    response.writeHead(status, { ...headers, ...length });
    response.end(bytes);
  }
  return await outcome(response, stallMs);
}

async function pump(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  response: ServerResponse,
  stallMs: number,
): Promise<void> {
  const reader = body.getReader();
  const gone = () => void reader.cancel().catch(() => {}); // it had failed already
  response.once("close", gone);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (response.destroyed) return;
      if (done) return void response.end();
      const takesMore = response.write(value, () => giveBack(value));
      if (!takesMore && !await settled(response, "drain", stallMs)) return;
    }
  } catch {
    // Whoever made the stream knows why. The client must see that this is not all.
    response.destroy();
  } finally {
    response.off("close", gone);
  }
}

async function outcome(response: ServerResponse, stallMs: number): Promise<Outcome> {
  const sent = response.writableFinished || await settled(response, "finish", stallMs);
  return sent ? "sent" : "cut";
}

/** Waits for an event; false when the connection is gone or had to be cut. */
function settled(
  response: ServerResponse,
  event: "drain" | "finish",
  stallMs: number,
): Promise<boolean> {
  if (response.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), stallMs);
    const end = (happened: boolean) => {
      clearTimeout(timer);
      response.off(event, yes);
      response.off("close", no);
      resolve(happened);
    };
    const yes = () => end(true);
    const no = () => end(false);
    response.on(event, yes);
    response.on("close", no);
  });
}
