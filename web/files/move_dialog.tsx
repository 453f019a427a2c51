// Asks for a folder to move things to, by walking down to it.

import { useState } from "preact/hooks";
import type { Folder, Item, Tree } from "../../vault/owner/mod.ts";
import { Button, Dialog, Icon, Name } from "../components/mod.ts";
import { parentOf } from "../vault/tree.ts";
import { folderText, whatText } from "./changes.ts";

export interface MoveDialogProps {
  tree: Tree;
  items: readonly Item[];
  onClose(): void;
  onFolder(folderId: string | null): Promise<void>;
}

/** The folders that can be walked into. */
function foldersIn(tree: Tree, id: string | null): Folder[] {
  return tree.children(id).filter((item): item is Folder =>
    item.kind === "folder" && item.role !== "bin" && item.role !== "connection-bin"
  );
}

/** Why the things cannot go to a folder; undefined when they can. */
function obstacle(tree: Tree, items: readonly Item[], folderId: string | null): string | undefined {
  if (items.every((item) => parentOf(item) === folderId)) return "It is here already.";
  const folder = tree.folders.get(folderId ?? "");
  const above = folder === undefined ? [] : [...tree.ancestors(folder), folder];
  const moved = new Set(items.map(({ id }) => id));
  if (above.some(({ id }) => moved.has(id))) return "A folder cannot be moved into itself.";
}

function Trail(
  { tree, at, onGo }: { tree: Tree; at: string | null; onGo(id: string | null): void },
) {
  const folder = tree.folders.get(at ?? "");
  const above = folder === undefined ? [] : [...tree.ancestors(folder), folder];
  return (
    <nav aria-label="Folder" class="trail">
      <ol>
        <li>
          <button type="button" class="trail-step" onClick={() => onGo(null)}>All files</button>
        </li>
        {above.map((each) => (
          <li key={each.id}>
            <Icon name="chevronRight" size={14} />
            <button type="button" class="trail-step" onClick={() => onGo(each.id)}>
              <Name name={each.name} pending={each.pending} />
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** The question. */
export function MoveDialog({ tree, items, onClose, onFolder }: MoveDialogProps) {
  const [at, setAt] = useState<string | null>(parentOf(items[0]));
  const [busy, setBusy] = useState(false);
  const folders = foldersIn(tree, at);
  const moved = new Set(items.map(({ id }) => id));
  const why = obstacle(tree, items, at);
  const submit = async () => {
    if (busy || why !== undefined) return;
    setBusy(true);
    await onFolder(at);
    onClose();
  };
  return (
    <Dialog
      title={`Move ${whatText(items)}`}
      onClose={onClose}
      onSubmit={submit}
      persistent={busy}
      actions={
        <>
          {why !== undefined && <p class="hint grow">{why}</p>}
          {!busy && <Button onClick={onClose}>Cancel</Button>}
          <Button type="submit" variant="primary" busy={busy} disabled={why !== undefined}>
            Move to {at === null ? "the top" : folderText(tree, at)}
          </Button>
        </>
      }
    >
      <Trail tree={tree} at={at} onGo={setAt} />
      <ul class="folder-list" aria-label="Folders in here">
        {folders.map((folder) => (
          <li key={folder.id}>
            <button
              type="button"
              disabled={moved.has(folder.id)}
              onClick={() => setAt(folder.id)}
            >
              <Icon name="folder" />
              <Name name={folder.name} pending={folder.pending} />
              <Icon name="chevronRight" />
            </button>
          </li>
        ))}
        {folders.length === 0 && <li class="hint folder-none">There are no folders in here.</li>}
      </ul>
    </Dialog>
  );
}
