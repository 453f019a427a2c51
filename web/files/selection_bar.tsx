// What can be done with the rows that are selected.

import type { Item } from "../../vault/owner/mod.ts";
import { Button, IconButton, type IconName } from "../components/mod.ts";
import { countText } from "../text/format.ts";
import type { Selection } from "./selection.ts";

/** One thing to do with several items. */
export interface SelectionAction {
  label: string;
  icon: IconName;
  danger?: boolean;
  run(items: Item[]): void;
}

/** The bar; nothing as long as nothing is selected. */
export function SelectionBar(
  { selection, actions }: { selection: Selection; actions: readonly SelectionAction[] },
) {
  const { items } = selection;
  if (items.length === 0) return null;
  return (
    <div class="selection-bar" role="toolbar" aria-label="What is selected">
      <IconButton icon="close" label="Clear the selection" onClick={selection.clear} />
      <span aria-live="polite">{countText(items.length, "item")} selected</span>
      <div class="selection-actions">
        {actions.map(({ label, icon, danger, run }) => (
          <Button
            key={label}
            icon={icon}
            variant={danger ? "caution" : "default"}
            onClick={() => run(items)}
          >
            {label}
          </Button>
        ))}
      </div>
    </div>
  );
}
