// What is known of a server before anyone signed in, and what every way into its vault takes.

import type { Entrance } from "./account.ts";
import { Api } from "./api.ts";
import { type KdfBackend, kdfOfThisThread } from "./kdf_workers.ts";
import type { OwnerTransport } from "./types.ts";

/** What every way into a vault takes. */
export interface OwnerVaultOptions {
  /** Where the server is, as `https://vault.example`; a page gives `location.origin`. */
  origin: string;
  transport?: OwnerTransport;
  /** Where keys are derived; absent: in this thread, which a browser's page should not. */
  kdf?: KdfBackend;
}

/** The server and the backend that options name. */
export function entrance({ origin, transport, kdf }: OwnerVaultOptions): Entrance {
  return { api: new Api(origin, transport), kdf: kdf ?? kdfOfThisThread() };
}

/** Whether a server has a vault already, and its version. */
export async function vaultStatus(
  origin: string,
  transport?: OwnerTransport,
): Promise<{ initialized: boolean; version: string }> {
  const answer = await new Api(origin, transport).call("GET", "/status");
  return { initialized: answer.flag("initialized"), version: answer.text("version") };
}
