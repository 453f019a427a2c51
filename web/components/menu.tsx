// A button that opens a list of things to do. The list lies in the browser's top layer, closes on Escape and
// on a press elsewhere, and is walked with the arrow keys.

import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button, IconButton } from "./button.tsx";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icons.ts";

/** One thing to do. */
export interface MenuItem {
  label: string;
  icon?: IconName;
  danger?: boolean;
  disabled?: boolean;
  onSelect(): void;
}

export interface MenuProps {
  /** What the button says; screen readers alone hear it when there is an `icon` and no `text`. */
  label: string;
  icon?: IconName;
  /** Shows the label as text on the button. */
  text?: boolean;
  variant?: "primary" | "default" | "quiet";
  /** Asked for when the menu opens. */
  items(): readonly MenuItem[];
}

/** Pixels between the button and its list, and between the list and the edge of the window. */
const GAP = 4;

/** Puts the list below its button, or above where there is more room. */
function place(list: HTMLElement, button: HTMLElement): void {
  const anchor = button.getBoundingClientRect();
  const { width, height } = list.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  const left = Math.max(GAP, Math.min(anchor.left, clientWidth - width - GAP));
  const below = anchor.bottom + GAP;
  const top = below + height <= clientHeight ? below : Math.max(GAP, anchor.top - height - GAP);
  list.style.left = `${left}px`;
  list.style.top = `${top}px`;
}

/** What can be chosen. */
const CHOICES = "[role=menuitem]:not(:disabled)";

const STEPS: Record<string, (current: number, count: number) => number> = {
  ArrowDown: (current, count) => (current + 1) % count,
  ArrowUp: (current, count) => (current + count - 1) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** A menu button and its menu. */
export function Menu({ label, icon = "more", text = false, variant, items }: MenuProps) {
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  const button = () => frame.current!.querySelector("button")!;
  const close = () => setOpen(false);
  // At once, and not after the next picture: the next key is for the list already.
  useLayoutEffect(() => {
    if (!open) return;
    const shown = list.current!;
    shown.showPopover();
    place(shown, button());
    shown.querySelector<HTMLElement>(CHOICES)?.focus();
    const leave = ({ target }: Event) => {
      if (!frame.current!.contains(target as Node)) close();
    };
    addEventListener("pointerdown", leave, { capture: true });
    // A list that stays where it is while the page moves below it would point at nothing.
    addEventListener("resize", close);
    addEventListener("scroll", close, { capture: true });
    return () => {
      removeEventListener("pointerdown", leave, { capture: true });
      removeEventListener("resize", close);
      removeEventListener("scroll", close, { capture: true });
    };
  }, [open]);
  const choose = (item: MenuItem) => {
    button().focus(); // so that a dialog which the item opens gives the focus back to the button
    close();
    item.onSelect();
  };
  const walk = (event: KeyboardEvent) => {
    if (event.key === "Tab") return close();
    const choices = [...list.current!.querySelectorAll<HTMLElement>(CHOICES)];
    const current = choices.indexOf(document.activeElement as HTMLElement);
    const step = STEPS[event.key];
    if (step !== undefined) choices[step(current, choices.length)]?.focus();
    else if (event.key === "Escape") {
      button().focus();
      close();
    } else return;
    // A list in a dialog leaves the dialog open, and a list in a table does not walk the table.
    event.preventDefault();
    event.stopPropagation();
  };
  const attributes = {
    "aria-haspopup": "menu" as const,
    "aria-expanded": open,
    "aria-controls": open ? id : undefined,
    onClick: () => setOpen(!open),
  };
  return (
    <div class="menu" ref={frame}>
      {text
        ? <Button {...attributes} icon={icon} variant={variant}>{label}</Button>
        : <IconButton {...attributes} icon={icon} label={label} />}
      {open && (
        <div
          ref={list}
          id={id}
          class="menu-list"
          role="menu"
          popover="manual"
          aria-label={label}
          onKeyDown={walk}
        >
          {items().map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              disabled={item.disabled}
              class={item.danger ? "menu-item danger" : "menu-item"}
              onClick={() => choose(item)}
            >
              {item.icon && <Icon name={item.icon} />}
              <span>{item.label}</span>
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
