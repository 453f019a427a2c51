// The server of a connection, and the room that asks it what the connection is good for.

import { Room } from "../../containment/rooms/host.ts";
import { roomModule } from "../../containment/rooms/modules.ts";
import { type ProofRequest, PROVE, type Trial } from "../../containment/rooms/proof.ts";
import type { GrantQuestion } from "../../vault/client/check.ts";
import { addressOf, checkedOrigin } from "../../vault/client/origin.ts";
import type { GrantInfo } from "../../vault/client/types.ts";
import type { Environment } from "../environment.ts";
import { UsageError } from "../usage.ts";

/**
 * The server that was said for this call: by the option, else by the variable.
 *
 * @throws UsageError for an option that is no such address; ToolError `invalid_origin` for a variable.
 */
export function serverSaid(
  { variables }: Environment,
  option?: string,
): string | undefined {
  if (option !== undefined) return originOf(option);
  const { SHIELDFIVE_API_URL: variable } = variables;
  return variable === undefined ? undefined : checkedOrigin(variable);
}

function originOf(option: string): string {
  try {
    return checkedOrigin(option);
  } catch {
    throw new UsageError(
      "--server takes an address that begins with https:// (http:// is for localhost and 127.0.0.1 alone)",
    );
  }
}

/** A room that can reach one server. */
export class ServerRoom {
  readonly #room: Room;

  /** Opens the room; `ready` settles when it has loaded. */
  constructor(origin: string, log: (line: string) => void) {
    const address = addressOf(origin);
    this.#room = new Room({
      kind: "vault",
      module: roomModule("vault-check"),
      folders: [address],
      init: [address],
      log,
    });
  }

  get ready(): Promise<void> {
    return this.#room.ready;
  }

  /** @throws ToolError `grant_invalid`, `grant_mismatch`, `network_error`, … */
  async check(question: GrantQuestion, signal?: AbortSignal): Promise<GrantInfo> {
    const name = "asking the vault's server";
    return await this.#room.call("grant", question, { name, signal }) as GrantInfo;
  }

  /** Has the room try what it may do and what it may not; see `misfits`. */
  async prove(request: ProofRequest): Promise<Trial[]> {
    return await this.#room.call(PROVE, request) as Trial[];
  }

  close(): void {
    this.#room.close();
  }
}
