// A text that is there to be taken elsewhere: it can be selected as a whole, and copied with a button.

import { useId, useRef, useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { useStatus } from "./status.tsx";

export interface CopyFieldProps {
  label: string;
  value: string;
  /** Said once it is copied. */
  copied?: string;
}

/** Selects all of an element's text, so that it can be copied by hand. */
function select(element: HTMLElement): void {
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}

/** The text, and a button that copies it. */
export function CopyField({ label, value, copied = "Copied." }: CopyFieldProps) {
  const id = useId();
  const text = useRef<HTMLElement>(null);
  const [done, setDone] = useState(false);
  const status = useStatus();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setDone(true);
      status.announce(copied);
    } catch {
      // The browser may refuse the clipboard: then the text is selected for the person to copy.
      select(text.current!);
      status.notify({ kind: "note", text: "The text is selected: copy it with your keyboard." });
    }
  };
  return (
    <div class="copy-field">
      <span class="label" id={id}>{label}</span>
      <div class="copy-frame">
        <code ref={text} aria-labelledby={id} tabIndex={0} onFocus={() => select(text.current!)}>
          {value}
        </code>
        <Button icon={done ? "check" : "copy"} onClick={copy}>{done ? "Copied" : "Copy"}</Button>
      </div>
    </div>
  );
}
