// What a program on this computer asks for when it opens the page (vault spec, 9). Anybody can write such a
// link, so every part is read again here: of the address to answer to the page takes a port alone, and
// puts it behind 127.0.0.1 itself.

import { type ClientHint, knownHint } from "../connections/clients.ts";

/** A program that waits on this computer for a connection. */
export interface HandoffRequest {
  /** What the program knows its own request by: 43 characters of base64url. */
  readonly state: string;
  readonly port: number;
  readonly client: ClientHint;
  /** The name that the program proposes for the connection; null when it has none that can be used. */
  readonly label: string | null;
  /** When the program stops waiting: milliseconds since 1970. */
  readonly deadline: number;
}

/** A link to the hand-off, read: a request, or why it is none. */
export type Handoff =
  | { readonly request: HandoffRequest }
  | { readonly fault: string };

/** No program waits longer (vault spec, 9). */
const LONGEST_WAIT_MS = 10 * 60 * 1000;
const LABEL_MIN = 2;
const LABEL_MAX = 48;

/** The one value of a parameter; null when it is absent or there several times. */
function single(parameters: URLSearchParams, name: string): string | null {
  const values = parameters.getAll(name);
  return values.length === 1 ? values[0] : null;
}

function readPort(text: string | null): number | undefined {
  if (text === null || !/^[1-9][0-9]{3,4}$/.test(text)) return undefined;
  const port = Number(text);
  return port >= 1024 && port <= 65535 ? port : undefined;
}

/** A proposed name as printable ASCII with single blanks, 2 to 48 characters; null when none is left. */
function readLabel(text: string | null): string | null {
  if (text === null) return null;
  const printable = text.replace(/[^\x20-\x7e]+/g, " ").replace(/ +/g, " ").trim();
  const label = printable.slice(0, LABEL_MAX).trim();
  return label.length >= LABEL_MIN ? label : null;
}

/**
 * The hand-off in an address; undefined when the address is none.
 *
 * @param search the address's query, with or without its question mark.
 * @param now milliseconds since 1970.
 */
export function readHandoff(search: string, now: number): Handoff | undefined {
  const parameters = new URLSearchParams(search);
  if (!parameters.has("connect")) return undefined;
  const state = single(parameters, "connect");
  if (state === null || !/^[A-Za-z0-9_-]{43}$/.test(state)) {
    return { fault: "It does not say which request it belongs to." };
  }
  const port = readPort(single(parameters, "port"));
  if (port === undefined) {
    return { fault: "It does not name a port from 1024 to 65535 for the answer." };
  }
  const exp = single(parameters, "exp");
  if (exp === null || !/^[0-9]{1,12}$/.test(exp)) {
    return { fault: "It does not say how long the program waits." };
  }
  return {
    request: {
      state,
      port,
      client: knownHint(single(parameters, "client")),
      label: readLabel(single(parameters, "label")),
      deadline: Math.min(Number(exp) * 1000, now + LONGEST_WAIT_MS),
    },
  };
}
