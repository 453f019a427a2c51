// The hand-off that the page was opened for, kept until it is decided: through signing in, and through
// looking at other views. It lives in memory alone.

import { type ComponentChildren, createContext } from "preact";
import { useContext, useMemo, useState } from "preact/hooks";
import { deliver } from "./deliver.ts";
import type { Handoff } from "./request.ts";

export interface OpenHandoff {
  /** Undefined when there is none, or when it is done with. */
  handoff: Handoff | undefined;
  /** The person refused it, and the program was told. */
  refused: boolean;
  /** Tells the program that it gets nothing. */
  refuse(): void;
  /** It is decided, or of no use. */
  dismiss(): void;
}

const HandoffContext = createContext<OpenHandoff | undefined>(undefined);

/** The hand-off that waits for the person. */
export function useHandoff(): OpenHandoff {
  const open = useContext(HandoffContext);
  if (open === undefined) throw new Error("there is no HandoffProvider around this");
  return open;
}

/** Keeps the hand-off for the page. */
export function HandoffProvider(
  { taken, children }: { taken: Handoff | undefined; children: ComponentChildren },
) {
  const [handoff, setHandoff] = useState(taken);
  const [refused, setRefused] = useState(false);
  const open = useMemo((): OpenHandoff => ({
    handoff,
    refused,
    refuse() {
      if (handoff === undefined || "fault" in handoff) return;
      deliver(handoff.request.port, { state: handoff.request.state, error: "denied" });
      setRefused(true);
    },
    dismiss: () => setHandoff(undefined),
  }), [handoff, refused]);
  return <HandoffContext.Provider value={open}>{children}</HandoffContext.Provider>;
}
