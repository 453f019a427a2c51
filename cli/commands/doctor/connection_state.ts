// What there is of a connection here: found as every command finds it, but nothing is asked of a server, and a
// connection file that others can read is told and left as it is.

import { errnoOf, realDisk, ToolError } from "../../../containment/mod.ts";
import { CredentialStore, type Found, Keychain, serverFor } from "../../../vault/credential/mod.ts";
import { readKept } from "../../../vault/credential/kept_file.ts";
import type { CredentialPlaces } from "../../../vault/credential/mod.ts";
import { readServers } from "../../../vault/credential/servers.ts";
import { credentialPlaces } from "../../connection/places.ts";
import { serverSaid } from "../../connection/server.ts";
import type { Environment } from "../../environment.ts";

/** What is known. */
export interface ConnectionState {
  /** What was found, or why that is not known. */
  found: Found | ToolError;
  /** The connection's server, or why it is not known. */
  server?: string | ToolError;
  /** Whether the keychain was asked: not when the variable comes before it. */
  askedKeychain: boolean;
  file?: {
    path: string;
    /** Permission bits, where there is a file and the platform has some. */
    mode?: number;
  };
}

/** Looks for the connection. It takes the rights of the keychain's room. */
export async function examineConnection(
  environment: Environment,
  log: (line: string) => void,
): Promise<ConnectionState> {
  const places = credentialPlaces(environment);
  const keychain = new Keychain({ log });
  try {
    const store = new CredentialStore({
      variable: environment.variables.SHIELDFIVE_GRANT,
      keychain,
      files: onlyReading(places),
    });
    const found = await refusable(() => store.find());
    return {
      found,
      server: await refusable(() => serverOf(found, environment, places)),
      askedKeychain: store.variable === "unset",
      ...(places.connection === undefined ? {} : { file: fileAt(places.connection.path) }),
    };
  } finally {
    keychain.close();
  }
}

function serverOf(
  found: Found | ToolError,
  environment: Environment,
  { servers }: CredentialPlaces,
): string | undefined {
  const said = serverSaid(environment);
  if (found instanceof ToolError || found.state !== "connected") return said;
  const { grantId } = found.kept.credential;
  const known = servers === undefined ? { byGrant: new Map() } : readServers(realDisk, servers);
  return serverFor({ said, servers: known, grantId, isNew: false });
}

/** The connection file, without anything that changes it. */
function onlyReading({ connection }: CredentialPlaces) {
  const never = () => Promise.reject(new ToolError("internal", "doctor changes nothing"));
  return {
    path: connection?.path,
    read() {
      const read = connection === undefined ? undefined : readKept(realDisk, connection);
      const text = read === undefined ? undefined : new TextDecoder().decode(read.bytes).trim();
      return Promise.resolve({ text, warnings: [] });
    },
    write: never,
    remove: never,
    remember: never,
    forget: never,
  };
}

function fileAt(path: string): NonNullable<ConnectionState["file"]> {
  try {
    const { mode, isFile } = realDisk.lstat(path);
    return isFile && mode !== null ? { path, mode: mode & 0o777 } : { path };
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return { path }; // there is none, or what keeps it from being read is told already
  }
}

/** What comes of it, or the refusal. */
async function refusable<T>(act: () => T | Promise<T>): Promise<T | ToolError> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof ToolError) return error;
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return new ToolError("io_error", `it cannot be read (${errno})`, { cause: error });
  }
}
