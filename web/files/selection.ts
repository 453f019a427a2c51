// Which rows are selected.

import { useMemo, useState } from "preact/hooks";
import type { Item } from "../../vault/owner/mod.ts";

export interface Selection {
  ids: ReadonlySet<string>;
  /** The selected of the items that are shown, in their order. */
  items: Item[];
  has(id: string): boolean;
  /** Selects one or lets it go; with `range` everything from the last one that was touched. */
  toggle(id: string, range?: boolean): void;
  setAll(selected: boolean): void;
  clear(): void;
}

const NONE: ReadonlySet<string> = new Set();

/** The selection among the items that are shown; what is not shown any more is not selected. */
export function useSelection(shown: readonly Item[]): Selection {
  const [chosen, setChosen] = useState(NONE);
  const [last, setLast] = useState<string>();
  return useMemo(() => {
    const items = shown.filter(({ id }) => chosen.has(id));
    const ids = new Set(items.map(({ id }) => id));
    return {
      ids,
      items,
      has: (id) => ids.has(id),
      toggle(id, range = false) {
        setLast(id);
        setChosen(toggled(shown, ids, id, range ? last : undefined));
      },
      setAll: (selected) => setChosen(selected ? new Set(shown.map(({ id }) => id)) : NONE),
      clear: () => setChosen(NONE),
    };
  }, [shown, chosen, last]);
}

function toggled(
  shown: readonly Item[],
  ids: ReadonlySet<string>,
  id: string,
  from: string | undefined,
): ReadonlySet<string> {
  const result = new Set(ids);
  const [start, end] = [
    shown.findIndex((item) => item.id === from),
    shown.findIndex((item) => item.id === id),
  ];
  if (start >= 0 && end >= 0) {
    for (const item of shown.slice(Math.min(start, end), Math.max(start, end) + 1)) {
      result.add(item.id);
    }
  } else if (!result.delete(id)) result.add(id);
  return result;
}
