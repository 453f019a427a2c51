// The body of a small request: read up to a size and for a time, and not at all when it says itself that
// it is larger.

import type { IncomingMessage } from "node:http";
import type { Alarm } from "../client/types.ts";

export interface BodyLimits {
  /** Bytes. */
  most: number;
  /** Milliseconds for all of it. */
  ms: number;
  alarm: Alarm;
}

/** The body as text; undefined when it is too large, comes too slowly, or does not come whole. */
export async function bodyOf(
  request: IncomingMessage,
  { most, ms, alarm }: BodyLimits,
): Promise<string | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > most) return undefined;
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  request.on("data", (piece: Uint8Array) => {
    size += piece.length;
    if (size > most) return resolve(undefined);
    text += decoder.decode(piece, { stream: true });
  });
  request.once("end", () => resolve(text + decoder.decode()));
  request.once("error", () => resolve(undefined));
  request.once("close", () => resolve(undefined));
  const stop = alarm(ms, () => resolve(undefined));
  try {
    return await promise;
  } finally {
    stop();
  }
}
