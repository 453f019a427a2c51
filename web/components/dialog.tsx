// Dialogs, on the browser's own element: it keeps the focus inside, makes the rest of the page inert, closes
// on Escape, and gives the focus back to where it came from. A dialog is open for as long as it is rendered.

import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button, IconButton } from "./button.tsx";
import { TextField } from "./field.tsx";

export interface DialogProps {
  title: ComponentChildren;
  /** Asked for by Escape, by the cross, and by a click beside the dialog. */
  onClose(): void;
  /** The row of buttons at the bottom; the one that goes ahead comes last. */
  actions?: ComponentChildren;
  /** Makes the dialog a form: called on Enter and by a button of type `submit`. */
  onSubmit?(): void;
  /** It can be left by its own buttons alone: for what must not be lost to a slip. */
  persistent?: boolean;
  wide?: boolean;
  /** It comes from the side and takes the whole height. */
  drawer?: boolean;
  children: ComponentChildren;
}

/** A dialog in front of the page. */
export function Dialog(
  { title, onClose, actions, onSubmit, persistent = false, wide, drawer, children }: DialogProps,
) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useLayoutEffect(() => {
    const dialog = element.current!;
    dialog.showModal();
    // A field that is to be filled in comes before the title, which gets the focus otherwise.
    dialog.querySelector<HTMLElement>("[data-first]")?.focus();
    return () => dialog.close();
  }, []);
  const askToClose = () => {
    if (!persistent) onClose();
  };
  const body = (
    <>
      <header class="dialog-head">
        <h2 id={titleId} tabIndex={-1} autofocus>{title}</h2>
        {!persistent && <IconButton icon="close" label="Close" onClick={onClose} />}
      </header>
      <div class="dialog-body">{children}</div>
      {actions && <footer class="dialog-actions">{actions}</footer>}
    </>
  );
  return (
    <dialog
      ref={element}
      class={["dialog", wide && "wide", drawer && "drawer"].filter(Boolean).join(" ")}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        askToClose();
      }}
      onMouseDown={(event) => {
        if (event.target === element.current) askToClose();
      }}
    >
      {onSubmit === undefined ? <div class="dialog-box">{body}</div> : (
        <form
          class="dialog-box"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            onSubmit();
          }}
        >
          {body}
        </form>
      )}
    </dialog>
  );
}

export interface ConfirmDialogProps {
  title: ComponentChildren;
  /** What the button that goes ahead says: the deed, not "OK". */
  action: string;
  danger?: boolean;
  /** The person has to type this first: for what cannot be taken back. */
  typed?: string;
  onClose(): void;
  /** The dialog stays, busy, until this settles; a failure is shown in it. */
  onConfirm(): Promise<void>;
  children: ComponentChildren;
}

/** Asks before something is done, and shows that it is being done. */
export function ConfirmDialog(
  { title, action, danger = false, typed, onClose, onConfirm, children }: ConfirmDialogProps,
) {
  const [busy, setBusy] = useState(false);
  const [text, setText] = useState("");
  const [fault, setFault] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const confirm = async () => {
    if (busy) return;
    if (typed !== undefined && text.trim() !== typed) {
      return setFault(`Type ${typed} to go ahead.`);
    }
    setBusy(true);
    setFailure(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setBusy(false);
      setFailure((error as Error).message);
    }
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      persistent={busy}
      onSubmit={confirm}
      actions={
        <>
          {!busy && <Button onClick={onClose}>Cancel</Button>}
          <Button type="submit" variant={danger ? "danger" : "primary"} busy={busy}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      {typed !== undefined && (
        <TextField
          label={`Type ${typed} to confirm`}
          value={text}
          error={fault}
          first
          autoComplete="off"
          spellcheck={false}
          onValue={(value) => {
            setText(value);
            setFault(undefined);
          }}
        />
      )}
      {failure !== undefined && <p class="fault" role="alert">{failure}</p>}
    </Dialog>
  );
}
