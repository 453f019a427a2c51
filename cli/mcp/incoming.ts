// What a line from the client is: a message to pass on, something to refuse with a JSON-RPC error, or
// something to leave alone. The SDK drops a line that it cannot parse without a word, which leaves
// the client waiting for ever; here every line that asks for something gets an answer.

import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  type JSONRPCMessage,
  PARSE_ERROR,
  parseJSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
} from "@modelcontextprotocol/server";

export type Incoming =
  | { kind: "message"; message: JSONRPCMessage }
  | { kind: "refused"; id: RequestId | null; code: number; message: string }
  | { kind: "ignored"; reason: string };

export type RequestId = string | number;

/** Longest id that is echoed; a longer one could push an answer over the size of a line. */
const MAX_ID_LENGTH = 1024;

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Reads one line. */
export function readIncoming(line: Uint8Array): Incoming {
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(line));
  } catch {
    return { kind: "refused", id: null, code: PARSE_ERROR, message: "Parse error: not JSON" };
  }
  if (!isRecord(value)) {
    const what = Array.isArray(value) ? "batches are not supported" : "a message is an object";
    return {
      kind: "refused",
      id: null,
      code: INVALID_REQUEST,
      message: `Invalid request: ${what}`,
    };
  }
  if ("method" in value && "id" in value && !isRequestId(value.id)) {
    return {
      kind: "refused",
      id: null,
      code: INVALID_REQUEST,
      message: `Invalid request: an id is a whole number or a string of up to ${MAX_ID_LENGTH} ` +
        "characters",
    };
  }
  try {
    return { kind: "message", message: parseJSONRPCMessage(withInitializeParams(value)) };
  } catch {
    return invalid(value);
  }
}

function invalid(value: Record<string, unknown>): Incoming {
  if ("result" in value || "error" in value) {
    return { kind: "ignored", reason: "a malformed answer of the client was ignored" };
  }
  const named = value.jsonrpc === "2.0" && typeof value.method === "string";
  if (named && !("id" in value)) {
    return { kind: "ignored", reason: "a malformed notification was ignored" };
  }
  const id = isRequestId(value.id) ? value.id : null;
  if (named && "params" in value) {
    return {
      kind: "refused",
      id,
      code: INVALID_PARAMS,
      message: "Invalid params: they must be an object, with a string or whole number as any " +
        "progressToken, and nothing may stand beside jsonrpc, id, method and params",
    };
  }
  return {
    kind: "refused",
    id,
    code: INVALID_REQUEST,
    message:
      'Invalid request: it needs jsonrpc "2.0", an id and a method, and nothing else but params',
  };
}

function isRequestId(value: unknown): value is RequestId {
  return Number.isSafeInteger(value) ||
    (typeof value === "string" && value.length <= MAX_ID_LENGTH);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A handshake that leaves out what it must say gets a counter-offer of a supported version instead of
 * an internal error: the missing parts are filled in with values that promise nothing.
 */
function withInitializeParams(value: Record<string, unknown>): Record<string, unknown> {
  if (value.method !== "initialize" || claimsStateless(value)) return value;
  const { protocolVersion, capabilities, clientInfo, ...params } = isRecord(value.params)
    ? value.params
    : {};
  const named = isRecord(clientInfo) && typeof clientInfo.name === "string" &&
    typeof clientInfo.version === "string";
  return {
    ...value,
    params: {
      ...params,
      protocolVersion: typeof protocolVersion === "string" ? protocolVersion : "none",
      capabilities: isRecord(capabilities) ? capabilities : {},
      clientInfo: named ? clientInfo : { name: "unknown", version: "unknown" },
    },
  };
}

/** Whether a message names its protocol version in its `_meta`, as the stateless protocol does. */
function claimsStateless(message: Record<string, unknown>): boolean {
  const meta = isRecord(message.params) ? message.params._meta : undefined;
  return isRecord(meta) && PROTOCOL_VERSION_META_KEY in meta;
}

/**
 * The rule for what comes before an opening. The handshake protocols allow nothing but `initialize`
 * and `ping`; the stateless one marks every request. The SDK would serve an unopened connection, and
 * would take a stray notification for the choice of a protocol.
 */
export class Opening {
  #handshake = false;
  #stateless = false;

  /** What to do with a parsed message now. */
  admit(message: JSONRPCMessage): Incoming {
    const admitted: Incoming = { kind: "message", message };
    if (!("method" in message)) return admitted;
    if (claimsStateless(message)) {
      this.#stateless = true;
      return admitted;
    }
    const isRequest = "id" in message;
    if (isRequest && message.method === "initialize") this.#handshake = true;
    if (this.#handshake) return admitted;
    if (!isRequest) {
      if (this.#stateless) return admitted;
      return { kind: "ignored", reason: "a notification before initialize was ignored" };
    }
    if (message.method === "ping") return admitted;
    return {
      kind: "refused",
      id: message.id,
      code: INVALID_REQUEST,
      message: "Invalid request: initialize first (or name the protocol version in _meta)",
    };
  }
}
