// Uploading into a folder: by buttons, by dropping on the page, with a question where names clash.

import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { useStatus } from "../components/mod.ts";
import { useTransferQueue } from "../transfers/context.tsx";
import { useVault } from "../vault/context.tsx";
import { ClashDialog } from "./clash_dialog.tsx";
import { fromDrop, fromInput, type IncomingTree } from "./dropped.ts";
import { FolderMaker } from "./folders.ts";
import { type Arrival, arrivals, type Clash, uploadJobs } from "./plan.ts";

export interface Upload {
  pickFiles(): void;
  pickFolder(): void;
  drop(transfer: DataTransfer): void;
  /** To be rendered somewhere: inputs that do not show, and the question when there is one. */
  elements: VNode;
}

/** Uploads into a folder; null is the top of the vault. */
export function useUpload(folderId: string | null): Upload {
  const open = useVault();
  const queue = useTransferQueue();
  const status = useStatus();
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const tree = useRef(open.tree!);
  tree.current = open.tree!;
  const [asking, setAsking] = useState<Arrival[]>();

  const begin = (came: readonly Arrival[], clash: Clash) => {
    setAsking(undefined);
    queue.add(uploadJobs(came, clash, { top: folderId, tree: () => tree.current }));
  };
  const receive = async (incoming: IncomingTree) => {
    const came = arrivals(tree.current, folderId, incoming);
    if (came.some(({ taken }) => taken !== undefined)) setAsking(came);
    else begin(came, "skip");
    const maker = new FolderMaker(folderId, () => tree.current);
    for (const path of incoming.emptyFolders) await maker.at(path, open.vault);
  };
  const attempt = async (coming: Promise<IncomingTree> | IncomingTree) => {
    try {
      await receive(await coming);
    } catch (error) {
      status.notify({ kind: "failed", text: (error as Error).message });
    }
  };
  const take = (input: HTMLInputElement) => {
    attempt(fromInput(input.files!));
    input.value = ""; // so that the same file can be picked again
  };
  const attributes = { type: "file" as const, multiple: true, hidden: true, tabIndex: -1 };
  return {
    pickFiles: () => files.current!.click(),
    pickFolder: () => folder.current!.click(),
    drop: (transfer) => attempt(fromDrop(transfer)),
    elements: (
      <>
        <input
          {...attributes}
          ref={files}
          aria-label="Files to upload"
          onChange={(event) => take(event.currentTarget)}
        />
        <input
          {...attributes}
          ref={(input) => {
            folder.current = input;
            if (input) input.webkitdirectory = true;
          }}
          aria-label="Folder to upload"
          onChange={(event) => take(event.currentTarget)}
        />
        {asking && (
          <ClashDialog
            came={asking}
            onClose={() => setAsking(undefined)}
            onChoice={(clash) => begin(asking, clash)}
          />
        )}
      </>
    ),
  };
}
