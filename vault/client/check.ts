// Asking a server what a connection is good for: the one question that signing in and looking at the state
// need. Nothing is decrypted for it.

import { ToolError } from "../../containment/error.ts";
import type { DerivationBackend } from "@shieldfive/crypto/extra/kdf_pool.ts";
import { parseConnectionString, VaultCryptoError } from "@shieldfive/crypto/vault";
import { VaultClient } from "./client.ts";
import type { GrantInfo } from "./types.ts";

/** What is to be asked about. */
export interface GrantQuestion {
  /** The connection string. */
  connection: string;
  /** The server's origin. */
  origin: string;
}

/** No name is opened for the question. */
const NO_KDF: DerivationBackend = {
  concurrency: 1,
  derive: () =>
    Promise.reject(new ToolError("internal", "no key is derived to check a connection")),
};

/**
 * What the server says of the connection.
 *
 * @throws ToolError `invalid_connection_string`, `invalid_origin`, and as `VaultClient.grant`.
 */
export async function checkGrant(
  { connection, origin }: GrantQuestion,
  { log, signal }: { log(line: string): void; signal?: AbortSignal },
): Promise<GrantInfo> {
  const credential = parsed(connection);
  const client = new VaultClient({ origin, credential, kdf: NO_KDF, log });
  try {
    return await client.grant(signal);
  } finally {
    client.close();
  }
}

function parsed(connection: string) {
  try {
    return parseConnectionString(connection);
  } catch (error) {
    if (!(error instanceof VaultCryptoError)) throw error;
    throw new ToolError(error.code, error.message);
  }
}
