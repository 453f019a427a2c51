// The folders of the vault as a tree to pick from: lists within lists, each folder with its box. Above it a
// field that finds folders by name, since a vault may have thousands.

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Folder, Tree } from "../../vault/owner/mod.ts";
import { Checkbox, Icon, IconButton, Name, shownName, TextField } from "../components/mod.ts";
import { countText } from "../text/format.ts";
import {
  canBeShared,
  foldersNamed,
  offeredFolders,
  type Picked,
  pickedIn,
  standingOf,
  toggled,
} from "./folders.ts";

export interface FolderPickerProps {
  tree: Tree;
  /** The ids of the folders that are picked. */
  picked: ReadonlySet<string>;
  onPicked(picked: ReadonlySet<string>): void;
  /** What is wrong with what is picked. */
  error?: string;
}

/** With fewer folders nobody has to search. */
const SEARCH_FROM = 12;
const MOST_FOUND = 50;

interface Picking {
  tree: Tree;
  picked: Picked;
  toggle(folder: Folder): void;
}

/** Picks any number of folders. */
export function FolderPicker({ tree, picked, onPicked, error }: FolderPickerProps) {
  const id = useId();
  const [wanted, setWanted] = useState("");
  const picking: Picking = {
    tree,
    picked: pickedIn(tree, picked),
    toggle: (folder) => onPicked(toggled(tree, picked, folder)),
  };
  const frame = useRef<HTMLFieldSetElement>(null);
  useEffect(() => {
    if (error !== undefined) frame.current?.focus();
  }, [error]);
  const top = offeredFolders(tree, null);
  if (top.length === 0) {
    return <p class="hint">There are no folders yet. Make one under Files first.</p>;
  }
  return (
    <fieldset
      ref={frame}
      tabIndex={-1}
      class="folder-picker"
      aria-describedby={error && `${id}-error`}
    >
      <legend class="unseen">Folders of this connection</legend>
      {tree.folders.size >= SEARCH_FROM && (
        <TextField
          label="Find a folder"
          type="search"
          value={wanted}
          onValue={setWanted}
          autoComplete="off"
          spellcheck={false}
        />
      )}
      <div class="folder-frame">
        {wanted.trim() === ""
          ? <Level picking={picking} folders={top} />
          : <Found picking={picking} wanted={wanted.trim()} />}
      </div>
      <p class="hint" role="status">{countOf(picking.picked)}</p>
      {error && <p class="fault" id={`${id}-error`}>{error}</p>}
    </fieldset>
  );
}

function countOf({ ids }: Picked): string {
  if (ids.size === 0) return "No folder is picked yet.";
  return `${countText(ids.size, "folder")} picked, with all that is in ${
    ids.size === 1 ? "it" : "them"
  }.`;
}

function Level({ picking, folders }: { picking: Picking; folders: Folder[] }) {
  const below = folders.map(({ id }) => offeredFolders(picking.tree, id));
  const deep = below.some(({ length }) => length > 0);
  return (
    <ul class={deep ? "folder-level" : "folder-level flat"}>
      {folders.map((folder, index) => (
        <Branch key={folder.id} picking={picking} folder={folder} below={below[index]} />
      ))}
    </ul>
  );
}

function Branch(
  { picking, folder, below }: { picking: Picking; folder: Folder; below: Folder[] },
) {
  const [open, setOpen] = useState(false);
  return (
    <li>
      <div class="folder-line">
        {below.length === 0
          ? <span class="folder-twist" />
          : (
            <span class={open ? "folder-twist open" : "folder-twist"}>
              <IconButton
                icon="chevronRight"
                label={`Folders in ${shownName(folder.name)}`}
                aria-expanded={open}
                onClick={() => setOpen(!open)}
              />
            </span>
          )}
        <Box picking={picking} folder={folder} />
      </div>
      {open && <Level picking={picking} folders={below} />}
    </li>
  );
}

function Box(
  { picking, folder, children }: {
    picking: Picking;
    folder: Folder;
    children?: ComponentChildren;
  },
) {
  const standing = standingOf(picking.tree, folder, picking.picked);
  return (
    <Checkbox
      label={
        <span class="folder-label">
          <Icon name={folder.role === "media" ? "image" : "folder"} />
          {children ?? <Name name={folder.name} pending={folder.pending} />}
        </span>
      }
      checked={standing === "picked" || standing === "included"}
      mixed={standing === "partly"}
      disabled={standing === "included" || !canBeShared(folder)}
      onChecked={() => picking.toggle(folder)}
    />
  );
}

function Found({ picking, wanted }: { picking: Picking; wanted: string }) {
  const found = foldersNamed(picking.tree, wanted);
  const rest = found.length - MOST_FOUND;
  if (found.length === 0) return <p class="hint folder-none">No folder has this in its name.</p>;
  return (
    <>
      <ul class="folder-level">
        {found.slice(0, MOST_FOUND).map((folder) => (
          <li key={folder.id} class="folder-line">
            <Box picking={picking} folder={folder}>
              <bdi class="name">{shownName(picking.tree.path(folder))}</bdi>
            </Box>
          </li>
        ))}
      </ul>
      {rest > 0 && (
        <p class="hint folder-none">
          {countText(rest, "more folder")}: type more of the name.
        </p>
      )}
    </>
  );
}
