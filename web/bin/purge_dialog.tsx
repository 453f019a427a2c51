// The question before something is deleted for good: what it is, and a word to type.

import type { Item, Tree } from "../../vault/owner/mod.ts";
import { ConfirmDialog, useStatus } from "../components/mod.ts";
import { sayFailures, whatText } from "../files/changes.ts";
import { measure } from "../files/downloads.ts";
import { countText, sizeText } from "../text/format.ts";
import { useVault } from "../vault/context.tsx";

/** What has to be typed. */
const WORD = "delete";

/** How much is deleted, in words. */
function amountText(tree: Tree, items: readonly Item[]): string {
  const { files, folders, bytes } = measure(tree, items);
  if (files === 0) return countText(folders, "folder");
  return `${countText(files, "file")} with ${sizeText(bytes)}`;
}

/** Asks, and deletes. */
export function PurgeDialog(
  { tree, items, onClose }: { tree: Tree; items: Item[]; onClose(): void },
) {
  const { vault } = useVault();
  const status = useStatus();
  const purge = async () => {
    const { failed } = await vault.purge(items);
    sayFailures(status, { failed }, "was not deleted");
    // What is gone is not among what is done.
    const kept = new Set(failed.map(({ item }) => item.id));
    const gone = items.filter(({ id }) => !kept.has(id));
    if (gone.length === 0) return;
    status.notify({ kind: "done", text: `${whatText(gone)} deleted for good.` });
  };
  return (
    <ConfirmDialog
      title={`Delete ${whatText(items)} for good?`}
      action="Delete for good"
      danger
      typed={WORD}
      onClose={onClose}
      onConfirm={purge}
    >
      <p>
        {amountText(tree, items)}{" "}
        will be removed from the server. Nobody can bring this back, with any key.
      </p>
    </ConfirmDialog>
  );
}
