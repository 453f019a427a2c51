// A socket that says exactly what a test wants said, and reads what comes back without any leniency of
// its own: for requests that no HTTP client would send. Nothing here waits for ever.

import { errnoOf } from "../../../../containment/mod.ts";

/** One answer, or what there was of it when the server closed. */
export interface RawAnswer {
  status: number;
  /** Lower-case names; the values of a name that came twice are joined by a comma. */
  headers: ReadonlyMap<string, string>;
  body: Uint8Array;
}

/** Milliseconds after which a test that waits for the server fails. */
const PATIENCE = 20_000;
const END_OF_HEAD = new TextEncoder().encode("\r\n\r\n");

function indexOf(bytes: Uint8Array, wanted: Uint8Array): number {
  outer: for (let at = 0; at + wanted.length <= bytes.length; at++) {
    for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) continue outer;
    return at;
  }
  return -1;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** Settles as the work does, or with "late" once so much time has passed. */
async function within<T>(work: Promise<T>, ms: number): Promise<T | "late"> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A connection to the server, to be closed by `using`. */
export class RawConnection implements Disposable {
  readonly #connection: Deno.TcpConn;
  #received: Uint8Array<ArrayBuffer> = new Uint8Array();
  #ended = false;
  #disposed = false;
  /** A read that has not come back; there must not be two at a time. */
  #reading: Promise<Uint8Array | null> | undefined;

  private constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
  }

  static async open(origin: string): Promise<RawConnection> {
    const { hostname, port } = new URL(origin);
    return new RawConnection(await Deno.connect({ hostname, port: Number(port) }));
  }

  /** Sends the bytes; a server that has closed already makes this false. */
  async send(what: string | Uint8Array): Promise<boolean> {
    const bytes = typeof what === "string" ? new TextEncoder().encode(what) : what;
    try {
      for (let rest = bytes; rest.length > 0;) {
        rest = rest.subarray(await this.#connection.write(rest));
      }
      return true;
    } catch (error) {
      if (this.#disposed || isGone(error)) return false;
      throw error;
    }
  }

  /** The next answer; undefined when the server closed before one was whole. */
  async answer(patience = PATIENCE): Promise<RawAnswer | undefined> {
    const head = await this.#head(patience);
    if (head === undefined) return undefined;
    const [first, ...lines] = head.split("\r\n");
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1]);
    const headers = new Map<string, string>();
    for (const line of lines) {
      const colon = line.indexOf(":");
      const name = line.slice(0, colon).toLowerCase();
      const value = line.slice(colon + 1).trim();
      headers.set(name, headers.has(name) ? `${headers.get(name)},${value}` : value);
    }
    // What is on the way to the real answer, such as 100 Continue.
    if (status >= 100 && status < 200) return await this.answer(patience);
    const body = await this.#body(status, headers, patience);
    return body === undefined ? undefined : { status, headers, body };
  }

  /** Whether the server closes its side within so many milliseconds; what it says before is dropped. */
  async closes(ms: number): Promise<boolean> {
    const deadline = Date.now() + ms;
    for (;;) {
      this.#received = new Uint8Array();
      const more = await this.#more(deadline - Date.now());
      if (more === "late") return false;
      if (!more) return true;
    }
  }

  /** Says that nothing more will be sent, and still reads. */
  async closeWriting(): Promise<void> {
    await this.#connection.closeWrite();
  }

  [Symbol.dispose](): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#connection.close();
  }

  async #head(patience: number): Promise<string | undefined> {
    for (;;) {
      const end = indexOf(this.#received, END_OF_HEAD);
      if (end >= 0) return new TextDecoder().decode(this.#take(end + END_OF_HEAD.length)).trimEnd();
      if (!await this.#needed(patience)) return undefined;
    }
  }

  async #body(
    status: number,
    headers: ReadonlyMap<string, string>,
    patience: number,
  ): Promise<Uint8Array | undefined> {
    if (status === 204 || status === 304) return new Uint8Array();
    if (headers.get("transfer-encoding") === "chunked") return await this.#chunks(patience);
    const stated = headers.get("content-length");
    if (stated !== undefined) return await this.#exactly(Number(stated), patience);
    while (await this.#needed(patience));
    return this.#take(this.#received.length);
  }

  async #chunks(patience: number): Promise<Uint8Array | undefined> {
    let body: Uint8Array<ArrayBuffer> = new Uint8Array();
    for (;;) {
      const line = await this.#line(patience);
      if (line === undefined) return undefined;
      const length = parseInt(line, 16);
      const chunk = await this.#exactly(length + 2, patience);
      if (chunk === undefined) return undefined;
      if (length === 0) return body;
      body = joined(body, chunk.subarray(0, -2));
    }
  }

  async #line(patience: number): Promise<string | undefined> {
    for (;;) {
      const end = indexOf(this.#received, END_OF_HEAD.subarray(0, 2));
      if (end >= 0) return new TextDecoder().decode(this.#take(end + 2)).trimEnd();
      if (!await this.#needed(patience)) return undefined;
    }
  }

  async #exactly(length: number, patience: number): Promise<Uint8Array | undefined> {
    while (this.#received.length < length) {
      if (!await this.#needed(patience)) return undefined;
    }
    return this.#take(length);
  }

  #take(length: number): Uint8Array<ArrayBuffer> {
    const taken = this.#received.slice(0, length);
    this.#received = this.#received.slice(length);
    return taken;
  }

  async #needed(patience: number): Promise<boolean> {
    const more = await this.#more(patience);
    if (more === "late") throw new Error("the server neither answered nor closed");
    return more;
  }

  /** Waits for more bytes; false at the end. */
  async #more(ms: number): Promise<boolean | "late"> {
    if (this.#ended) return false;
    this.#reading ??= this.#read();
    const got = await within(this.#reading, Math.max(0, ms));
    if (got === "late") return "late";
    this.#reading = undefined;
    if (got === null) {
      this.#ended = true;
      return false;
    }
    this.#received = joined(this.#received, got);
    return true;
  }

  async #read(): Promise<Uint8Array | null> {
    const piece = new Uint8Array(65_536);
    try {
      const count = await this.#connection.read(piece);
      return count === null ? null : piece.subarray(0, count);
    } catch (error) {
      if (this.#disposed || isGone(error)) return null;
      throw error;
    }
  }
}

const GONE = new Set(["ECONNRESET", "ECONNABORTED", "EPIPE"]);

/** Whether a failure says that the other side has closed. */
function isGone(error: unknown): boolean {
  return GONE.has(errnoOf(error) ?? "");
}

/** The text of a request; a Host header for the origin comes first unless `host` is null. */
export function requestText(
  origin: string,
  line: string,
  headers: readonly string[] = [],
  options: { host?: string | null; body?: string } = {},
): string {
  const { host = new URL(origin).host, body = "" } = options;
  const lines = [line, ...host === null ? [] : [`Host: ${host}`], ...headers];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

/** Sends one request on a connection of its own and gives the answer, if there was one. */
export async function rawAnswer(
  origin: string,
  request: string | Uint8Array,
): Promise<RawAnswer | undefined> {
  using connection = await RawConnection.open(origin);
  await connection.send(request);
  return await connection.answer();
}
