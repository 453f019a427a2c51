// Takes one change back, after asking.

import { OwnerError } from "../../vault/owner/error.ts";
import type { ActivityEntry } from "../../vault/owner/mod.ts";
import { ConfirmDialog, useStatus } from "../components/mod.ts";
import { useVault } from "../vault/context.tsx";
import { Sentence, type SentenceProps } from "./sentence.tsx";

export interface UndoDialogProps {
  entry: ActivityEntry;
  connections: SentenceProps["connections"];
  onClose(): void;
  onUndone(): Promise<void>;
}

/** What taking a change back comes to. */
function outcome(action: string): string {
  if (action.startsWith("rename")) return "The name from before comes back.";
  if (action.startsWith("create") || action.startsWith("upload")) {
    return "It goes to your Bin, from where you can restore it.";
  }
  if (action.startsWith("restore")) return "It goes back into the Bin.";
  return "It goes back to where it was.";
}

/** Why a change cannot be taken back, by the server's code. */
const FAILURES: Record<string, string> = {
  conflict:
    "It has been changed again since, so this change cannot be taken back by itself. Undo the newer one first, or set it right under Files.",
  gone: "It has been deleted for ever.",
  already_undone: "This change was undone already.",
  already_trashed: "It lies in the Bin already.",
  place_gone: "The folder in which it lay is gone, or in the Bin. Restore that first.",
};

/** Asks, and undoes. */
export function UndoDialog({ entry, connections, onClose, onUndone }: UndoDialogProps) {
  const { vault } = useVault();
  const { notify } = useStatus();
  const undo = async () => {
    try {
      await vault.undo(entry.id);
    } catch (error) {
      const known = error instanceof OwnerError ? FAILURES[error.code] : undefined;
      throw known === undefined ? error : new Error(known, { cause: error });
    }
    await onUndone();
    notify({ kind: "done", text: "The change is undone." });
  };
  return (
    <ConfirmDialog title="Undo this change?" action="Undo" onClose={onClose} onConfirm={undo}>
      <p class="quoted">
        <Sentence entry={entry} connections={connections} />
      </p>
      <p>{outcome(entry.action)}</p>
    </ConfirmDialog>
  );
}
