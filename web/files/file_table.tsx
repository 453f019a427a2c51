// The table of a folder: sorted by its heads, selected by its boxes, walked with the arrow keys. Thousands of
// rows are drawn as one comes to them.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Item, Tree } from "../../vault/owner/mod.ts";
import { Checkbox, type MenuItem, SortHeader } from "../components/mod.ts";
import { FileRow, type RowActions } from "./file_row.tsx";
import { parentOf } from "../vault/tree.ts";
import type { ItemDrag } from "./item_drag.ts";
import type { Selection } from "./selection.ts";
import { sortedBy, type Sorting, type SortKey } from "./sorting.ts";

export interface FileTableProps {
  caption: string;
  tree: Tree;
  /** In the order in which they are shown. */
  items: readonly Item[];
  selection: Selection;
  sorting: Sorting;
  onSorting(sorting: Sorting): void;
  /** Says where each lies: for results of a search. */
  withPath?: boolean;
  menuOf(item: Item): MenuItem[];
  /** Absent: files cannot be opened. */
  onOpenFile?(item: Item): void;
  /** Where a folder's link leads; absent: to the folder among the files. */
  linkOf?(item: Item): string;
  /** F2 and Delete on a row. */
  onRename?(item: Item): void;
  onRemove?(items: Item[]): void;
  drag?: ItemDrag;
}

const PAGE = 200;

/** How many rows are drawn: more when the end of them comes into sight. */
function useGrowing(total: number, key: unknown) {
  const [count, setCount] = useState(PAGE);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => setCount(PAGE), [key]);
  useEffect(() => {
    if (count >= total) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setCount(count + PAGE);
    }, { rootMargin: "600px" });
    observer.observe(end.current!);
    return () => observer.disconnect();
  }, [count, total]);
  return { count, end };
}

/** Moves the focus from row to row, as lists do. */
function walk(event: KeyboardEvent): boolean {
  const row = (event.target as Element).closest("tbody tr");
  const next = {
    ArrowDown: row?.nextElementSibling,
    ArrowUp: row?.previousElementSibling,
    Home: row?.parentElement?.firstElementChild,
    End: row?.parentElement?.lastElementChild,
  }[event.key];
  const target = next?.querySelector<HTMLElement>(".item-link");
  if (target === undefined || target === null) return false;
  target.focus();
  return true;
}

/** What rows call. It is the same from one drawing to the next, so that a row is drawn again only if it changed. */
function useRowActions(props: FileTableProps): RowActions {
  const current = useRef(props);
  current.current = props;
  return useMemo((): RowActions => {
    const itemOf = (id: string) => current.current.items.find((item) => item.id === id);
    return {
      toggle: (id) => current.current.selection.toggle(id),
      open(id) {
        const item = itemOf(id);
        if (item !== undefined) current.current.onOpenFile?.(item);
      },
      menuOf(id) {
        const item = itemOf(id);
        return item === undefined ? [] : current.current.menuOf(item);
      },
      draggedWith(id) {
        const { selection } = current.current;
        return selection.has(id)
          ? selection.items
          : [itemOf(id)].filter((item) => item !== undefined);
      },
    };
  }, []);
}

/** The table. */
export function FileTable(props: FileTableProps) {
  const { caption, tree, items, selection, sorting, onSorting, onRename, onRemove } = props;
  const { linkOf = ({ id }) => `folder=${id}` } = props;
  const actions = useRowActions(props);
  const { count, end } = useGrowing(items.length, caption);
  const chosen = selection.items.length;
  const onKeyDown = (event: KeyboardEvent) => {
    const link = (event.target as Element).closest<HTMLElement>(".item-link");
    if (link === null) return;
    const item = items.find(({ id }) => id === link.dataset.id);
    if (item === undefined) return;
    const those = selection.has(item.id) ? selection.items : [item];
    if (event.key === " ") selection.toggle(item.id, event.shiftKey);
    else if (event.key === "F2" && onRename) onRename(item);
    else if (event.key === "Delete" && onRemove) onRemove(those);
    else if (event.key === "Escape") selection.clear();
    else if (event.key === "a" && (event.ctrlKey || event.metaKey)) selection.setAll(true);
    else if (!walk(event)) return;
    event.preventDefault();
  };
  const head = (key: SortKey, title: string, className?: string) => (
    <SortHeader
      title={title}
      class={className}
      direction={sorting.key === key ? sorting.direction : undefined}
      onSort={() => onSorting(sortedBy(key, sorting))}
    />
  );
  return (
    <div class="table-frame">
      <table class="files" onKeyDown={onKeyDown}>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            <td class="cell-box">
              <Checkbox
                bare
                label="Select all"
                checked={chosen > 0 && chosen === items.length}
                mixed={chosen > 0 && chosen < items.length}
                onChecked={selection.setAll}
              />
            </td>
            {head("name", "Name", "cell-main")}
            {head("size", "Size", "cell-number wide-only")}
            {head("changed", "Changed", "cell-date wide-only")}
            <th scope="col" class="cell-actions">
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.slice(0, count).map((item) => (
            <FileRow
              key={item.id}
              item={item}
              selected={selection.has(item.id)}
              path={props.withPath ? placeOf(tree, item) : undefined}
              address={linkOf(item)}
              canOpen={props.onOpenFile !== undefined}
              actions={actions}
              drag={props.drag}
            />
          ))}
        </tbody>
      </table>
      <div ref={end} />
    </div>
  );
}

/** The path of the folder that an item lies in. */
function placeOf(tree: Tree, item: Item): string {
  const folder = tree.folders.get(parentOf(item) ?? "");
  return folder === undefined ? "/" : tree.path(folder);
}
