// One folder: what is in it, what can be done with it, and what a search of the vault found.

import { useMemo, useState } from "preact/hooks";
import type { Folder, Item, Tree } from "../../vault/owner/mod.ts";
import { Button, EmptyState, Menu, Name, Page, shownName } from "../components/mod.ts";
import { countText } from "../text/format.ts";
import { DropZone } from "../uploads/drop_zone.tsx";
import { type Upload, useUpload } from "../uploads/use_upload.tsx";
import { RefreshButton, RefreshState } from "../vault/refresh_state.tsx";
import { Breadcrumbs } from "./breadcrumbs.tsx";
import { useChanges } from "./changes.ts";
import { FileTable } from "./file_table.tsx";
import { useItemDialogs } from "./item_dialogs.tsx";
import { useItemDrag } from "./item_drag.ts";
import { search } from "./search.ts";
import { SearchField } from "./search_field.tsx";
import { useSelection } from "./selection.ts";
import { SelectionBar } from "./selection_bar.tsx";
import { FIRST_SORTING, sorted } from "./sorting.ts";

/** The Bin has a view of its own; the Media folder, which comes with a vault, shows once something is in it. */
function isShown(tree: Tree, { id }: Item): boolean {
  return id !== tree.binId && (id !== tree.mediaId || tree.children(id).length > 0);
}

/** What is shown: a folder's own, or what has the words that are searched for; and in which order. */
function useListing(tree: Tree, folderId: string | null) {
  const [sorting, setSorting] = useState(FIRST_SORTING);
  const [sought, setSought] = useState("");
  const searching = sought.trim() !== "";
  const items = useMemo(() => {
    const found = searching ? search(tree, sought) : tree.children(folderId);
    return sorted(found.filter((item) => isShown(tree, item)), sorting);
  }, [tree, folderId, sought, sorting]);
  return { items, searching, sought, setSought, sorting, setSorting };
}

/** The page of a folder; of the top of the vault for undefined. */
export function FolderPage({ tree, folder }: { tree: Tree; folder: Folder | undefined }) {
  const id = folder?.id ?? null;
  const title = folder === undefined ? "All files" : shownName(folder.name);
  const { items, searching, sought, setSought, sorting, setSorting } = useListing(tree, id);
  const selection = useSelection(items);
  const upload = useUpload(id);
  const changes = useChanges();
  const dialogs = useItemDialogs(id);
  const drag = useItemDrag(changes.move);
  const count = countText(items.length, "item");
  return (
    <DropZone label={`Drop to upload into ${title}`} onDrop={upload.drop}>
      <Page
        // Browsers keep titles in their history: no name belongs there.
        title={folder === undefined ? title : "Folder"}
        heading={folder && <Name name={folder.name} pending={folder.pending} />}
        above={folder && <Breadcrumbs tree={tree} folder={folder} drag={drag} />}
        actions={
          <>
            <SearchField value={sought} onValue={setSought} />
            <Actions upload={upload} onNewFolder={dialogs.newFolder} />
          </>
        }
      >
        <RefreshState />
        <p class="unseen" role="status">{searching ? `${count} found` : count}</p>
        <SelectionBar selection={selection} actions={dialogs.actions} />
        {items.length === 0
          ? <Nothing searching={searching} top={id === null} onUpload={upload.pickFiles} />
          : (
            <FileTable
              caption={searching ? "Results of the search" : `What is in ${title}`}
              {...{ tree, items, selection, sorting, drag }}
              onSorting={setSorting}
              withPath={searching}
              menuOf={dialogs.menuOf}
              onOpenFile={dialogs.details}
              onRename={dialogs.rename}
              onRemove={changes.toBin}
            />
          )}
        {upload.elements}
        {dialogs.elements}
      </Page>
    </DropZone>
  );
}

function Actions({ upload, onNewFolder }: { upload: Upload; onNewFolder(): void }) {
  return (
    <>
      <RefreshButton />
      <Button icon="folderPlus" onClick={onNewFolder}>New folder</Button>
      <Menu
        text
        label="Upload"
        icon="upload"
        variant="primary"
        items={() => [
          { label: "Upload files", icon: "file", onSelect: upload.pickFiles },
          { label: "Upload a folder", icon: "folder", onSelect: upload.pickFolder },
        ]}
      />
    </>
  );
}

function Nothing(
  { searching, top, onUpload }: { searching: boolean; top: boolean; onUpload(): void },
) {
  if (searching) {
    return (
      <EmptyState icon="search" title="Nothing has this name">
        The search looks at the names of all files and folders outside the Bin.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={top ? "shield" : "folder"}
      title={top ? "Your vault is empty" : "This folder is empty"}
      actions={<Button icon="upload" variant="primary" onClick={onUpload}>Upload files</Button>}
    >
      Drop files or folders anywhere on this page. They are encrypted in your browser before they
      are sent.
    </EmptyState>
  );
}
