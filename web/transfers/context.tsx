// The transfers, for the views.

import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useMemo, useState } from "preact/hooks";
import { useStatus } from "../components/mod.ts";
import { countText } from "../text/format.ts";
import type { VaultClient } from "../vault/client.ts";
import { isOpen, type Outcome, type Transfer, type TransferQueue } from "./queue.ts";

export interface Transfers {
  queue: TransferQueue;
  transfers: readonly Transfer[];
  /** How many are not over. */
  running: number;
}

const QueueContext = createContext<TransferQueue | undefined>(undefined);
const TransfersContext = createContext<Transfers | undefined>(undefined);

/** The queue, for who adds to it: it stays the same while what is in it goes on. */
export function useTransferQueue(): TransferQueue {
  const queue = useContext(QueueContext);
  if (queue === undefined) throw new Error("there is no TransfersProvider around this");
  return queue;
}

/** All transfers, as they go on. */
export function useTransfers(): Transfers {
  const transfers = useContext(TransfersContext);
  if (transfers === undefined) throw new Error("there is no TransfersProvider around this");
  return transfers;
}

/** What a run came to, in words. */
export function outcomeText({ uploaded, downloaded, failed }: Outcome): string {
  const parts = [
    uploaded > 0 && `${countText(uploaded, "file")} uploaded`,
    downloaded > 0 && `${countText(downloaded, "download")} done`,
    failed > 0 && `${failed} failed`,
  ];
  return `${parts.filter(Boolean).join(", ")}.`;
}

export interface TransfersProviderProps {
  queue: TransferQueue;
  client: VaultClient;
  children: ComponentChildren;
}

/** Has the queue work with the open vault. */
export function TransfersProvider({ queue, client, children }: TransfersProviderProps) {
  const status = useStatus();
  const [transfers, setTransfers] = useState(queue.transfers);
  useEffect(() => {
    queue.onDrained = (outcome) => {
      status.notify({ kind: outcome.failed > 0 ? "note" : "done", text: outcomeText(outcome) });
      // What went well is said once; what did not stays until it is looked at.
      if (outcome.failed === 0) queue.clear();
    };
    const end = queue.subscribe(() => setTransfers(queue.transfers));
    queue.attach(client);
    return () => {
      queue.detach();
      end();
    };
  }, [queue, client]);
  const running = transfers.filter(isOpen).length;
  useEffect(() => {
    if (running === 0) return;
    const hold = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", hold);
    return () => removeEventListener("beforeunload", hold);
  }, [running > 0]);
  const value = useMemo(() => ({ queue, transfers, running }), [queue, transfers, running]);
  return (
    <QueueContext.Provider value={queue}>
      <TransfersContext.Provider value={value}>{children}</TransfersContext.Provider>
    </QueueContext.Provider>
  );
}
