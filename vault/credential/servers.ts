// Which server a connection is for. A connection string does not say, so it is remembered by the grant's
// id in a file of the state folder, which has no secret in it (vault spec, 12). What is in the file is
// checked like anything from outside; one that makes no sense counts for nothing.

import { type Disk, ToolError } from "../../containment/mod.ts";
import { isUuid } from "@shieldfive/crypto/extra/server_values.ts";
import { checkedOrigin } from "../client/origin.ts";
import { changeKept, readKept } from "./kept_file.ts";
import type { KeptFile } from "./places.ts";

/** Where connections go that nothing else is known of. */
export const DEFAULT_SERVER = "https://shieldfive.com";

/** Connections that are remembered; the oldest is forgotten. */
const MOST = 100;

/** What is remembered. */
export interface Servers {
  /** The server that was used last. */
  last?: string;
  /** Origins by grant id, the oldest first. */
  byGrant: ReadonlyMap<string, string>;
}

/** What is remembered at first. */
export const NO_SERVERS: Servers = { byGrant: new Map() };

/** @throws ToolError `not_a_file`, `file_too_large`, `file_changed`; system errors as they are. */
export function readServers(disk: Disk, file: KeptFile): Servers {
  const read = readKept(disk, file);
  return read === undefined ? NO_SERVERS : serversIn(read.bytes);
}

/** @throws as {@link readServers}; ToolError `busy`. */
export function rememberServer(disk: Disk, file: KeptFile, grantId: string, origin: string): void {
  change(disk, file, ({ byGrant }) => ({
    last: origin,
    byGrant: new Map([...without(byGrant, grantId), [grantId, origin]].slice(-MOST) as Pairs),
  }));
}

/** The last server stays, for the next connection. @throws as {@link rememberServer} */
export function forgetServer(disk: Disk, file: KeptFile, grantId: string): void {
  if (!readServers(disk, file).byGrant.has(grantId)) return;
  change(
    disk,
    file,
    ({ last, byGrant }) => ({ last, byGrant: new Map(without(byGrant, grantId)) }),
  );
}

/**
 * The server for a connection: what was said for this call, else what is remembered of the connection, for
 * a new one what was used last, else ShieldFive's own.
 */
export function serverFor(
  { said, servers, grantId, isNew }: {
    said?: string;
    servers: Servers;
    /** Absent where it is not known yet. */
    grantId?: string;
    isNew: boolean;
  },
): string {
  if (said !== undefined) return checkedOrigin(said);
  const remembered = grantId === undefined ? undefined : servers.byGrant.get(grantId);
  return remembered ?? (isNew ? servers.last : undefined) ?? DEFAULT_SERVER;
}

type Pairs = [string, string][];

function without(byGrant: ReadonlyMap<string, string>, grantId: string): Pairs {
  return [...byGrant].filter(([id]) => id !== grantId);
}

function change(disk: Disk, file: KeptFile, to: (before: Servers) => Servers): void {
  changeKept(disk, file, (read) => {
    const { last, byGrant } = to(read === undefined ? NO_SERVERS : serversIn(read.bytes));
    const data = { last, connections: Object.fromEntries(byGrant) };
    return new TextEncoder().encode(JSON.stringify(data, null, 2) + "\n");
  });
}

function serversIn(bytes: Uint8Array): Servers {
  const { last, connections } = fieldsIn(bytes);
  const known = typeof connections === "object" && connections !== null ? connections : {};
  const pairs = Object.entries(known)
    .map(([id, origin]): [string, string | undefined] => [id, originIn(origin)])
    .filter((pair): pair is [string, string] => isUuid(pair[0]) && pair[1] !== undefined);
  return { last: originIn(last), byGrant: new Map(pairs) };
}

function fieldsIn(bytes: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return {};
  }
}

function originIn(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  try {
    return checkedOrigin(value);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return undefined;
  }
}
