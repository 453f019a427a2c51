// What every change takes and gives, whatever it changes: the arguments that confirm it, and the fields of
// its preview (local-tools spec, 1.0.2).

import { createHash } from "../containment/node.ts";
import type { Schemas } from "./tool.ts";

/** The arguments with which every change is confirmed. */
export function confirmArguments(z: Schemas) {
  return {
    confirm: z.boolean().default(false).describe(
      "Carry the change out. Without it the tool plans, reports, returns a plan_token and changes nothing.",
    ),
    plan_token: z.string().max(200).optional().describe(
      "With confirm: the token of the preview that the user has seen. It performs one change, within ten minutes.",
    ),
  };
}

/** SHA-256 of the token that approved a call, for the manifest; undefined at the terminal. */
export function approvalOf(input: { plan_token?: string }): string | undefined {
  const token = /plan_[0-9a-f]{32}/.exec(input.plan_token ?? "")?.[0];
  return token === undefined ? undefined : createHash("sha256").update(token).digest("hex");
}

/** The output fields that every change has. */
export function changeFields(z: Schemas) {
  return {
    performed: z.boolean().describe("False for a preview: nothing was changed."),
    action: z.string(),
    plan_token: z.string().optional().describe("Confirms this very plan; only in a preview."),
    expires_at: z.string().optional(),
    warnings: z.array(z.string()).optional(),
  };
}
