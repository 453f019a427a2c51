// The folders that the client works in, kept up to date, for `--client-roots narrow`. A client of the
// handshake protocols is asked with `roots/list`, and again when it says that its list changed; one of
// the stateless protocol is asked within each call. A client that has no such list, or does not
// answer, leaves what was granted as it is.

import type { Server, ServerContext } from "@modelcontextprotocol/server";
import { CLIENT_CAPABILITIES_META_KEY } from "@modelcontextprotocol/server";
import { quote } from "../../containment/mod.ts";
import type { Schemas } from "../../tools/tool.ts";
import { foldersOfAnswer } from "./folders.ts";

/** Milliseconds that a client has to answer; no call waits longer. */
const PATIENCE = 3000;

type Folders = readonly string[] | undefined;

export interface ClientRootsOptions {
  server: Server;
  schemas: Schemas;
  log(line: string): void;
}

export class ClientRoots {
  readonly #options: ClientRootsOptions;
  #current?: Promise<Folders>;
  #said?: string;

  constructor(options: ClientRootsOptions) {
    this.#options = options;
    options.server.oninitialized = () => void this.current();
    options.server.setNotificationHandler("notifications/roots/list_changed", () => {
      this.#current = this.#ask(this.#current);
    });
  }

  /** The client's folders, or undefined where they narrow nothing. */
  current(): Promise<Folders> {
    return this.#current ??= this.#ask(undefined);
  }

  async #ask(before: Promise<Folders> | undefined): Promise<Folders> {
    const { server, schemas: z } = this.#options;
    if (server.getClientCapabilities()?.roots === undefined) {
      this.#say("the client has no list of folders: the granted ones are served as they are");
      return undefined;
    }
    try {
      const answer = await server.request(
        { method: "roots/list" },
        z.looseObject({}),
        { timeout: PATIENCE },
      );
      return this.told(answer);
    } catch (error) {
      const kept = await before;
      this.#say(
        `the client did not say which folders it works in (${(error as Error).message}): ` +
          (kept === undefined
            ? "the granted ones are served as they are"
            : "what it said earlier holds"),
      );
      return kept;
    }
  }

  /** Takes an answer to `roots/list`, and says what it means. */
  told(answer: unknown): Folders {
    const read = foldersOfAnswer(answer);
    if (read === undefined) {
      this.#say(
        "the client's list of folders cannot be read: the granted ones are served as they are",
      );
      return undefined;
    }
    const { folders, skipped } = read;
    const meaning = folders.length === 0
      ? "the client works in no folder: nothing is allowed until it does"
      : `only what lies in the client's folders is allowed: ${
        folders.map((f) => quote(f)).join(", ")
      }`;
    this.#say([...skipped, meaning].join("\n"));
    return folders;
  }

  /** Says something unless it was the last thing said: a stateless client answers in every call. */
  #say(text: string): void {
    if (text !== this.#said) this.#options.log(text);
    this.#said = text;
  }
}

/** The key under which a stateless client answers within the call. */
const ANSWER = "client_roots";

/**
 * What a stateless call has to say about the client's folders: that the client must be asked first,
 * or what it answered. Undefined for a client that has no such list.
 */
export function statelessRoots(
  context: ServerContext,
): { ask: Ask } | { answer: unknown } | undefined {
  const { envelope, inputResponses } = context.mcpReq;
  const capabilities = (envelope as Envelope | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
  if (capabilities?.roots === undefined) return undefined;
  if (inputResponses !== undefined && ANSWER in inputResponses) {
    return { answer: inputResponses[ANSWER] };
  }
  return { ask: ASK };
}

interface Envelope {
  [CLIENT_CAPABILITIES_META_KEY]?: { roots?: unknown };
}

/** The result that makes a stateless client answer `roots/list` and call again. */
type Ask = typeof ASK;

const ASK = {
  resultType: "input_required",
  inputRequests: { [ANSWER]: { method: "roots/list" } },
} as const;
