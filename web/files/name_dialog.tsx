// Asks for a name: of a new folder, or a new one for something.

import { useState } from "preact/hooks";
import { nameFault } from "../../vault/owner/rules.ts";
import { Button, Dialog, TextField } from "../components/mod.ts";
import { sentence } from "../text/sentence.ts";

export interface NameDialogProps {
  title: string;
  label: string;
  action: string;
  name: string;
  /** Whether something else in the same folder is called so. */
  isTaken(name: string): boolean;
  onClose(): void;
  onName(name: string): Promise<void>;
}

/** The question; it stays until the name is given. */
export function NameDialog(
  { title, label, action, name, isTaken, onClose, onName }: NameDialogProps,
) {
  const [value, setValue] = useState(name);
  const [fault, setFault] = useState<string>();
  const [busy, setBusy] = useState(false);
  const submit = async () => {
    if (busy) return;
    if (value === name && name !== "") return onClose();
    const found = nameFault(value);
    if (found !== undefined) return setFault(sentence(found));
    if (isTaken(value)) return setFault("Something here has this name already.");
    setBusy(true);
    try {
      await onName(value);
      onClose();
    } catch (error) {
      setBusy(false);
      setFault((error as Error).message);
    }
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={submit}
      persistent={busy}
      actions={
        <>
          {!busy && <Button onClick={onClose}>Cancel</Button>}
          <Button type="submit" variant="primary" busy={busy}>{action}</Button>
        </>
      }
    >
      <TextField
        label={label}
        value={value}
        onValue={(next) => {
          setValue(next);
          setFault(undefined);
        }}
        error={fault}
        first
        selectStem
        autoComplete="off"
        spellcheck={false}
      />
    </Dialog>
  );
}
