// What the tools that change the vault have in common: the fields of a preview and of a result, and how both
// are told in one line.

import { changeFields } from "../confirm.ts";
import type { Plan, Schemas } from "../tool.ts";

/** An item in a plan and in a result. */
export interface Named {
  id: string;
  kind: "file" | "folder";
}

export function namedSchema(z: Schemas) {
  return { id: z.string(), kind: z.enum(["file", "folder"]) };
}

/** The fields of a change's output beside the ones of its own. */
export function vaultChangeFields(z: Schemas) {
  return {
    ...changeFields(z),
    audit_id: z.string().optional().describe(
      "The server's record of the change, under Settings → AI assistants → Activity in ShieldFive.",
    ),
    outcome: z.enum(["done", "done_after_read_back"]).optional().describe(
      "done_after_read_back: the server's answer was lost, and the vault, read again, shows the change. " +
        "A change that was not made, or of which that is not known, is an error.",
    ),
  };
}

/** A preview of a change, made with the view that it is to be carried out on. */
export interface VaultPlan extends Plan {
  output: { performed: boolean; action: string; warnings?: string[] } & Record<string, unknown>;
}

interface Told {
  performed: boolean;
  outcome?: string;
  warnings?: readonly string[];
}

/**
 * The one line of a change.
 *
 * @param plan what would be done, as in "rename “a” to “b”".
 * @param done what was done, as in "renamed “a” to “b”".
 */
export function changeSummary(
  { performed, outcome, warnings = [] }: Told,
  plan: string,
  done: string,
) {
  const notes = warnings.map((warning) => ` Note: ${warning}.`).join("");
  if (!performed) return `Planned (nothing changed): ${plan}.${notes}`;
  const how = outcome === "done_after_read_back"
    ? " The server's answer was lost; the vault was read again, and it is done."
    : "";
  return `Done: ${done}. It can be undone in ShieldFive → Settings → AI assistants → Activity.${how}${notes}`;
}
