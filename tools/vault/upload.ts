// vault_upload: a copy of a local file into the vault (vault spec, 10). The file itself is left as it is.

import { confirmArguments } from "../confirm.ts";
import { formatBytes } from "../format.ts";
import { defineChange } from "../tool.ts";
import { changeSummary, vaultChangeFields } from "./change.ts";
import type { VaultContext } from "./context.ts";
import { CHANGES_VAULT, id } from "./schemas.ts";
import { named } from "./summarize.ts";

export const upload = defineChange({
  name: "vault_upload",
  set: "vault",
  command: ["vault", "upload"],
  title: "Upload to the vault",
  brief: "Encrypt a local file here and put a copy of it into your vault",
  description:
    "Puts a copy of a local file into a folder of the user's ShieldFive vault: encrypts it on this " +
    "computer, uploads it, reads it back and compares, and only then says that it is there. The local " +
    "file is left as it is. Nothing in the vault is replaced. One regular file of at most 512 MiB " +
    "inside the granted folders. Needs a connection that may add files. Without confirm it only " +
    "plans: it reports what it would do, returns a plan_token and changes nothing.",
  effect: "change",
  room: "vault",
  usesFolders: true,
  hints: CHANGES_VAULT,
  terminal: {
    positionals: ["path"],
    usage: "FILE --to WHERE",
    optionNames: { destination_folder_id: "to" },
    vaultItems: ["destination_folder_id"],
    examples: [{
      line: "shieldfive vault upload scan.pdf --to /Documents/2024",
      does: "a copy in that folder, which must be there",
    }],
  },
  input: (z) =>
    z.strictObject({
      path: z.string().min(1).max(4096).describe("Absolute path of the file."),
      destination_folder_id: id(z).describe("Id of the vault's folder to put it into."),
      name: z.string().max(255).optional().describe(
        "Its name in the vault; absent: the file's own. At most 255 bytes, no slash or backslash, " +
          "nothing that does not show.",
      ),
      content_type: z.string().min(1).max(127).optional().describe(
        "Kept with the file where the server can read it, such as image/png; absent: nothing is.",
      ),
      ...confirmArguments(z),
    }),
  output: (z) =>
    z.object({
      ...vaultChangeFields(z),
      plan: z.object({
        op: z.string(),
        source: z.string(),
        entry: z.string(),
        bytes: z.number(),
        destination: z.string(),
        path: z.string(),
      }).optional(),
      upload_allowance_left_bytes: z.number().optional().describe(
        "What the connection may still upload, before this; encrypted, a file is a little larger.",
      ),
      uploaded: z.string().optional().describe("Id of the new file in the vault."),
      path: z.string().optional().describe("Path of the new file in the vault."),
      bytes: z.number().optional(),
      sha256: z.string().optional().describe("Of the content, as read here and as read back."),
      verified: z.boolean().optional().describe("It was read back and is what was sent."),
      local_file_still_present: z.boolean().optional(),
      budget_remaining_bytes: z.number().optional(),
    }),
  plan: async (context: VaultContext, input) =>
    (await import("./work/upload.ts")).planUpload(context, input),
  apply: async (context, _input, plan) =>
    (await import("./work/upload.ts")).applyUpload(context, plan),
  summary(output) {
    const { plan, path = "", bytes = 0, local_file_still_present: isThere } = output;
    const original = isThere === undefined
      ? ""
      : `; the local file is ${isThere ? "still there" : "not there any more"}`;
    return changeSummary(
      output,
      `upload a copy of ${named(plan?.source ?? "")} (${formatBytes(plan?.bytes ?? 0)}) as ` +
        `${named(plan?.path ?? "")}; the local file stays`,
      `${named(path)} is in the vault (${formatBytes(bytes)}), was read back and is what was sent` +
        original,
    );
  },
});
