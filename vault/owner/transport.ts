// How requests leave where no other way is given. Fetch does all but the upload of ciphertext: a browser
// tells of an upload's progress only through XMLHttpRequest, and cannot send a stream without holding it;
// Deno sends a stream with the length that storage asks for only when it looks like a blob.

import { StatedStream } from "../stated_stream.ts";
import { OwnerError } from "./error.ts";
import { piecesOf } from "./pieces.ts";
import type { OwnerTransport } from "./types.ts";

/** The transport of this place. */
export function defaultTransport(): OwnerTransport {
  const fetch = (request: Request) => globalThis.fetch(request);
  return "XMLHttpRequest" in globalThis
    ? { fetch, put: putFromBrowser }
    : { fetch, put: putStream };
}

/** The same stream, counted. */
function counted(
  body: ReadableStream<Uint8Array>,
  onSent: (bytes: number) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let sent = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>({
      transform(piece, controller) {
        sent += piece.length;
        controller.enqueue(piece as Uint8Array<ArrayBuffer>);
        onSent(sent);
      },
    }),
  );
}

/** Holds no more of the body than is on its way. */
const putStream: OwnerTransport["put"] = async (url, headers, body, size, onSent, signal) => {
  const stream = counted(body instanceof Blob ? body.stream() : body, onSent);
  const response = await globalThis.fetch(url, {
    method: "PUT",
    headers: { ...headers },
    body: new StatedStream(stream, size),
    credentials: "omit",
    redirect: "error",
    signal,
  });
  await response.body?.cancel();
  return { status: response.status };
};

/** A blob of a stream's bytes. A browser keeps what is large on disk, so pieces are handed over at once. */
async function spooled(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<Blob> {
  const pieces: Blob[] = [];
  for await (const piece of piecesOf(stream)) {
    signal?.throwIfAborted();
    pieces.push(new Blob([piece as Uint8Array<ArrayBuffer>]));
  }
  return new Blob(pieces);
}

const putFromBrowser: OwnerTransport["put"] = async (url, headers, body, size, onSent, signal) => {
  const blob = body instanceof Blob ? body : await spooled(body, signal);
  if (blob.size !== size) {
    throw new OwnerError("upload_failed", "the file changed while it was encrypted");
  }
  return await send(url, headers, blob, onSent, signal);
};

/** What is used here of XMLHttpRequest, which not every runtime has a type for. */
interface PutRequest {
  readonly status: number;
  readonly upload: { onprogress: ((event: { loaded: number }) => void) | null };
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  send(body: Blob): void;
  abort(): void;
}

function send(
  url: string,
  headers: Readonly<Record<string, string>>,
  blob: Blob,
  onSent: (bytes: number) => void,
  signal: AbortSignal | undefined,
): Promise<{ status: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number }>();
  const { XMLHttpRequest } = globalThis as unknown as { XMLHttpRequest: new () => PutRequest };
  const request = new XMLHttpRequest();
  const abort = () => request.abort();
  request.open("PUT", url);
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
  request.upload.onprogress = ({ loaded }) => onSent(loaded);
  request.onload = () => resolve({ status: request.status });
  request.onerror = () => reject(new TypeError("the connection broke"));
  request.onabort = () => reject(signal?.reason ?? new TypeError("the upload was stopped"));
  signal?.throwIfAborted();
  signal?.addEventListener("abort", abort);
  request.send(blob);
  return promise.finally(() => signal?.removeEventListener("abort", abort));
}
