// What every handler works on. All of it is handed in, so that a test sets the clock and the limits.

import type { Objects } from "../objects/objects.ts";
import type { Rows } from "../rows/rows.ts";

/** What the server allows, and for how long (vault spec, 13: limits, configurable). */
export interface Limits {
  requestsPerMinute: number;
  rowsPerPage: number;
  /** Bytes of a JSON body. */
  jsonBytes: number;
  /** Bytes of ciphertext that may leave in a UTC day; null for no limit. */
  egressPerDay: number | null;
  /** The same for a UTC month. */
  egressPerMonth: number | null;
  concurrentUploads: number;
  /** Milliseconds that an upload's URL is good for. */
  uploadMs: number;
  liveGrants: number;
}

export const LIMITS: Limits = {
  requestsPerMinute: 600,
  rowsPerPage: 1000,
  jsonBytes: 256 * 1024,
  egressPerDay: null,
  egressPerMonth: null,
  concurrentUploads: 100,
  uploadMs: 900_000,
  liveGrants: 20,
};

export interface Context {
  rows: Rows;
  objects: Objects;
  /** Milliseconds since 1970. */
  now(): number;
  limits: Limits;
  /** The server's version, for the owner's page. */
  version: string;
  /** The public address that upload URLs begin with, without a slash at its end. */
  origin: string;
}
