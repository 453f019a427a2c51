// Carries out vault_rename.

import { ToolError } from "../../../containment/error.ts";
import { quote } from "../../../containment/text.ts";
import { checkRename, requireItem } from "../../../vault/client/rules.ts";
import type { VaultItem, VaultView } from "../../../vault/client/types.ts";
import type { VaultPlan } from "../change.ts";
import type { VaultContext } from "../context.ts";
import { alike, identity, namedItem, pathIn, warningsField } from "./plan.ts";
import { resultOf } from "./result.ts";
import { extensionOf } from "./rows.ts";

interface Input {
  item_id: string;
  new_name: string;
}

export interface RenamePlan extends VaultPlan {
  view: VaultView;
  item: VaultItem;
}

/** @throws ToolError `not_found`, and as `VaultClient.view` and `checkRename`. */
export async function planRename(
  { client, signal, progress }: VaultContext,
  { item_id, new_name }: Input,
): Promise<RenamePlan> {
  const view = await client.view({ signal, progress });
  const item = requireItem(view, item_id.toLowerCase());
  checkRename(view, item, new_name);
  if (item.rawName === new_name) {
    throw new ToolError("invalid_name", "it has that name already; nothing was changed");
  }
  const from = view.path(item);
  const shown = { op: "rename", from, to_name: new_name };
  const warnings = [
    ...extensionWarnings(item, new_name),
    ...alike(view, item.parentId, new_name, item),
  ];
  return {
    view,
    item,
    output: {
      performed: false,
      action: "rename",
      plan: { ...shown, item: namedItem(item) },
      ...warningsField(warnings),
    },
    binding: { ...shown, item: identity(item) },
  };
}

/** @throws ToolError as `VaultClient.rename`. */
export async function applyRename(
  { client, signal }: VaultContext,
  { new_name }: Input,
  { view, item, output }: RenamePlan,
) {
  const changed = await client.rename(view, item, new_name, { signal });
  const folder = view.folders.get(item.parentId!)!;
  return {
    ...resultOf(changed, output),
    renamed: { ...namedItem(item), from: view.path(item), path: pathIn(view, folder, new_name) },
  };
}

function extensionWarnings({ kind, rawName }: VaultItem, to: string): string[] {
  const [before, after] = [extensionOf(rawName) ?? "", extensionOf(to) ?? ""];
  if (kind === "folder" || before === after) return [];
  return [`the extension changes from ${quote(before)} to ${quote(after)}`];
}
