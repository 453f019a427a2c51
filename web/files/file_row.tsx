// One row of a folder's table. While names are opened a tree comes several times a second, and a table may have
// thousands of rows: a row is drawn again only when something that it shows has changed.

import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { Item } from "../../vault/owner/mod.ts";
import { Checkbox, Icon, Menu, type MenuItem, Name, shownName } from "../components/mod.ts";
import { Link } from "../shell/router.tsx";
import { dateText, sizeText, timeText } from "../text/format.ts";
import type { ItemDrag } from "./item_drag.ts";
import { iconOf } from "./kinds.ts";

/** What a row asks of its table, by the item's id. The same object for as long as the table is there. */
export interface RowActions {
  toggle(id: string): void;
  open(id: string): void;
  menuOf(id: string): readonly MenuItem[];
  /** What is dragged when this row is. */
  draggedWith(id: string): Item[];
}

export interface FileRowProps {
  item: Item;
  selected: boolean;
  /** Where it lies, when that is to be said. */
  path: string | undefined;
  /** Where a folder's link leads. */
  address: string;
  canOpen: boolean;
  actions: RowActions;
  drag?: ItemDrag;
}

/** The row. */
export function FileRow(props: FileRowProps) {
  const { item, selected, path, address, canOpen, actions, drag } = props;
  const shows = [item.name, item.pending, item.readable, item.updatedAt];
  const over = drag?.isOver(item.id) ?? false;
  return useMemo(() => <Row {...props} />, [
    ...shows,
    selected,
    over,
    path,
    address,
    canOpen,
    actions,
  ]);
}

function Row({ item, selected, path, address, canOpen, actions, drag }: FileRowProps) {
  const { id } = item;
  const name = shownName(item.name);
  return (
    <tr
      class={selected ? "selected" : undefined}
      {...drag?.row(item, () => actions.draggedWith(id))}
    >
      <td class="cell-box">
        <Checkbox
          bare
          label={`Select ${name}`}
          checked={selected}
          onChecked={() => actions.toggle(id)}
        />
      </td>
      <th scope="row" class="cell-main">
        <ItemLink item={item} address={address} onOpen={canOpen ? actions.open : undefined}>
          <span class={`item-icon ${item.kind}`}>
            <Icon name={iconOf(item)} size={20} />
          </span>
          <span class="item-text">
            <Name name={item.name} pending={item.pending} />
            <Detail item={item} path={path} />
          </span>
        </ItemLink>
      </th>
      <td class="cell-number wide-only">{item.kind === "file" ? sizeText(item.size) : "–"}</td>
      <td class="cell-date wide-only" title={timeText(item.updatedAt)}>
        {dateText(item.updatedAt)}
      </td>
      <td class="cell-actions">
        <Menu label={`Actions for ${name}`} items={() => actions.menuOf(id)} />
      </td>
    </tr>
  );
}

/** What stands below a name: where it lies in a search, size and day on a narrow screen. */
function Detail({ item, path }: { item: Item; path: string | undefined }) {
  const size = item.kind === "file" ? `${sizeText(item.size)} · ` : "";
  return (
    <span class="item-detail">
      {path && <bdi class="item-path">{path}</bdi>}
      <span class="narrow-only">{size}{dateText(item.updatedAt)}</span>
      {!item.readable && <span class="fault">cannot be opened</span>}
    </span>
  );
}

interface ItemLinkProps {
  item: Item;
  address: string;
  onOpen: ((id: string) => void) | undefined;
  children: ComponentChildren;
}

function ItemLink({ item: { id, kind }, address, onOpen, children }: ItemLinkProps) {
  if (kind === "folder") return <Link class="item-link" to={address} item={id}>{children}</Link>;
  if (onOpen === undefined) {
    return <span class="item-link" data-id={id} tabIndex={0}>{children}</span>;
  }
  return (
    <button type="button" class="item-link" data-id={id} onClick={() => onOpen(id)}>
      {children}
    </button>
  );
}
