// The worker that the `credential` room runs: it keeps the connection file, and the file that remembers
// which server a connection is for, and can touch no other.

import "../../containment/native_path.ts";
import { asToolError, realDisk, ToolError } from "../../containment/mod.ts";
import { type ProofRequest, PROVE, tryFiles, tryRights } from "../../containment/rooms/proof.ts";
import { serveRoom } from "../../containment/rooms/worker.ts";
import { type ConnectionFile, readConnection, writeConnection } from "./connection_file.ts";
import { removeKept } from "./kept_file.ts";
import { type CredentialPlaces, filesGranted, type KeptFile } from "./places.ts";
import { forgetServer, NO_SERVERS, readServers, rememberServer } from "./servers.ts";

/** A connection and the origin of its server. */
export interface Remembered {
  grantId: string;
  origin: string;
}

serveRoom((init) => {
  const places = init as CredentialPlaces;
  const { connection, servers } = places;
  return {
    read: () =>
      attempt(
        connection,
        "reading the connection file",
        (file) => readConnection(realDisk, file),
      ) ??
        { warnings: [] } satisfies ConnectionFile,
    write(text) {
      if (connection === undefined) throw noPlace();
      attempt(
        connection,
        "writing the connection file",
        (file) => writeConnection(realDisk, file, text as string),
      );
    },
    /** Whether there was one. */
    remove: () =>
      attempt(connection, "removing the connection file", (file) => removeKept(realDisk, file)) ??
        false,
    servers: () =>
      attempt(
        servers,
        "reading the servers of connections",
        (file) => readServers(realDisk, file),
      ) ?? NO_SERVERS,
    remember: (args) =>
      attempt(servers, "remembering the connection's server", (file) => {
        const { grantId, origin } = args as Remembered;
        rememberServer(realDisk, file, grantId, origin);
      }),
    forget: (grantId) =>
      attempt(
        servers,
        "forgetting the connection's server",
        (file) => forgetServer(realDisk, file, grantId as string),
      ),
    [PROVE]: (args) => [
      ...tryRights(args as ProofRequest),
      ...tryFiles(["read", "write"], filesGranted(places)),
    ],
  };
});

/** Does something with a file, where there is a place for it; a system error is told as one. */
function attempt<F extends KeptFile, T>(
  file: F | undefined,
  what: string,
  act: (file: F) => T,
): T | undefined {
  try {
    return file === undefined ? undefined : act(file);
  } catch (error) {
    throw asToolError(error, what, file!.path);
  }
}

function noPlace(): ToolError {
  return new ToolError(
    "not_found",
    "there is no home folder in the environment to keep the connection in; " +
      "SHIELDFIVE_MCP_CONFIG_DIR can name a folder for it",
  );
}
