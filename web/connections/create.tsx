// Makes a connection that no program waits for: its string is shown once, to be taken to the program by hand.

import { useEffect, useState } from "preact/hooks";
import { Button, Dialog, shownName } from "../components/mod.ts";
import { ConnectionString } from "./connection_string.tsx";
import { ConnectionForm, type MadeConnection } from "./form.tsx";

export interface CreateConnectionProps {
  onCancel(): void;
  /** The connection is made and its string was taken. */
  onDone(): void;
}

/** The form, and then the string. */
export function CreateConnection({ onCancel, onDone }: CreateConnectionProps) {
  const [made, setMade] = useState<MadeConnection>();
  return (
    <>
      <ConnectionForm
        label=""
        action="Make the connection"
        aside={<Button onClick={onCancel}>Cancel</Button>}
        onMade={setMade}
      />
      {made && <ShownOnce made={made} onDone={onDone} />}
    </>
  );
}

function ShownOnce({ made, onDone }: { made: MadeConnection; onDone(): void }) {
  useEffect(() => {
    const hold = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", hold);
    return () => removeEventListener("beforeunload", hold);
  }, []);
  return (
    <Dialog
      wide
      persistent
      title={`${shownName(made.grant.label)} is ready`}
      onClose={onDone}
      actions={<Button variant="primary" onClick={onDone}>I have copied it</Button>}
    >
      <ConnectionString value={made.connectionString} />
    </Dialog>
  );
}
