// The frame of everything that comes before the vault is open.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { HandoffNotice } from "../handoff/notice.tsx";
import { Brand } from "../shell/brand.tsx";

export interface EntranceProps {
  title: string;
  lead?: ComponentChildren;
  /** Below the card: another way in. */
  aside?: ComponentChildren;
  wide?: boolean;
  children: ComponentChildren;
}

/** One card in the middle of the page. */
export function Entrance({ title, lead, aside, wide = false, children }: EntranceProps) {
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = title === "ShieldFive" ? title : `${title} · ShieldFive`;
    if (document.activeElement === document.body) head.current!.focus();
  }, [title]);
  return (
    <div class="entrance">
      <main class={wide ? "entrance-card wide" : "entrance-card"}>
        <Brand />
        <header>
          <h1 ref={head} tabIndex={-1} class={title === "ShieldFive" ? "unseen" : undefined}>
            {title}
          </h1>
          {lead && <p class="lead">{lead}</p>}
        </header>
        <HandoffNotice />
        {children}
      </main>
      {aside && <div class="entrance-aside">{aside}</div>}
    </div>
  );
}
