// What the page says by itself: results in a corner, which also reach screen readers, and words for screen
// readers alone. The regions are there from the start, since one that appears with its text is not read out.

import { type ComponentChildren, createContext } from "preact";
import { useContext, useMemo, useRef, useState } from "preact/hooks";
import { Button, IconButton } from "./button.tsx";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icons.ts";

/** A short message. */
export interface Notice {
  kind: "done" | "note" | "failed";
  text: string;
  /** One thing that can be done about it, such as taking it back. */
  action?: { label: string; onSelect(): void };
}

export interface Status {
  /** Shows a message; one of a failure stays until it is closed. */
  notify(notice: Notice): void;
  /** Says something to screen readers alone, once they have finished what they say. */
  announce(text: string): void;
  /** Takes away what is shown: names may be in it, and the vault is being locked. */
  clear(): void;
}

/** How long a message stays. */
const SHOWN_MS = 7_000;
const MOST_FAILURES = 3;
const ICONS: Record<Notice["kind"], IconName> = { done: "check", note: "info", failed: "warning" };

const StatusContext = createContext<Status | undefined>(undefined);

/** Says things to the person, from wherever in the page. */
export function useStatus(): Status {
  const status = useContext(StatusContext);
  if (status === undefined) throw new Error("there is no StatusProvider around this");
  return status;
}

interface Shown extends Notice {
  id: number;
}

function Message({ notice, onClose }: { notice: Shown; onClose(): void }) {
  const { kind, text, action } = notice;
  return (
    <div class={`notice ${kind}`}>
      <Icon name={ICONS[kind]} />
      <p>{text}</p>
      {action && (
        <Button
          variant="quiet"
          onClick={() => {
            onClose();
            action.onSelect();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton icon="close" label="Close this message" onClick={onClose} />
    </div>
  );
}

/** The messages after another one: every failure counts, and of the rest the newest alone. */
function withNotice(all: readonly Shown[], notice: Shown): readonly Shown[] {
  const failures = all.filter(({ kind }) => kind === "failed").slice(1 - MOST_FAILURES);
  return [...failures, notice];
}

/** Gives the page its messages. */
export function StatusProvider({ children }: { children: ComponentChildren }) {
  const [notices, setNotices] = useState<readonly Shown[]>([]);
  const [spoken, setSpoken] = useState("");
  const next = useRef(0);
  const status = useMemo((): Status => {
    const close = (id: number) => setNotices((all) => all.filter((one) => one.id !== id));
    return {
      announce: setSpoken,
      clear() {
        setNotices([]);
        setSpoken("");
      },
      notify(notice) {
        const id = next.current++;
        setNotices((all) => withNotice(all, { ...notice, id }));
        if (notice.kind !== "failed") setTimeout(close, SHOWN_MS, id);
      },
    };
  }, []);
  const close = (id: number) => setNotices((all) => all.filter((one) => one.id !== id));
  const shown = (kind: (notice: Shown) => boolean) =>
    notices.filter(kind).map((notice) => (
      <Message
        key={notice.id}
        notice={notice}
        onClose={() => close(notice.id)}
      />
    ));
  return (
    <StatusContext.Provider value={status}>
      {children}
      <p class="unseen" role="status">{spoken}</p>
      <div class="notices">
        <div role="status">{shown(({ kind }) => kind !== "failed")}</div>
        <div role="alert">{shown(({ kind }) => kind === "failed")}</div>
      </div>
    </StatusContext.Provider>
  );
}
