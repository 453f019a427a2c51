// Carries out vault_move.

import { checkMove, requireFolder, requireItem } from "../../../vault/client/rules.ts";
import type { VaultFolder, VaultItem, VaultView } from "../../../vault/client/types.ts";
import type { VaultPlan } from "../change.ts";
import type { VaultContext } from "../context.ts";
import { alike, identity, namedItem, pathIn, warningsField } from "./plan.ts";
import { resultOf } from "./result.ts";

export interface MovePlan extends VaultPlan {
  view: VaultView;
  item: VaultItem;
  destination: VaultFolder;
}

/** @throws ToolError `not_found`, and as `VaultClient.view` and `checkMove`. */
export async function planMove(
  { client, signal, progress }: VaultContext,
  input: { item_id: string; destination_folder_id: string },
): Promise<MovePlan> {
  const view = await client.view({ signal, progress });
  const item = requireItem(view, input.item_id.toLowerCase());
  const destination = requireFolder(view, input.destination_folder_id.toLowerCase());
  checkMove(view, item, destination);
  const shown = {
    op: "move",
    from: view.path(item),
    to: pathIn(view, destination, item.name!),
    dest: destination.id,
  };
  return {
    view,
    item,
    destination,
    output: {
      performed: false,
      action: "move",
      plan: { ...shown, item: namedItem(item) },
      ...warningsField(alike(view, destination.id, item.rawName!, item)),
    },
    binding: { ...shown, item: identity(item) },
  };
}

/** @throws ToolError as `VaultClient.move`. */
export async function applyMove(
  { client, signal }: VaultContext,
  { view, item, destination, output }: MovePlan,
) {
  const changed = await client.move(view, item, destination, { signal });
  return {
    ...resultOf(changed, output),
    moved: {
      ...namedItem(item),
      from: view.path(item),
      path: pathIn(view, destination, item.name!),
    },
  };
}
