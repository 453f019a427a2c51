// What was done to the vault, by connections and by its owner, newest first.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ActivityEntry, Grant } from "../../vault/owner/mod.ts";
import {
  Button,
  EmptyState,
  ErrorState,
  LoadingState,
  Page,
  Select,
  shownName,
} from "../components/mod.ts";
import { useVault } from "../vault/context.tsx";
import { useLoaded } from "../vault/loaded.ts";
import { Entry } from "./entry.tsx";
import { type ActivityLog, useActivityLog } from "./log.ts";
import { byDay, type Filter, passes, withoutBeginnings } from "./rows.ts";
import { UndoDialog } from "./undo.tsx";
import { isStranger } from "./words.ts";

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "full" });
const DAY_MS = 24 * 3_600_000;
const EVERYTHING: Filter = { kind: "all", who: "all" };

/** The page. */
export function ActivityPage({ tabs }: { tabs: ComponentChildren }) {
  const { vault, refresh } = useVault();
  const log = useActivityLog();
  const grants = useLoaded(() => vault.grants());
  const [filter, setFilter] = useState(EVERYTHING);
  const connections = grants.value &&
    new Map(grants.value.map(({ id, label }) => [id, shownName(label)]));
  const [undoing, setUndoing] = useState<ActivityEntry>();
  // What an assistant did is not in the tree yet.
  useEffect(() => {
    refresh();
  }, []);
  const reload = async () => {
    await Promise.all([log.reload(), grants.reload(), refresh()]);
  };
  return (
    <Page
      title="Activity"
      lead="What connections and you did in this vault. The server records ids and times; the names are filled in here."
      actions={<Button icon="refresh" onClick={reload}>Refresh</Button>}
    >
      {tabs}
      <Filters filter={filter} grants={grants.value ?? []} onFilter={setFilter} />
      <Entries
        log={log}
        filter={filter}
        connections={connections}
        onUndo={setUndoing}
        onShowAll={() => setFilter(EVERYTHING)}
      />
      {undoing && (
        <UndoDialog
          entry={undoing}
          connections={connections}
          onClose={() => setUndoing(undefined)}
          onUndone={async () => {
            log.markUndone(undoing.id);
            await reload();
          }}
        />
      )}
    </Page>
  );
}

function Filters(
  { filter, grants, onFilter }: {
    filter: Filter;
    grants: Grant[];
    onFilter(filter: Filter): void;
  },
) {
  return (
    <div class="filters">
      <Select
        legend="Show"
        choices={[
          { value: "all", label: "Everything" },
          { value: "changes", label: "Changes" },
          { value: "refused", label: "What was refused" },
        ]}
        value={filter.kind}
        onValue={(kind) => onFilter({ ...filter, kind })}
      />
      <Select
        legend="By"
        choices={[
          { value: "all", label: "Anyone" },
          { value: "owner", label: "You" },
          ...grants.map(({ id, label }) => ({ value: id, label: shownName(label) })),
        ]}
        value={filter.who}
        onValue={(who) => onFilter({ ...filter, who })}
      />
    </div>
  );
}

interface EntriesProps {
  log: ActivityLog;
  filter: Filter;
  connections: ReadonlyMap<string, string> | undefined;
  onUndo(entry: ActivityEntry): void;
  onShowAll(): void;
}

function Entries({ log, filter, connections, onUndo, onShowAll }: EntriesProps) {
  const { entries, failure, reload } = log;
  if (failure !== undefined) {
    return <ErrorState title="The activity could not be loaded" error={failure} onRetry={reload} />;
  }
  if (entries === undefined) return <LoadingState label="Loading the activity…" />;
  const shown = withoutBeginnings(entries).filter((entry) => passes(entry, filter));
  const whoDid = (entry: ActivityEntry): string => {
    const { grantId } = entry;
    if (grantId === null) return isStranger(entry) ? "Somebody" : "You";
    return connections?.get(grantId) ?? "A connection";
  };
  return (
    <>
      {shown.length === 0 && (
        <Nothing log={log} filtered={entries.length > 0} onShowAll={onShowAll} />
      )}
      {byDay(shown).map(({ start, rows }) => (
        <section key={start} class="day">
          <h2>{dayText(start)}</h2>
          <ol class="entries">
            {rows.map((row) => (
              <Entry
                key={row.entry.id}
                row={row}
                who={whoDid(row.entry)}
                connections={connections}
                onUndo={() => onUndo(row.entry)}
              />
            ))}
          </ol>
        </section>
      ))}
      <Older log={log} />
    </>
  );
}

function Nothing(
  { log, filtered, onShowAll }: { log: ActivityLog; filtered: boolean; onShowAll(): void },
) {
  if (!filtered) {
    return (
      <EmptyState icon="activity" title="Nothing has been done yet">
        What an assistant reads and changes will be listed here, and each change can be undone.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon="search"
      title="Nothing of this kind"
      actions={<Button onClick={onShowAll}>Show everything</Button>}
    >
      {log.hasOlder
        ? "Not among the newest entries; there are older ones."
        : "Nothing in the record matches."}
    </EmptyState>
  );
}

function Older({ log }: { log: ActivityLog }) {
  if (!log.hasOlder) return null;
  return (
    <div class="older">
      {log.olderFailure && <p class="fault" role="alert">{log.olderFailure.message}</p>}
      <Button busy={log.loadingOlder} onClick={log.loadOlder}>Load older entries</Button>
    </div>
  );
}

/** `Today`, `Yesterday`, or the date. */
function dayText(start: number): string {
  const today = new Date().setHours(0, 0, 0, 0);
  if (start === today) return "Today";
  // Half a day more, since days around a change of the clock are not of one length.
  return start >= today - 1.5 * DAY_MS ? "Yesterday" : DAY.format(start);
}
