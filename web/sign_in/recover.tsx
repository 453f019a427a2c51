// The way in with the recovery key, which sets a new passphrase.

import { useState } from "preact/hooks";
import { Button, TextField } from "../components/mod.ts";
import { AccountName } from "./account_name.tsx";
import { failureText, useAttempt } from "./attempt.ts";
import { Entrance } from "./entrance.tsx";
import { NewPassphraseFields, useNewPassphrase } from "./new_passphrase.tsx";
import type { UnlockVaultProps } from "./unlock.tsx";

/** The form that takes a recovery key. */
export function RecoverVault(
  { client, onOpened, onBack }: UnlockVaultProps & { onBack(): void },
) {
  const [recoveryKey, setRecoveryKey] = useState("");
  const [fault, setFault] = useState<string>();
  const passphrase = useNewPassphrase();
  const attempt = useAttempt();
  const refused = attempt.failure?.code === "invalid_recovery_key"
    ? attempt.failure.message
    : undefined;
  const failure = refused === undefined
    ? failureText(attempt, "This recovery key is not, or no longer, the vault's.")
    : undefined;
  const submit = () => {
    if (recoveryKey.trim() === "") return setFault("Type your recovery key.");
    if (!passphrase.check()) return;
    attempt.make(async () => {
      const how = { recoveryKey, newPassphrase: passphrase.value };
      const opened = await client.call("recover", [how]);
      onOpened(opened, "Your new passphrase is set. The recovery key stays as it was.");
    });
  };
  return (
    <Entrance
      title="Recover your vault"
      lead="With the recovery key that you saved when you made the vault."
      aside={<Button variant="quiet" icon="arrowLeft" onClick={onBack}>Back to unlocking</Button>}
    >
      <form
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <AccountName />
        <TextField
          label="Recovery key"
          value={recoveryKey}
          onValue={(value) => {
            setRecoveryKey(value);
            setFault(undefined);
            attempt.clear();
          }}
          error={fault ?? refused}
          hint="It starts with SFR1. Capitals and hyphens do not matter."
          first
          autoComplete="off"
          autocapitalize="off"
          spellcheck={false}
        />
        <NewPassphraseFields {...passphrase.fields} />
        {failure && <p class="fault" role="alert">{failure}</p>}
        <Button type="submit" variant="primary" icon="key" busy={attempt.busy}>
          {attempt.busy ? "Opening your vault…" : "Set the passphrase and open"}
        </Button>
      </form>
    </Entrance>
  );
}
