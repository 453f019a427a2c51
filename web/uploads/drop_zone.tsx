// Shows that files can be dropped while they are held over the page.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../components/mod.ts";

function holdsFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false;
}

/** Takes drops anywhere on the page. A drop elsewhere than on a page would leave it and open the file. */
export function DropZone(
  { label, onDrop, children }: {
    label: string;
    onDrop(transfer: DataTransfer): void;
    children: ComponentChildren;
  },
) {
  const [over, setOver] = useState(false);
  const take = useRef(onDrop);
  take.current = onDrop;
  useEffect(() => {
    const hold = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      event.dataTransfer!.dropEffect = "copy";
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      setOver(false);
      take.current(event.dataTransfer!);
    };
    addEventListener("dragover", hold);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", hold);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, []);
  return (
    <>
      {children}
      {over && (
        <div class="drop-shade" aria-hidden="true">
          <p>
            <Icon name="upload" size={28} />
            {label}
          </p>
        </div>
      )}
    </>
  );
}
