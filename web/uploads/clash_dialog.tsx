// Asks what to do with files whose names are taken, once for all of them.

import { useState } from "preact/hooks";
import { Button, Dialog, Name, RadioGroup } from "../components/mod.ts";
import { countText } from "../text/format.ts";
import type { Arrival, Clash } from "./plan.ts";

export interface ClashDialogProps {
  came: readonly Arrival[];
  onClose(): void;
  onChoice(clash: Clash): void;
}

/** So many names are listed. */
const LISTED = 4;

/** The question. */
export function ClashDialog({ came, onClose, onChoice }: ClashDialogProps) {
  const [clash, setClash] = useState<Clash>("keep-both");
  const clashing = came.filter(({ taken }) => taken !== undefined);
  const listed = clashing.slice(0, LISTED);
  return (
    <Dialog
      title={`${countText(clashing.length, "name is", "names are")} taken`}
      onClose={onClose}
      onSubmit={() => onChoice(clash)}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary">Upload</Button>
        </>
      }
    >
      <ul class="name-list">
        {listed.map(({ file, folders }) => (
          <li key={[...folders, file.name].join("/")}>
            <Name name={file.name} />
          </li>
        ))}
        {clashing.length > LISTED && <li class="hint">and {clashing.length - LISTED} more</li>}
      </ul>
      <RadioGroup<Clash>
        legend="There are files with these names already."
        value={clash}
        onValue={setClash}
        choices={[
          { value: "keep-both", label: "Keep both", hint: "The new ones get a number." },
          {
            value: "replace",
            label: "Replace",
            hint: "The old ones go to the Bin once the new ones are in the vault.",
          },
          { value: "skip", label: "Skip", hint: "Upload only those whose names are free." },
        ]}
      />
    </Dialog>
  );
}
