// The transfers in a corner of the page: how far each is, and how to stop it.

import { useState } from "preact/hooks";
import { Icon, IconButton, shownName } from "../components/mod.ts";
import { countText, sizeText } from "../text/format.ts";
import type { CallProgress } from "../vault/calls.ts";
import { useTransfers } from "./context.tsx";
import { canRetry, isOpen, type Transfer } from "./queue.ts";

/** What a phase is called. */
const PHASES: Record<string, string> = {
  encrypting: "Encrypting",
  sending: "Sending",
  checking: "Checking",
  receiving: "Receiving",
};

/** How far a transfer is, as a part of all that it has to do; undefined while nobody knows. */
function measure(progress: CallProgress | undefined): { done: number; total: number } | undefined {
  if (progress === undefined) return undefined;
  if ("bytes" in progress) {
    return { done: progress.bytes, total: Math.max(progress.totalBytes, 1) };
  }
  return progress.total > 0 ? { done: progress.done, total: progress.total } : undefined;
}

function stateText({ state, progress, error, job }: Transfer): string {
  switch (state) {
    case "waiting":
      return "Waiting";
    case "stopped":
      return "Stopped";
    case "failed":
      return error?.message ?? "Failed";
    case "done":
      return job.kind === "upload" ? "In the vault" : "Done";
    case "running": {
      const known = measure(progress);
      if (progress === undefined || known === undefined) return "Starting";
      const phase = "bytes" in progress ? "Receiving" : PHASES[progress.phase] ?? "Working";
      return `${phase} · ${Math.floor(known.done / known.total * 100)} %`;
    }
  }
}

function Row({ transfer }: { transfer: Transfer }) {
  const { queue } = useTransfers();
  const { id, job, state, progress } = transfer;
  const name = shownName(job.name);
  const known = measure(progress);
  return (
    <li class={`transfer ${state}`}>
      <Icon name={job.kind} />
      <div class="transfer-text">
        <p class="transfer-name">
          <bdi>{name}</bdi>
          <span class="hint">{sizeText(job.size)}</span>
        </p>
        {state === "running" && (
          <progress
            aria-label={name}
            {...(known && { value: Math.min(known.done, known.total), max: known.total })}
          />
        )}
        <p class={state === "failed" ? "fault" : "hint"}>{stateText(transfer)}</p>
      </div>
      {isOpen(transfer) && (
        <IconButton
          icon="close"
          label={`Stop ${name}`}
          onClick={() => queue.stop(id)}
        />
      )}
      {canRetry(transfer) && (
        <IconButton
          icon="refresh"
          label={`Try ${name} again`}
          onClick={() => queue.retry(id)}
        />
      )}
      {state === "done" && (
        <span class="transfer-mark">
          <Icon name="check" />
        </span>
      )}
    </li>
  );
}

/** The list, or nothing where there is nothing to tell. */
export function TransferPanel() {
  const { queue, transfers, running } = useTransfers();
  const [folded, setFolded] = useState(() => matchMedia("(width < 720px)").matches);
  if (transfers.length === 0) return null;
  const failed = transfers.filter(({ state }) => state === "failed").length;
  const title = running > 0
    ? `${countText(running, "transfer")} under way`
    : failed > 0
    ? `${countText(failed, "transfer")} failed`
    : "Transfers done";
  return (
    <section class="transfers" aria-label="Transfers">
      <header>
        <h2>{title}</h2>
        <IconButton
          icon={folded ? "arrowUp" : "arrowDown"}
          label={folded ? "Show the transfers" : "Fold the transfers"}
          aria-expanded={!folded}
          onClick={() => setFolded(!folded)}
        />
        {running === 0 && (
          <IconButton
            icon="close"
            label="Close the list"
            onClick={() => queue.clear()}
          />
        )}
      </header>
      {!folded && (
        <ul>
          {transfers.map((transfer) => <Row key={transfer.id} transfer={transfer} />)}
        </ul>
      )}
    </section>
  );
}
