// What is found out before anybody is asked for a connection: that it can be kept where it is wanted, and
// that it would be used. A person who has gone through the browser for nothing has to revoke what they made.

import { quote, ToolError } from "../../../containment/mod.ts";
import type { CredentialStore } from "../../../vault/credential/mod.ts";
import type { StoreRooms } from "../../connection/rooms.ts";
import type { Environment } from "../../environment.ts";
import { warn } from "../../messages.ts";

/** Says when the variable would win over what is stored, or turn it off. */
export function warnOfVariable({ variable }: CredentialStore, environment: Environment): void {
  if (variable === "unset") return;
  const does = variable === "off"
    ? "is `none` and turns the vault off, whatever is stored"
    : "is set and will be used in place of what is stored";
  warn(environment, `SHIELDFIVE_GRANT ${does}; unset it to use the connection that is made now`);
}

/**
 * Makes sure that a connection could be stored now.
 *
 * @throws ToolError `keychain_…`; `not_a_file`, `not_found`, `io_error` for the file.
 */
export async function requireStore(
  where: "keychain" | "file",
  { store, files }: StoreRooms,
  environment: Environment,
): Promise<void> {
  if (where === "file") {
    if (files.path === undefined) throw noPlace();
    await files.read(); // refuses what is in its place and is no file
    const text =
      `the connection will be kept in ${quote(files.path)}, where every program that you run ` +
      "can read it; a keychain keeps it better";
    return warn(environment, text);
  }
  await store.tryKeychain();
}

function noPlace(): ToolError {
  return new ToolError(
    "not_found",
    "there is no home folder in the environment to keep the connection in; " +
      "SHIELDFIVE_MCP_CONFIG_DIR can name a folder for it",
  );
}
