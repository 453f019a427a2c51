// The head of a column that a table can be sorted by: a button, and the order for screen readers.

import { Icon } from "./icon.tsx";

export interface SortHeaderProps {
  title: string;
  /** How the table is sorted by this column; undefined when by another. */
  direction?: "ascending" | "descending";
  onSort(): void;
  class?: string;
}

/** The head of a column that a table can be sorted by. */
export function SortHeader({ title, direction, onSort, class: className }: SortHeaderProps) {
  return (
    <th scope="col" aria-sort={direction ?? "none"} class={className}>
      <button type="button" class="sort" onClick={onSort}>
        <span>{title}</span>
        {direction && <Icon name={direction === "ascending" ? "arrowUp" : "arrowDown"} size={14} />}
      </button>
    </th>
  );
}
