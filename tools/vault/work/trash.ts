// Carries out vault_trash. Of the server's answer only what is known to be harmless goes on: ids that were
// asked about, codes, and whether it worked.

import { notFound } from "../../../vault/client/refusals.ts";
import { checkTrash } from "../../../vault/client/rules.ts";
import type { TrashResult, VaultItem, VaultView } from "../../../vault/client/types.ts";
import { count } from "../../format.ts";
import type { VaultPlan } from "../change.ts";
import type { VaultContext } from "../context.ts";
import { identity, namedItem, warningsField } from "./plan.ts";

const RESTORE =
  "The owner gets them back in ShieldFive: from the Bin, or with Undo under Settings → AI " +
  "assistants → Activity";

export interface TrashPlan extends VaultPlan {
  view: VaultView;
  items: VaultItem[];
  /** Ids that are not within reach. */
  missing: string[];
}

/** @throws ToolError `not_found` where that holds for all, and as `VaultClient.view` and `checkTrash`. */
export async function planTrash(
  { client, signal, progress }: VaultContext,
  { item_ids }: { item_ids: string[] },
): Promise<TrashPlan> {
  const view = await client.view({ signal, progress });
  const ids = [...new Set(item_ids.map((id) => id.toLowerCase()))];
  const missing = ids.filter((id) => view.item(id) === undefined);
  const named = ids.flatMap((id) => view.item(id) ?? []);
  if (named.length === 0) throw notFound();
  const items = named.filter((item) => !view.ancestors(item).some(({ id }) => ids.includes(id)));
  checkTrash(view, items);
  const paths = items.map((item) => view.path(item));
  const within = named.length - items.length;
  return {
    view,
    items,
    missing,
    output: {
      performed: false,
      action: "trash",
      plan: {
        op: "trash",
        items: items.map((item, i) => ({ ...namedItem(item), path: paths[i] })),
        ...(missing.length === 0
          ? {}
          : { failed: missing.map((id) => ({ id, code: "not_found" })) }),
      },
      ...warningsField(
        within === 0
          ? []
          : [`${count(within, "item")} in folders that are named too go along with these`],
      ),
    },
    binding: {
      op: "trash",
      items: Object.fromEntries(items.map((item) => [item.id, identity(item)])),
      paths,
      missing,
    },
  };
}

/** @throws ToolError as `VaultClient.trash`. */
export async function applyTrash(
  { client, signal }: VaultContext,
  { view, items, missing, output }: TrashPlan,
) {
  const results = await client.trash(view, items, { signal });
  const failed = results.filter(({ ok }) => !ok);
  return {
    performed: true,
    action: output.action,
    trashed: results.filter(({ ok }) => ok).map((result) => ({
      ...told(view, result),
      ...(result.auditId === undefined ? {} : { audit_id: result.auditId }),
    })),
    failed: [
      ...failed.map((result) => ({ ...told(view, result), code: result.code ?? "refused" })),
      ...missing.map((id) => ({ id, ok: false, code: "not_found" })),
    ],
    restore: RESTORE,
    ...(output.warnings === undefined ? {} : { warnings: output.warnings }),
  };
}

function told(view: VaultView, { id, ok }: TrashResult) {
  const item = view.item(id)!;
  return { ...namedItem(item), ok, path: view.path(item) };
}
