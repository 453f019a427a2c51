// Changes the passphrase. The keys below it stay what they are, so nothing is encrypted again.

import { useState } from "preact/hooks";
import { Button, SecretField, useStatus } from "../components/mod.ts";
import { failureText, useAttempt } from "../sign_in/attempt.ts";
import { NewPassphraseFields, useNewPassphrase } from "../sign_in/new_passphrase.tsx";
import { useVault } from "../vault/context.tsx";

/** The button, and the form that it opens. */
export function ChangePassphrase() {
  const [open, setOpen] = useState(false);
  if (open) return <PassphraseForm onClose={() => setOpen(false)} />;
  return (
    <>
      <p class="hint">
        A new passphrase ends all other sessions. The recovery key and your connections keep
        working.
      </p>
      <div class="row">
        <Button icon="pencil" onClick={() => setOpen(true)}>Change the passphrase</Button>
      </div>
    </>
  );
}

function PassphraseForm({ onClose }: { onClose(): void }) {
  const { vault } = useVault();
  const { notify } = useStatus();
  const [current, setCurrent] = useState("");
  const [fault, setFault] = useState<string>();
  const next = useNewPassphrase();
  const attempt = useAttempt();
  const failure = failureText(attempt, "This is not the current passphrase.");
  const submit = () => {
    if (current === "") return setFault("Type your current passphrase.");
    if (!next.check()) return;
    attempt.make(async () => {
      await vault.changePassphrase({ current, next: next.value });
      notify({ kind: "done", text: "Your passphrase is changed. Other sessions have ended." });
      onClose();
    });
  };
  return (
    <form
      class="stack narrow"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <SecretField
        label="Current passphrase"
        value={current}
        onValue={(value) => {
          setCurrent(value);
          setFault(undefined);
          attempt.clear();
        }}
        error={fault}
        first
        autoComplete="current-password"
      />
      <NewPassphraseFields {...next.fields} />
      {failure && <p class="fault" role="alert">{failure}</p>}
      <div class="row">
        <Button type="submit" variant="primary" busy={attempt.busy}>
          {attempt.busy ? "Changing…" : "Change the passphrase"}
        </Button>
        {!attempt.busy && <Button onClick={onClose}>Cancel</Button>}
      </div>
    </form>
  );
}
