// What can be done with an item of the vault, and the dialogs that ask for what is needed.

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { File, Item } from "../../vault/owner/mod.ts";
import { type MenuItem, shownName, useStatus } from "../components/mod.ts";
import { useTransferQueue } from "../transfers/context.tsx";
import { useVault } from "../vault/context.tsx";
import { parentOf } from "../vault/tree.ts";
import { useChanges } from "./changes.ts";
import { DetailsDialog } from "./details_dialog.tsx";
import { downloadJob } from "./downloads.ts";
import { MoveDialog } from "./move_dialog.tsx";
import { NameDialog } from "./name_dialog.tsx";
import type { SelectionAction } from "./selection_bar.tsx";

/** Which dialog is open. */
type Asking =
  | { for: "new-folder" }
  | { for: "rename"; item: Item }
  | { for: "move"; items: Item[] }
  | { for: "details"; file: File };

export interface ItemDialogs {
  newFolder(): void;
  rename(item: Item): void;
  details(item: Item): void;
  menuOf(item: Item): MenuItem[];
  actions: SelectionAction[];
  elements: VNode | null;
}

/** Whether an item has to stay as it is. */
function isFixed(item: Item): boolean {
  return item.kind === "folder" && item.role !== "normal";
}

/** The dialogs of a folder's page; null is the top of the vault. */
export function useItemDialogs(folderId: string | null): ItemDialogs {
  const { tree, vault, client } = useVault();
  const queue = useTransferQueue();
  const status = useStatus();
  const changes = useChanges();
  const [asking, setAsking] = useState<Asking>();
  const close = () => setAsking(undefined);
  const download = async (items: readonly Item[]) => {
    try {
      const job = await downloadJob(tree!, items);
      if (job !== undefined) queue.add([job]);
    } catch (error) {
      status.notify({ kind: "failed", text: (error as Error).message });
    }
  };
  const isTaken = (parentId: string | null, except?: Item) => (name: string) =>
    tree!.children(parentId).some((item) => item.id !== except?.id && item.name === name);

  const dialogOf = (now: Asking): VNode => {
    switch (now.for) {
      case "new-folder":
        return (
          <NameDialog
            title="New folder"
            label="Name of the folder"
            action="Create"
            name=""
            isTaken={isTaken(folderId)}
            onClose={close}
            onName={async (name) => {
              await vault.createFolder(folderId, name);
              status.announce(`Folder ${shownName(name)} created.`);
            }}
          />
        );
      case "rename":
        return (
          <NameDialog
            title="Rename"
            label="New name"
            action="Rename"
            name={now.item.name ?? ""}
            isTaken={isTaken(parentOf(now.item), now.item)}
            onClose={close}
            onName={async (name) => {
              await vault.rename(now.item, name);
              status.announce(`Renamed to ${shownName(name)}.`);
            }}
          />
        );
      case "move":
        return (
          <MoveDialog
            tree={tree!}
            items={now.items}
            onClose={close}
            onFolder={(target) => changes.move(now.items, target)}
          />
        );
      case "details":
        return (
          <DetailsDialog
            file={now.file}
            client={client}
            onClose={close}
            onDownload={() => {
              close();
              download([now.file]);
            }}
          />
        );
    }
  };
  const move = (items: Item[]) => setAsking({ for: "move", items });
  const rename = (item: Item) => {
    if (item.name !== null && !isFixed(item)) setAsking({ for: "rename", item });
  };
  return {
    newFolder: () => setAsking({ for: "new-folder" }),
    rename,
    details(item) {
      if (item.kind === "file") setAsking({ for: "details", file: item });
    },
    menuOf(item) {
      const fixed = isFixed(item) || item.name === null;
      const details: MenuItem[] = item.kind === "folder" ? [] : [{
        label: "Details",
        icon: "info",
        onSelect: () => setAsking({ for: "details", file: item }),
      }];
      return [
        ...details,
        {
          label: item.kind === "folder" ? "Download as zip" : "Download",
          icon: "download",
          disabled: !item.readable,
          onSelect: () => download([item]),
        },
        { label: "Rename…", icon: "pencil", disabled: fixed, onSelect: () => rename(item) },
        { label: "Move…", icon: "move", disabled: fixed, onSelect: () => move([item]) },
        {
          label: "Move to Bin",
          icon: "bin",
          danger: true,
          disabled: fixed,
          onSelect: () => changes.toBin([item]),
        },
      ];
    },
    actions: [
      { label: "Download", icon: "download", run: download },
      { label: "Move…", icon: "move", run: move },
      { label: "Move to Bin", icon: "bin", run: changes.toBin },
    ],
    elements: asking === undefined ? null : dialogOf(asking),
  };
}
