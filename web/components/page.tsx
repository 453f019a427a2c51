// The frame of a view: its title, which is also the page's, and what can be done at its head.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useStatus } from "./status.tsx";

export interface PageProps {
  /** Also the title of the page. */
  title: string;
  /** Stands in the place of the title, when there is more to it. */
  heading?: ComponentChildren;
  /** Stands above the title: the way up. */
  above?: ComponentChildren;
  lead?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/**
 * A view. A screen reader starts at its title: the focus goes there when a view comes up, and where something
 * else keeps the focus, such as the link that led here, the title is said.
 */
export function Page({ title, heading, above, lead, actions, children }: PageProps) {
  const head = useRef<HTMLHeadingElement>(null);
  const status = useStatus();
  useEffect(() => {
    document.title = `${title} · ShieldFive`;
  }, [title]);
  useEffect(() => {
    // Not when something in the view, or a dialog before it, already has the focus.
    if (document.activeElement === document.body) head.current!.focus({ preventScroll: true });
    else status.announce(title);
  }, []);
  return (
    <div class="page">
      <header class="page-head">
        <div class="page-title">
          {above}
          <h1 ref={head} tabIndex={-1}>{heading ?? title}</h1>
          {lead && <p class="lead">{lead}</p>}
        </div>
        {actions && <div class="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A part of a view with a title of its own. */
export function Card(
  { title, actions, children }: {
    title?: string;
    actions?: ComponentChildren;
    children: ComponentChildren;
  },
) {
  return (
    <section class="card">
      {title && (
        <header class="card-head">
          <h2>{title}</h2>
          {actions}
        </header>
      )}
      {children}
    </section>
  );
}

/** What is known of one thing, as pairs. */
export function Facts({ facts }: { facts: readonly [term: string, value: ComponentChildren][] }) {
  return (
    <dl class="facts">
      {facts.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
