// The search by name. A slash anywhere on the page goes to it.

import { useEffect, useRef } from "preact/hooks";
import { Icon, IconButton } from "../components/mod.ts";

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement;
}

/** The field. */
export function SearchField({ value, onValue }: { value: string; onValue(value: string): void }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const go = (event: KeyboardEvent) => {
      const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
      const free = !isTyping(event.target) && document.querySelector("dialog[open]") === null;
      if (event.key !== "/" || !plain || !free) return;
      event.preventDefault();
      input.current!.focus();
    };
    addEventListener("keydown", go);
    return () => removeEventListener("keydown", go);
  }, []);
  return (
    <div class="search" role="search">
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        aria-label="Search all names"
        aria-keyshortcuts="/"
        placeholder="Search"
        value={value}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onValue(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onValue("");
        }}
      />
      {value !== "" && (
        <IconButton
          icon="close"
          label="Clear the search"
          onClick={() => {
            onValue("");
            input.current!.focus();
          }}
        />
      )}
    </div>
  );
}
