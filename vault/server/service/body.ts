// A request's body as JSON: bounded while it comes in, strict UTF-8, parsed once. What it says is for the
// validators in fields.ts.

import { piecesOf } from "./pieces.ts";
import type { Call } from "./router.ts";
import { badRequest, Refusal } from "./refusal.ts";

/** A body: its text, which tells one request from another, and its value. */
export interface JsonBody {
  text: string;
  value: unknown;
}

function tooLarge(most: number): Refusal {
  return new Refusal(413, "too_large", `the body must have at most ${most} bytes`);
}

async function bounded(stream: ReadableStream<Uint8Array>, most: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of piecesOf(stream)) {
    length += piece.length;
    if (length > most) throw tooLarge(most);
    pieces.push(piece);
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.length;
  }
  return bytes;
}

function parsed(bytes: Uint8Array): JsonBody {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text, value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) {
      throw badRequest("the body must be JSON in UTF-8");
    }
    throw error;
  }
}

/** @throws Refusal 413 `too_large` above the limit; 400 `bad_request` for what is no JSON. */
export async function jsonBody({ request, context }: Call): Promise<JsonBody> {
  const most = context.limits.jsonBytes;
  if (Number(request.headers["content-length"] ?? 0) > most) throw tooLarge(most);
  if (request.body === null) throw badRequest("the body must be JSON in UTF-8");
  return parsed(await bounded(request.body, most));
}
