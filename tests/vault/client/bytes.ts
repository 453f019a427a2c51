// Small things that the client's tests have in common: bytes, texts, streams and refusals.

import { bytesToHex } from "@shieldfive/crypto";

export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** All bytes of a stream. */
export async function drained(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return await new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).bytes();
}

export async function textOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  return new TextDecoder().decode(await drained(stream));
}

/** Bytes in which each place can be told from the others. */
export function patterned(length: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, i) => (i * 31 + (i >> 8) * 7) & 255);
}

export async function sha256(bytes: Uint8Array): Promise<string> {
  const copy = new Uint8Array(bytes);
  return bytesToHex(new Uint8Array(await crypto.subtle.digest("SHA-256", copy)));
}

/** The code that a call is refused with; fails when it is not refused with one. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if ((error as Error).name === "ToolError") return (error as { code: string }).code;
    throw error;
  }
  throw new Error("it was not refused");
}
