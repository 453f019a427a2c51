// Buttons. What a button does is its text; one that shows a picture alone has a label that says it. While
// it is busy it can be focused but does nothing, so that the keyboard does not lose its place.

import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icons.ts";

type Attributes = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "icon" | "label">;

export interface ButtonProps extends Attributes {
  /**
   * `primary` for the one thing that a view is there for; `danger` for what takes something away, and
   * `caution` for what leads there.
   */
  variant?: "primary" | "default" | "quiet" | "danger" | "caution";
  icon?: IconName;
  /** Something is under way that this button began. */
  busy?: boolean;
  children?: ComponentChildren;
}

/** A button with a text. */
export function Button(
  { variant = "default", icon, busy = false, children, type = "button", onClick, ...rest }:
    ButtonProps,
) {
  const kind = busy ? "button" : type;
  return (
    <button
      {...rest}
      type={kind}
      class={`button ${variant}`}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? undefined : onClick}
    >
      {busy ? <span class="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
    </button>
  );
}

export interface IconButtonProps extends Attributes {
  icon: IconName;
  /** What the button does; it is read out, and shown where the pointer rests. */
  label: string;
}

/** A button with a picture alone. */
export function IconButton({ icon, label, type = "button", ...rest }: IconButtonProps) {
  return (
    <button {...rest} type={type} class="icon-button" aria-label={label} title={label}>
      <Icon name={icon} />
    </button>
  );
}
