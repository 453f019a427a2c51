// Changes to several items, with what there is to say afterwards and the way back.

import type { BulkResult, Item, Tree } from "../../vault/owner/mod.ts";
import { shownName, type Status, useStatus } from "../components/mod.ts";
import { countText } from "../text/format.ts";
import { reasonText } from "../text/sentence.ts";
import { useVault } from "../vault/context.tsx";
import { parentOf } from "../vault/tree.ts";

/** One item by its name, several by their number. */
export function whatText(items: readonly Item[]): string {
  return items.length === 1 ? `“${shownName(items[0].name)}”` : countText(items.length, "item");
}

/** A folder in a sentence; null is the top. */
export function folderText(tree: Tree, id: string | null): string {
  return id === null
    ? "the top of the vault"
    : `“${shownName(tree.folders.get(id)?.name ?? null)}”`;
}

/** Says which of several items were left as they were, and why. */
export function sayFailures(
  status: Status,
  { failed }: Pick<BulkResult, "failed">,
  left: string,
): void {
  if (failed.length === 0) return;
  const reasons = [...new Set(failed.map(({ code }) => reasonText(code)))].join("; ");
  status.notify({
    kind: "failed",
    text: `${whatText(failed.map(({ item }) => item))} ${left}: ${reasons}.`,
  });
}

export interface Changes {
  move(items: Item[], folderId: string | null): Promise<void>;
  toBin(items: Item[]): Promise<void>;
}

/** Moves to other folders and to the Bin. They do not throw: failures are said. */
export function useChanges(): Changes {
  const { vault, tree } = useVault();
  const status = useStatus();

  const attempt = async (change: () => Promise<void>) => {
    try {
      await change();
    } catch (error) {
      status.notify({ kind: "failed", text: (error as Error).message });
    }
  };
  /** Puts what was moved back to where each was before. */
  const moveBack = (before: readonly Item[], moved: readonly Item[]) =>
    attempt(async () => {
      const origin = new Map(before.map((item) => [item.id, parentOf(item)]));
      for (const [folderId, items] of Map.groupBy(moved, ({ id }) => origin.get(id)!)) {
        sayFailures(status, await vault.move(items, folderId), "did not go back");
      }
      status.notify({ kind: "done", text: "Moved back." });
    });

  return {
    move: (items, folderId) =>
      attempt(async () => {
        const result = await vault.move(items, folderId);
        sayFailures(status, result, "stayed where it was");
        if (result.done.length === 0) return;
        status.notify({
          kind: "done",
          text: `${whatText(result.done)} moved to ${folderText(tree!, folderId)}.`,
          action: { label: "Undo", onSelect: () => moveBack(items, result.done) },
        });
      }),
    toBin: (items) =>
      attempt(async () => {
        const result = await vault.toBin(items);
        sayFailures(status, result, "did not go to the Bin");
        if (result.done.length === 0) return;
        const restore = () =>
          attempt(async () => {
            sayFailures(status, await vault.restore(result.done), "stayed in the Bin");
            status.notify({ kind: "done", text: "Restored." });
          });
        status.notify({
          kind: "done",
          text: `${whatText(result.done)} moved to the Bin.`,
          action: { label: "Undo", onSelect: restore },
        });
      }),
  };
}
