// Makes a new recovery key in the place of the old one, and shows it once.

import { useEffect, useState } from "preact/hooks";
import { Button, Dialog, SecretField, useStatus } from "../components/mod.ts";
import { failureText, useAttempt } from "../sign_in/attempt.ts";
import { RecoveryKey } from "../sign_in/recovery_key.tsx";
import { useVault } from "../vault/context.tsx";

/** The button, and what it leads to. */
export function NewRecoveryKey() {
  const { notify } = useStatus();
  const [asking, setAsking] = useState(false);
  const [recoveryKey, setRecoveryKey] = useState<string>();
  return (
    <>
      <p class="hint">
        It opens the vault when the passphrase is forgotten. Make a new one if you no longer have
        it, or if somebody else may have it.
      </p>
      <div class="row">
        <Button icon="key" onClick={() => setAsking(true)}>New recovery key</Button>
      </div>
      {asking && (
        <AskPassphrase
          onClose={() => setAsking(false)}
          onMade={(made) => {
            setAsking(false);
            setRecoveryKey(made);
          }}
        />
      )}
      {recoveryKey !== undefined && (
        <ShownOnce
          recoveryKey={recoveryKey}
          onSaved={() => {
            setRecoveryKey(undefined);
            notify({
              kind: "done",
              text: "The new recovery key is the one that counts from now on.",
            });
          }}
        />
      )}
    </>
  );
}

function AskPassphrase(
  { onClose, onMade }: { onClose(): void; onMade(recoveryKey: string): void },
) {
  const { vault } = useVault();
  const [passphrase, setPassphrase] = useState("");
  const [fault, setFault] = useState<string>();
  const attempt = useAttempt();
  const failure = failureText(attempt, "This is not the vault's passphrase.");
  const submit = () => {
    if (passphrase === "") return setFault("Type your passphrase.");
    attempt.make(async () => onMade(await vault.renewRecoveryKey({ passphrase })));
  };
  return (
    <Dialog
      title="New recovery key"
      onClose={onClose}
      persistent={attempt.busy}
      onSubmit={submit}
      actions={
        <>
          {!attempt.busy && <Button onClick={onClose}>Cancel</Button>}
          <Button type="submit" variant="primary" busy={attempt.busy}>
            {attempt.busy ? "Making it…" : "Make a new key"}
          </Button>
        </>
      }
    >
      <p>The recovery key that you have now will open nothing any more.</p>
      <SecretField
        label="Passphrase"
        value={passphrase}
        onValue={(value) => {
          setPassphrase(value);
          setFault(undefined);
          attempt.clear();
        }}
        error={fault}
        first
        autoComplete="current-password"
      />
      {failure && <p class="fault" role="alert">{failure}</p>}
    </Dialog>
  );
}

function ShownOnce({ recoveryKey, onSaved }: { recoveryKey: string; onSaved(): void }) {
  useEffect(() => {
    const hold = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", hold);
    return () => removeEventListener("beforeunload", hold);
  }, []);
  return (
    <Dialog wide persistent title="Save your new recovery key" onClose={onSaved}>
      <RecoveryKey recoveryKey={recoveryKey} onSaved={onSaved} />
    </Dialog>
  );
}
