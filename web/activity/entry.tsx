// One line of the activity.

import { Badge, Button, Icon, type IconName } from "../components/mod.ts";
import { countText } from "../text/format.ts";
import type { Row } from "./rows.ts";
import { Sentence, type SentenceProps } from "./sentence.tsx";
import { reasonText } from "./words.ts";

export interface EntryProps {
  row: Row;
  /** Who did it, ready to be shown. */
  who: string;
  connections: SentenceProps["connections"];
  onUndo(): void;
}

const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

function iconOf(action: string): IconName {
  const [deed] = action.split("_");
  const icons: Record<string, IconName> = {
    list: "eye",
    download: "eye",
    rename: "pencil",
    move: "move",
    create: "plus",
    trash: "bin",
    restore: "restore",
    purge: "bin",
    reserve: "upload",
    abort: "upload",
    upload: "upload",
    undo: "undo",
  };
  return icons[deed] ?? "key";
}

/** The line. */
export function Entry({ row: { entry, count }, who, connections, onUndo }: EntryProps) {
  return (
    <li class="entry">
      <span class={entry.result === "refused" ? "entry-icon refused" : "entry-icon"}>
        <Icon name={iconOf(entry.action)} />
      </span>
      <div class="entry-text">
        <p>
          <Sentence entry={entry} connections={connections} linked />
          {count > 1 && <span class="hint">, {countText(count, "time")}</span>}
        </p>
        <p class="hint">
          <bdi>{who}</bdi> · <time dateTime={entry.at}>{TIME.format(new Date(entry.at))}</time>
          {entry.result === "refused" && <>{" "}· refused: {reasonText(entry.code)}</>}
        </p>
      </div>
      <div class="entry-state">
        {entry.result === "refused" && <Badge kind="danger">Refused</Badge>}
        {entry.undoneAt !== null && <Badge>Undone</Badge>}
        {entry.undoable && entry.undoneAt === null && (
          <Button icon="undo" variant="quiet" onClick={onUndo}>Undo</Button>
        )}
      </div>
    </li>
  );
}
