// vault_move_in: frees space by moving local files into the vault, one by one: each is uploaded, read back and
// compared before its original goes to the local trash (vault spec, 11). Nothing is deleted.

import { visible } from "../../containment/text.ts";
import { changeFields, confirmArguments } from "../confirm.ts";
import { count, formatBytes } from "../format.ts";
import { defineChange } from "../tool.ts";
import type { VaultContext } from "./context.ts";
import { CHANGES_VAULT, id } from "./schemas.ts";
import { named } from "./summarize.ts";

/** Files in one call. */
const MAX_PATHS = 50;

export const moveIn = defineChange({
  name: "vault_move_in",
  set: "vault",
  command: ["move-in"],
  title: "Move into the vault",
  brief: "Move local files into your vault; originals go to the local trash",
  description:
    "Moves up to 50 local files into a folder of the user's ShieldFive vault, one by one: each is " +
    "encrypted on this computer, uploaded, read back and compared, and only then its original goes to " +
    "the trash folder on its own volume, with a manifest that names its copy. Nothing is deleted and " +
    "no disk space is freed until the user empties that folder; restore_local puts originals back. " +
    "Nothing in the vault is replaced. It stops at the first failure and says what became of every " +
    "file. Needs a connection that may add files. Without confirm it only plans: it reports what it " +
    "would do, returns a plan_token and changes nothing.",
  effect: "change",
  room: "vault",
  usesFolders: true,
  hints: { ...CHANGES_VAULT, destructiveHint: true },
  terminal: {
    positionals: ["paths…"],
    usage: "FILE… --to WHERE",
    optionNames: { destination_folder_id: "to" },
    vaultItems: ["destination_folder_id"],
    examples: [{
      line: "shieldfive move-in Films/*.mov --to /Films",
      does: "`shieldfive restore` puts the originals back",
    }],
  },
  input: (z) =>
    z.strictObject({
      paths: z.array(z.string()).min(1).max(MAX_PATHS).describe(
        `Absolute paths of the files, 1 to ${MAX_PATHS}.`,
      ),
      destination_folder_id: id(z).describe("Id of the vault's folder to move them into."),
      ...confirmArguments(z),
    }),
  output: (z) =>
    z.object({
      ...changeFields(z),
      destination: z.string().describe("Id of the vault's folder."),
      destination_path: z.string(),
      files: z.array(z.object({
        source: z.string(),
        bytes: z.number(),
        bytes_human: z.string(),
        vault_path: z.string(),
        trash_directory: z.string(),
      })).optional(),
      total_bytes: z.number().optional(),
      upload_allowance_left_bytes: z.number().optional().describe(
        "What the connection may still upload, before this; encrypted, a file is a little larger.",
      ),
      left_out: z.array(z.object({ source: z.string(), code: z.string(), message: z.string() }))
        .optional().describe("Files that the vault cannot take; they stay where they are."),
      moved: z.array(z.object({
        source: z.string(),
        bytes: z.number(),
        vault_file_id: z.string(),
        vault_path: z.string(),
        sha256: z.string(),
        trashed_to: z.string(),
      })).optional(),
      trash_batch: z.string().optional(),
      space_freed_bytes: z.number().optional().describe("Always 0."),
      space_recoverable_bytes: z.number().optional().describe(
        "What is free once the user empties the trash folder.",
      ),
      budget_remaining_bytes: z.number().optional(),
    }),
  plan: async (context: VaultContext, input) =>
    (await import("./work/move_in_plan.ts")).planMoveIn(context, input),
  apply: async (context, input, plan) =>
    (await import("./work/move_in.ts")).applyMoveIn(context, input, plan),
  partial: ({ performed, left_out = [] }) => performed && left_out.length > 0,
  summary(output) {
    const { files = [], moved = [], left_out = [], destination_path, warnings = [] } = output;
    const sum = (rows: readonly { bytes: number }[]) =>
      formatBytes(rows.reduce((total, { bytes }) => total + bytes, 0));
    const stays = left_out.length === 0
      ? ""
      : ` ${count(left_out.length, "file")} left out, which the vault cannot take ` +
        `(first: ${visible(left_out[0].message)}).`;
    const notes = warnings.map((warning) => ` Note: ${warning}.`).join("");
    const to = named(destination_path);
    if (!output.performed) {
      const places = [...new Set(files.map(({ trash_directory }) => named(trash_directory)))];
      return `Planned (nothing changed): move ${count(files.length, "file")} (${
        sum(files)
      }) into ` +
        `${to} of the vault. Each is uploaded, read back and compared, and only then its original ` +
        `goes to the trash in ${
          places.join(", ")
        }. Nothing will be deleted, and no disk space is ` +
        `freed until the user empties that folder.${stays}${notes}`;
    }
    return `Moved ${count(moved.length, "file")} (${
      sum(moved)
    }) into ${to} of the vault: each was ` +
      "read back and is what was sent. The originals are in the local trash, batch " +
      `${output.trash_batch}; NOTHING WAS DELETED and no disk space was freed: that happens when the ` +
      `user empties the trash folder.${stays}${notes}`;
  },
  view: ({ files = [], moved = [], left_out = [] }) => ({
    tables: [{
      columns: [
        { title: "Size", kind: "size" },
        { title: "File", kind: "path" },
        { title: "In the vault", kind: "path" },
      ],
      rows: (files.length > 0 ? files : moved)
        .map(({ bytes, source, vault_path }) => [bytes, source, vault_path]),
    }],
    lines: left_out.map(({ message }) => message),
  }),
});
