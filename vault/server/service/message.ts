// What the service is asked and what it answers, free of HTTP and of workers, so that a test calls it
// directly and the room calls it over a port.

/** A request as it came in; nothing of it is trusted. */
export interface ServiceRequest {
  /** Upper-case. */
  method: string;
  /** Without query. */
  path: string;
  /** Without the question mark; empty when there is none. */
  query: string;
  /** Lower-case names; only those that the service knows. */
  headers: Readonly<Record<string, string>>;
  /** Null when the request has none. */
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
}

/** The answer to a {@link ServiceRequest}. */
export interface ServiceAnswer {
  status: number;
  headers: Record<string, string>;
  /** JSON text, or ciphertext as a stream of pieces of at most 256 KiB. */
  body: string | ReadableStream<Uint8Array<ArrayBuffer>> | null;
  /** The pattern of the route, such as `/api/agent/v1/files/:id/download`: all that a log may say. */
  route: string;
}

/** The request headers that the service looks at; a front passes on no other. */
export const KNOWN_HEADERS = [
  "authorization",
  "content-length",
  "content-type",
  "idempotency-key",
  "range",
] as const;
