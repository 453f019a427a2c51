// Locking on request: it asks before something under way would be broken off, and locks at once otherwise.

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { ConfirmDialog } from "../components/mod.ts";
import { countText } from "../text/format.ts";
import { useTransfers } from "../transfers/context.tsx";
import { useVault } from "../vault/context.tsx";

/** What locks the vault, and the question that it may put. */
export function useLock(): { ask(): void; dialog: VNode | null } {
  const { lock } = useVault();
  const { running } = useTransfers();
  const [asking, setAsking] = useState(false);
  const go = () => lock("asked");
  return {
    ask: () => running > 0 ? setAsking(true) : go(),
    dialog: asking
      ? (
        <ConfirmDialog
          title="Lock the vault?"
          action="Stop and lock"
          onClose={() => setAsking(false)}
          onConfirm={() => Promise.resolve(go())}
        >
          <p>{countText(running, "transfer")} under way would be broken off.</p>
        </ConfirmDialog>
      )
      : null,
  };
}
