// What a refusal or a failure of the server is called, and what to do about it (vault spec, 2). The
// server's own words are never repeated: a code passes if it looks like one, a text never does.

import { ToolError } from "../../containment/error.ts";
import type { Scope } from "./types.ts";

/**
 * No answer came that says what became of a request: the connection broke, the time was over, the server
 * failed, or what it said makes no sense. A change may have been made all the same.
 */
export class Lost extends ToolError {
  /** Whether the server may still be at it. */
  readonly late: boolean;

  constructor(code: string, message: string, options: { late?: boolean; cause?: unknown } = {}) {
    super(code, message, options);
    this.late = options.late ?? false;
  }
}

/** The server asks for patience. */
export class RateLimited extends ToolError {
  /** Absent where it does not say for how long. */
  readonly retryAfterSeconds: number | undefined;

  constructor(retryAfterSeconds?: number) {
    super(
      "rate_limited",
      "the vault's server is asked too much at the moment; wait a minute and try again",
    );
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** What every waiting call ends with when its caller no longer wants it. */
export function cancelled(): ToolError {
  return new ToolError("cancelled", "the call was cancelled; nothing was changed");
}

export function connectionBroke(cause?: unknown): Lost {
  return new Lost(
    "network_error",
    "the vault's server could not be reached, or the connection to it broke; check the network and " +
      "try again",
    { cause },
  );
}

export function timedOut(): Lost {
  return new Lost(
    "network_error",
    "the vault's server did not answer in time; check the network and try again",
    { late: true },
  );
}

/** @param what the part that makes no sense, in words of this program. */
export function badAnswer(what: string, cause?: unknown): Lost {
  return new Lost(
    "bad_answer",
    `the vault's server gave an answer that makes no sense (${what}); try again, and ask whoever runs ` +
      "the server if it stays so",
    { cause },
  );
}

export function notFound(): ToolError {
  return new ToolError(
    "not_found",
    "it is not there, or this connection does not reach it; list the vault again",
  );
}

/** What a connection has to have been made with, in the words of the owner's page. */
const MADE_WITH: Record<Scope, string> = {
  read: '"Read only" or more',
  organize: '"Read and organize" or "Read, organize and add files"',
  write: '"Read, organize and add files"',
};
const VERBS: Record<Scope, string> = {
  read: "read",
  organize: "rename, move or trash anything",
  write: "add files",
};

export function missingScope(scope: Scope): ToolError {
  return new ToolError(
    "missing_scope",
    `this connection may not ${VERBS[scope]}; it takes one that was made with ${
      MADE_WITH[scope]
    }: ` +
      "connect again (vault_connect with reconnect: true) and choose that",
    { detail: { scope } },
  );
}

/** Sentences for codes that come from the server as they are. */
const SENTENCES: Record<string, string> = {
  not_found: notFound().message,
  no_route: "the vault's server does not know this request; it may be older than this program",
  conflict: "it was changed since it was listed; list the vault again and repeat the call",
  write_budget_exhausted:
    "the connection's upload allowance is used up; only the owner can raise it, in ShieldFive → " +
    "Settings → AI assistants",
  quota_exceeded:
    "the vault's limit for downloads is reached; try again tomorrow, or ask the owner about the plan",
  finalize_failed: "the storage does not hold what was sent, so the file was not added",
  too_many_items: "one call takes at most 50 items; split them over several calls",
  storage_full: "the vault's server has no room left; ask whoever runs it",
};

/** What a refusal's body says, as far as it is understood. */
interface Said {
  code: string | undefined;
  scope: Scope | undefined;
  reason: string | undefined;
}

/** What a server's code looks like that is repeated as it is. */
export const CODE = /^[a-z_]{1,40}$/;
const SCOPES: readonly Scope[] = ["read", "organize", "write"];

function saidIn(body: unknown): Said {
  const fields = typeof body === "object" && body !== null ? body as Record<string, unknown> : {};
  const { code, scope, reason } = fields;
  return {
    code: typeof code === "string" && CODE.test(code) ? code : undefined,
    scope: SCOPES.find((known) => known === scope),
    reason: typeof reason === "string" ? reason : undefined,
  };
}

/** Seconds in a `Retry-After` header; undefined for a date, and for what is none. */
function secondsIn(header: string | null): number | undefined {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) : undefined;
}

function tooMany({ code, reason }: Said, retryAfter: string | null): ToolError {
  if (code === "write_budget_exhausted") return new ToolError(code, SENTENCES[code]);
  if (code === "transfer_limit" || code === "egress_cap" || reason === "egress_cap") {
    return new ToolError("quota_exceeded", SENTENCES.quota_exceeded);
  }
  return new RateLimited(secondsIn(retryAfter));
}

/** Statuses of a server, or of something before it, that may still be at what was asked. */
const LATE = new Set([408, 502, 503, 504]);

/** The error that a refused request ends in. @param body what came as JSON; anything else as undefined. */
export function refusalOf(status: number, retryAfter: string | null, body: unknown): ToolError {
  const said = saidIn(body);
  if (status === 401) {
    return new ToolError(
      "grant_invalid",
      "the connection was revoked or has expired; call vault_connect to connect again",
    );
  }
  if (status === 403 && said.code === "missing_scope") return missingScope(said.scope ?? "read");
  if (status === 409) return new ToolError("conflict", SENTENCES.conflict);
  if (status === 429) return tooMany(said, retryAfter);
  // `internal` says of this program that it has a bug.
  const code = said.code === undefined || said.code === "internal" ? `http_${status}` : said.code;
  const message = SENTENCES[code] ?? `the vault's server refused the request (${code})`;
  if (status >= 500 || status === 408) return new Lost(code, message, { late: LATE.has(status) });
  return new ToolError(code, message);
}
