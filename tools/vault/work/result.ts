// The result of a change that was made.

import type { Changed } from "../../../vault/client/types.ts";
import type { VaultPlan } from "../change.ts";

/** @param shown the preview, whose warnings are said again. */
export function resultOf({ auditId, outcome }: Changed, { action, warnings }: VaultPlan["output"]) {
  return {
    performed: true,
    action,
    outcome,
    ...(auditId === undefined ? {} : { audit_id: auditId }),
    ...(warnings === undefined ? {} : { warnings }),
  };
}
