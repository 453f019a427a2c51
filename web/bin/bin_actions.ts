// What can be done in the Bin: bringing back, and asking for a deletion.

import { useState } from "preact/hooks";
import type { Item, Tree } from "../../vault/owner/mod.ts";
import { type MenuItem, useStatus } from "../components/mod.ts";
import { sayFailures, whatText } from "../files/changes.ts";
import type { SelectionAction } from "../files/selection_bar.tsx";
import { useVault } from "../vault/context.tsx";

/**
 * What of some items can be restored or deleted. The bins of connections stay where they are, and what is in
 * them counts instead.
 */
export function loose(tree: Tree, items: readonly Item[]): Item[] {
  return items.flatMap((item) =>
    item.kind === "folder" && item.role === "connection-bin"
      ? loose(tree, tree.children(item.id))
      : [item]
  );
}

export interface BinActions {
  /** What the person is asked about before it is deleted; undefined for nothing. */
  purging: Item[] | undefined;
  stopPurging(): void;
  purge(items: readonly Item[]): void;
  menuOf(item: Item): MenuItem[];
  forSelection: SelectionAction[];
}

/** The actions, and the question that is open. */
export function useBinActions(tree: Tree): BinActions {
  const { vault } = useVault();
  const status = useStatus();
  const [purging, setPurging] = useState<Item[]>();
  const purge = (items: readonly Item[]) => {
    const those = loose(tree, items);
    if (those.length > 0) setPurging(those);
  };
  const restore = async (items: readonly Item[]) => {
    try {
      const result = await vault.restore(loose(tree, items));
      sayFailures(status, result, "stayed in the Bin");
      if (result.done.length === 0) return;
      status.notify({ kind: "done", text: `${whatText(result.done)} restored.` });
    } catch (error) {
      status.notify({ kind: "failed", text: (error as Error).message });
    }
  };
  const actions = [
    { label: "Restore", icon: "restore", run: restore },
    { label: "Delete for good…", icon: "bin", danger: true, run: purge },
  ] as const;
  return {
    purging,
    stopPurging: () => setPurging(undefined),
    purge,
    forSelection: [...actions],
    menuOf(item) {
      const disabled = loose(tree, [item]).length === 0;
      return actions.map(({ run, ...action }) => ({
        ...action,
        disabled,
        onSelect: () => run([item]),
      }));
    },
  };
}
