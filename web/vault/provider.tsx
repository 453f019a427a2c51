// Gives the views the open vault: loads its tree, keeps it as it changes, and says how far that is.

import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Tree } from "../../vault/owner/mod.ts";
import type { CallProgress, Opened } from "./calls.ts";
import type { VaultClient } from "./client.ts";
import { type LockReason, type OpenVault, VaultContext } from "./context.tsx";
import { useRouter } from "../shell/router.tsx";
import { treeOf } from "./tree.ts";

export interface VaultProviderProps {
  client: VaultClient;
  opened: Opened;
  lock(reason: LockReason): void;
  children: ComponentChildren;
}

const BEGINNING: CallProgress = { phase: "rows", done: 0, total: 0 };

/** A page that was out of sight for so long looks whether something changed meanwhile. */
const STALE_MS = 30_000;

/** Refreshes when the page comes into sight again. */
function useFreshness(refresh: () => Promise<void>, loading: boolean): void {
  const last = useRef(Date.now());
  const current = useRef({ refresh, loading });
  current.current = { refresh, loading };
  if (loading) last.current = Date.now();
  useEffect(() => {
    const look = () => {
      const { refresh, loading } = current.current;
      const stale = Date.now() - last.current > STALE_MS;
      if (document.visibilityState === "visible" && stale && !loading) refresh();
    };
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
}

/** The open vault around the views. */
export function VaultProvider({ client, opened, lock, children }: VaultProviderProps) {
  const [tree, setTree] = useState<Tree>();
  const [loading, setLoading] = useState<CallProgress | undefined>(BEGINNING);
  const [failure, setFailure] = useState<Error>();
  const refresh = useCallback(async () => {
    setFailure(undefined);
    setLoading(BEGINNING);
    try {
      await client.call("refresh", [], { onProgress: setLoading });
    } catch (error) {
      setFailure(error as Error);
    } finally {
      setLoading(undefined);
    }
  }, [client]);
  useEffect(() => {
    client.onTree = (snapshot) => setTree(treeOf(snapshot));
    refresh();
    return () => {
      client.onTree = () => {};
    };
  }, [client]);
  const { query } = useRouter();
  const shown = query.get("folder") ?? query.get("in");
  useEffect(() => {
    // Its names come first. It fails only once the vault is locked, and then there are none to come.
    client.call("showFirst", [shown]).catch(() => {});
  }, [client, shown]);
  useFreshness(refresh, loading !== undefined);
  const open = useMemo(
    (): OpenVault => ({
      ...opened,
      client,
      vault: client.methods,
      tree,
      loading,
      failure,
      refresh,
      lock,
    }),
    [opened, client, tree, loading, failure],
  );
  return <VaultContext.Provider value={open}>{children}</VaultContext.Provider>;
}
