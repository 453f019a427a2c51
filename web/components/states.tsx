// What stands where nothing is to be shown: nothing there, not there yet, could not be had.

import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icons.ts";

export interface EmptyStateProps {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
  /** What can be done now. */
  actions?: ComponentChildren;
}

/** There is nothing here, and what to do about it. */
export function EmptyState({ icon, title, children, actions }: EmptyStateProps) {
  return (
    <div class="state">
      <span class="state-icon">
        <Icon name={icon} size={28} />
      </span>
      <h2>{title}</h2>
      {children && <div class="hint">{children}</div>}
      {actions && <div class="state-actions">{actions}</div>}
    </div>
  );
}

/** Something could not be had. The text says what, and what to do. */
export function ErrorState(
  { title, error, onRetry }: { title: string; error: Error; onRetry?(): void },
) {
  return (
    <div class="state" role="alert">
      <span class="state-icon danger">
        <Icon name="warning" size={28} />
      </span>
      <h2>{title}</h2>
      <p class="hint">{error.message}</p>
      {onRetry && (
        <div class="state-actions">
          <Button icon="refresh" onClick={onRetry}>Try again</Button>
        </div>
      )}
    </div>
  );
}

/** Something is on its way. */
export function LoadingState({ label }: { label: string }) {
  return (
    <div class="state" role="status">
      <span class="spinner large" aria-hidden="true" />
      <p class="hint">{label}</p>
    </div>
  );
}

export interface BannerProps {
  kind: "note" | "warning" | "danger";
  children: ComponentChildren;
}

/** Something to know before going on. */
export function Banner({ kind, children }: BannerProps) {
  return (
    <div class={`banner ${kind}`}>
      <Icon name={kind === "note" ? "info" : "warning"} />
      <div>{children}</div>
    </div>
  );
}

/** A word that says what something is. */
export function Badge(
  { kind = "plain", children }: {
    kind?: "plain" | "good" | "warning" | "danger";
    children: ComponentChildren;
  },
) {
  return <span class={`badge ${kind}`}>{children}</span>;
}
