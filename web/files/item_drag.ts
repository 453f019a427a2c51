// Dragging rows onto folders. It is a short cut: the same can be done from the menu of a row.

import { useRef, useState } from "preact/hooks";
import type { Item } from "../../vault/owner/mod.ts";

/** Marks what is dragged as ours; which items they are stays in this page. */
const TYPE = "application/x-shieldfive-items";

interface DropAttributes {
  onDragOver(event: DragEvent): void;
  onDragLeave(): void;
  onDrop(event: DragEvent): void;
  "data-drop": boolean;
}

export interface ItemDrag {
  /** Whether something is held over a folder. */
  isOver(folderId: string): boolean;
  /** Makes a row one that can be dragged and, when it is a folder, dropped on. */
  row(item: Item, dragged: () => Item[]): object;
  /** Makes something a place to drop on; null is the top of the vault. */
  target(folderId: string | null): DropAttributes;
}

/** The state of a drag, which ends in a call of `onMove`. */
export function useItemDrag(onMove: (items: Item[], folderId: string | null) => void): ItemDrag {
  const dragged = useRef<Item[]>([]);
  const move = useRef(onMove);
  move.current = onMove;
  const [over, setOver] = useState<string | null>();
  const target = (folderId: string | null): DropAttributes => ({
    "data-drop": over === folderId,
    onDragOver(event) {
      if (!event.dataTransfer?.types.includes(TYPE)) return;
      if (dragged.current.some(({ id }) => id === folderId)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "move";
      setOver(folderId);
    },
    onDragLeave: () => setOver(undefined),
    onDrop(event) {
      if (!event.dataTransfer?.types.includes(TYPE)) return;
      event.preventDefault();
      setOver(undefined);
      move.current(dragged.current, folderId);
    },
  });
  return {
    isOver: (folderId) => over === folderId,
    target,
    row: (item, items) => ({
      draggable: true,
      onDragStart(event: DragEvent) {
        event.dataTransfer!.setData(TYPE, "");
        event.dataTransfer!.effectAllowed = "move";
        dragged.current = items();
      },
      onDragEnd() {
        dragged.current = [];
        setOver(undefined);
      },
      ...(item.kind === "folder" ? target(item.id) : {}),
    }),
  };
}
