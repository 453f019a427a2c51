// Carries out vault_create_folder.

import { checkCreateFolder, requireFolder } from "../../../vault/client/rules.ts";
import type { VaultFolder, VaultView } from "../../../vault/client/types.ts";
import type { VaultPlan } from "../change.ts";
import type { VaultContext } from "../context.ts";
import { alike, pathIn, warningsField } from "./plan.ts";
import { resultOf } from "./result.ts";
import { written } from "./rows.ts";

interface Input {
  parent_folder_id: string;
  name: string;
}

export interface CreateFolderPlan extends VaultPlan {
  view: VaultView;
  parent: VaultFolder;
}

/** @throws ToolError `not_found`, and as `VaultClient.view` and `checkCreateFolder`. */
export async function planCreateFolder(
  { client, signal, progress }: VaultContext,
  { parent_folder_id, name }: Input,
): Promise<CreateFolderPlan> {
  const view = await client.view({ signal, progress });
  const parent = requireFolder(view, parent_folder_id.toLowerCase());
  checkCreateFolder(view, parent, name);
  const updated = written(parent.updatedAt);
  const shown = {
    op: "create_folder",
    parent: parent.id,
    ...(updated === undefined ? {} : { parent_updated: updated }),
    path: pathIn(view, parent, name),
  };
  return {
    view,
    parent,
    output: {
      performed: false,
      action: "create_folder",
      plan: shown,
      ...warningsField(alike(view, parent.id, name)),
    },
    binding: shown,
  };
}

/** @throws ToolError as `VaultClient.createFolder`. */
export async function applyCreateFolder(
  { client, signal }: VaultContext,
  { name }: Input,
  { view, parent, output }: CreateFolderPlan,
) {
  const changed = await client.createFolder(view, parent, name, { signal });
  return {
    ...resultOf(changed, output),
    created: changed.id,
    path: pathIn(view, parent, name),
  };
}
