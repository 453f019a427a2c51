// The record as the page has it: the newest entries, and older ones as they are asked for.

import { useState } from "preact/hooks";
import type { ActivityEntry } from "../../vault/owner/mod.ts";
import { useVault } from "../vault/context.tsx";
import { useLoaded } from "../vault/loaded.ts";
import { merged } from "./rows.ts";

interface Pages {
  entries: ActivityEntry[];
  /** Where older entries begin; null when there are none. */
  next: string | null;
}

export interface ActivityLog {
  entries: ActivityEntry[] | undefined;
  failure: Error | undefined;
  /** Whether there is more of it. */
  hasOlder: boolean;
  loadingOlder: boolean;
  /** Older entries could not be had. */
  olderFailure: Error | undefined;
  loadOlder(): Promise<void>;
  /** Looks for what is new; what is there stays. */
  reload(): Promise<void>;
  /** An entry was undone: it shows so, on whatever page it is. */
  markUndone(id: string): void;
}

/** The record. */
export function useActivityLog(): ActivityLog {
  const { vault } = useVault();
  const [loadingOlder, setLoadingOlder] = useState(false);
  const [olderFailure, setOlderFailure] = useState<Error>();
  const [undone, setUndone] = useState<ReadonlyMap<string, string>>(new Map());
  const pages = useLoaded(async (): Promise<Pages> => {
    const newest = await vault.activity();
    const known = pages.value;
    const all = known && merged(newest.entries, known.entries);
    return known === undefined || all === undefined ? newest : { entries: all, next: known.next };
  });
  const loadOlder = async () => {
    const { value } = pages;
    if (loadingOlder || value === undefined || value.next === null) return;
    setLoadingOlder(true);
    setOlderFailure(undefined);
    try {
      const older = await vault.activity(value.next);
      pages.replace({ entries: [...value.entries, ...older.entries], next: older.next });
    } catch (error) {
      setOlderFailure(error as Error);
    } finally {
      setLoadingOlder(false);
    }
  };
  return {
    entries: pages.value?.entries.map((entry) =>
      undone.has(entry.id)
        ? { ...entry, undoable: false, undoneAt: entry.undoneAt ?? undone.get(entry.id)! }
        : entry
    ),
    failure: pages.failure,
    hasOlder: pages.value?.next != null,
    loadingOlder,
    olderFailure,
    loadOlder,
    reload: pages.reload,
    markUndone: (id) => setUndone((before) => new Map(before).set(id, new Date().toISOString())),
  };
}
