// The places that a connection is kept in, as the room that keeps them gets them.

import { asToolError, nativeRules } from "../../containment/mod.ts";
import { type CredentialPlaces, keptFile } from "../../vault/credential/mod.ts";
import type { Environment } from "../environment.ts";
import { CONNECTION_NAME, connectionFolder, placesOf, realAsFarAsItExists } from "../places.ts";

/** What remembers which server a connection is for, in the state folder. */
const SERVERS_NAME = "vault.json";

/** The files, by their real paths; they need not be there. */
export function credentialPlaces({ variables, home }: Environment): CredentialPlaces {
  const folder = connectionFolder(variables, home);
  const state = placesOf(variables, home)?.state;
  return {
    ...(folder === undefined ? {} : { connection: connectionIn(folder) }),
    ...(state === undefined ? {} : { servers: keptFile(realAsFarAsItExists(state), SERVERS_NAME) }),
  };
}

function connectionIn(folder: { path: string; own: boolean }): CredentialPlaces["connection"] {
  const path = realAsFarAsItExists(folder.path);
  return { ...keptFile(path, CONNECTION_NAME), ...(folder.own ? { folder: path } : {}) };
}

/**
 * Makes the folders that are missing, for this user alone. To be done while the rights for it are there.
 *
 * @throws ToolError `io_error`
 */
export function makeFolders({ connection, servers }: CredentialPlaces): void {
  for (const file of [connection, servers]) {
    if (file === undefined) continue;
    const folder = nativeRules.dirname(file.path);
    try {
      Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw asToolError(error, "making", folder);
    }
  }
}
