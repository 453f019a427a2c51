// A vault on the real program, with an owner who furnished it and makes connections: what the tests of the vault
// at the terminal and over MCP begin with. The owner's keys stay at hand, to look at what was done.

import { type GrantRequest, OwnerVault } from "../../vault/owner/mod.ts";
import { inTempDir } from "../support.ts";
import { PASSPHRASE, uploadText } from "../vault/owner/support.ts";
import { type Serving, startServing } from "../vault/server/serving.ts";
import { type Home, homeIn } from "./connecting.ts";

/** What lies in the vault at first: folders end with a slash. */
export type Contents = Record<string, string>;

export interface ServedVault {
  serving: Serving;
  vault: OwnerVault;
  /** A user's home, from which the program does not find any connection. */
  home: Home;
  /** A connection to all of the vault that may read and organize. */
  connection: string;
  /** Environment variables with which the program uses that connection. */
  env: Record<string, string>;
  /** Makes another connection and gives its string. */
  connect(request?: Partial<GrantRequest>): Promise<string>;
}

/** A home without any connection or keychain. */
export function emptyHome(dir: string): Home {
  return homeIn(dir, {
    env: {
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${dir}/no-bus`,
      SHIELDFIVE_GRANT: "",
      SHIELDFIVE_API_URL: "",
    },
  });
}

/** Makes the folders and files of a vault; what a path lies in has to come before it. */
async function furnish(vault: OwnerVault, contents: Contents): Promise<void> {
  const ids = new Map<string, string | null>([["", null]]);
  for (const [path, text] of Object.entries(contents)) {
    const [, above, name, isFolder] = /^(?:(.*)\/)?([^/]+?)(\/?)$/.exec(path)!;
    const parent = ids.get(above ?? "")!;
    if (isFolder === "") await uploadText(vault, parent, name, text);
    else ids.set(path.slice(0, -1), (await vault.createFolder(parent, name)).id);
  }
}

/** Runs the body on a served vault with these contents. */
export async function withServedVault(
  contents: Contents,
  body: (served: ServedVault) => Promise<void>,
): Promise<void> {
  await inTempDir(async (dir) => {
    const serving = await startServing(`${dir}/data`);
    const { origin, setupToken = "" } = serving;
    const { vault } = await OwnerVault.create({ origin, setupToken, passphrase: PASSPHRASE });
    try {
      await vault.refresh();
      await furnish(vault, contents);
      const connect = async (request: Partial<GrantRequest> = {}) => {
        const { connectionString } = await vault.createGrant({
          label: "a test",
          clientHint: "other",
          scopes: ["read", "organize"],
          folderIds: "all",
          expiresInMs: 3_600_000,
          ...request,
        });
        return connectionString;
      };
      const home = emptyHome(dir);
      const connection = await connect();
      const env = { ...home.env, SHIELDFIVE_GRANT: connection, SHIELDFIVE_API_URL: origin };
      await body({ serving, vault, home, connection, env, connect });
    } finally {
      await vault.lock();
      await serving.stop();
    }
  });
}
