// vault_connect: makes the connection that the other tools of the vault work over. The server's main thread
// does it, since a browser has to be opened and the connection stored (vault spec, 6 and 9); at a terminal
// it is `shieldfive login`.

import { quote } from "../../containment/text.ts";
import { count } from "../format.ts";
import { defineServer } from "../tool.ts";

export const connect = defineServer({
  name: "vault_connect",
  set: "vault",
  command: ["login"],
  title: "Connect the vault",
  brief: "Connect to your ShieldFive vault in the browser",
  description:
    "Connects to the user's ShieldFive vault: opens ShieldFive in the browser, where the user picks " +
    "the folders, what may be done with them and for how long. Call it when a vault tool says that " +
    "there is no connection, or that it was revoked or has expired. It waits up to 45 seconds; when " +
    "the user takes longer, call it again to learn the outcome. Before that, tell the user that what " +
    "the vault tools return goes to you and so to your provider.",
  effect: "connect",
  hints: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: true,
  },
  terminal: {
    positionals: [],
    usage: "",
    examples: [{ line: "shieldfive login", does: "the same from a terminal" }],
  },
  input: (z) =>
    z.strictObject({
      reconnect: z.boolean().default(false).describe(
        "Make a new connection although the one that there is works.",
      ),
    }),
  output: (z) =>
    z.object({
      connected: z.boolean(),
      pending: z.boolean().optional().describe(
        "The user has not answered in the browser yet; call again to learn the outcome.",
      ),
      url: z.string().optional().describe("The page to open, should no browser have opened."),
      grant: z.object({
        id: z.string().describe("The first 8 characters."),
        scopes: z.array(z.string()),
        whole_vault: z.boolean(),
        folders: z.number().optional().describe("How many were picked; absent for a whole vault."),
        expires: z.string(),
      }).optional(),
      stored: z.enum(["env", "keychain", "file", "memory"]).optional().describe(
        "Where the connection is kept; memory: until the server ends.",
      ),
      warnings: z.array(z.string()).optional(),
    }),
  summary({ connected, pending, url, grant, warnings = [] }) {
    const notes = warnings.map((warning) => ` Note: ${warning}.`).join("");
    if (!connected) {
      const where = url === undefined
        ? ""
        : ` The page, if no browser has opened: ${quote(url, 600)}`;
      return (pending
        ? "ShieldFive is open in the browser, and the user has not answered yet. When they have, call " +
          "vault_connect again."
        : "There is no connection.") + where + notes;
    }
    const reach = grant === undefined
      ? ""
      : ` It reaches ${
        grant.whole_vault ? "the whole vault" : count(grant.folders ?? 0, "folder")
      }, may ${grant.scopes.join(", ")}, and expires ${grant.expires}.`;
    return `Connected to the vault.${reach} The vault's tools are available now.${notes}`;
  },
});
