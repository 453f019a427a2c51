// The address that a browser is sent to for a connection: ShieldFive's page, with what the program asks for
// (vault spec, 9). The page takes only a port from it and answers to this machine; nothing in the address
// is a secret of the vault.

import { checkedOrigin } from "../client/origin.ts";

/** The programs that the page has a name for. */
export const CLIENT_HINTS = [
  "claude-desktop",
  "claude-code",
  "cursor",
  "chatgpt",
  "local",
  "other",
] as const;

export type ClientHint = typeof CLIENT_HINTS[number];

/** Words in a client's own name, in the order in which they are looked for. */
const WORDS: readonly [RegExp, ClientHint][] = [
  [/claude[- ]code/, "claude-code"],
  [/claude/, "claude-desktop"],
  [/cursor/, "cursor"],
  [/chatgpt|openai/, "chatgpt"],
];

/** The hint for a client that calls itself so. */
export function hintFor(name: string): ClientHint {
  const lower = name.toLowerCase();
  return WORDS.find(([words]) => words.test(lower))?.[1] ?? "other";
}

const SHORTEST_LABEL = 2;
const LONGEST_LABEL = 48;

/**
 * A name for a connection as the page takes it: printable ASCII, white space made single, 2 to 48
 * characters; undefined when that leaves none.
 */
export function labelFrom(text: string): string | undefined {
  const printable = text.replace(/\s+/g, " ").replace(/[^\x20-\x7e]/g, "").replace(/ {2,}/g, " ");
  const label = printable.trim().slice(0, LONGEST_LABEL).trim();
  return label.length < SHORTEST_LABEL ? undefined : label;
}

/** What the page is to know. */
export interface Asking {
  /** The origin of the server. */
  origin: string;
  client: ClientHint;
  label?: string;
}

/** What tells this request from any other. */
export interface Listening {
  /** 32 random bytes as 43 characters of base64url. */
  state: string;
  port: number;
}

/**
 * The address of the page.
 *
 * @param deadline when nobody listens any more, in milliseconds since 1970.
 * @throws ToolError `invalid_origin`
 */
export function pageAddress(
  { origin, client, label }: Asking,
  { state, port }: Listening,
  deadline: number,
): string {
  const parameters = new URLSearchParams({
    settings: "agents",
    connect: state,
    port: String(port),
    client,
    ...(label === undefined ? {} : { label }),
    exp: String(Math.floor(deadline / 1000)),
  });
  return `${checkedOrigin(origin)}/files?${parameters}`;
}

/** An address that {@link pageAddress} could have made: nothing in it means anything to a shell. */
const ADDRESS = /^https?:\/\/[a-z0-9.:[\]-]+\/files\?settings=agents(&[a-z]+=[\w.*%+-]*){4,5}$/;

/**
 * Whether a browser may be sent there: a page of the vault's over TLS, or on this machine, made up of
 * nothing but what belongs in such an address.
 */
export function isPageAddress(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.href !== text || !ADDRESS.test(text)) return false;
  return url.protocol === "https:" || ["localhost", "127.0.0.1"].includes(url.hostname);
}
