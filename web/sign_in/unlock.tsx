// The ways into a vault that is there: with the passphrase, or with the recovery key when it is forgotten.

import { useState } from "preact/hooks";
import { Banner, Button, SecretField } from "../components/mod.ts";
import type { Opened } from "../vault/calls.ts";
import type { VaultClient } from "../vault/client.ts";
import type { LockReason } from "../vault/context.tsx";
import { AccountName } from "./account_name.tsx";
import { failureText, useAttempt } from "./attempt.ts";
import { Entrance } from "./entrance.tsx";
import { RecoverVault } from "./recover.tsx";

export interface UnlockVaultProps {
  client: VaultClient;
  reason?: LockReason;
  /** @param message what there is to say about it. */
  onOpened(opened: Opened, message?: string): void;
}

const REASONS: Record<LockReason, string> = {
  asked: "The vault is locked, and its keys are gone from this browser.",
  idle:
    "The vault was locked because nobody used it for a while. Unlock it to go on where you were.",
  ended: "Your session ended. Unlock the vault to go on where you were.",
  failed:
    "The page had to start again, and the vault was locked. Unlock it to go on where you were.",
};

/** Both ways in, one at a time. */
export function UnlockVault(props: UnlockVaultProps) {
  const [recovering, setRecovering] = useState(false);
  return recovering
    ? <RecoverVault {...props} onBack={() => setRecovering(false)} />
    : <WithPassphrase {...props} onForgotten={() => setRecovering(true)} />;
}

function WithPassphrase(
  { client, reason, onOpened, onForgotten }: UnlockVaultProps & { onForgotten(): void },
) {
  const [passphrase, setPassphrase] = useState("");
  const [fault, setFault] = useState<string>();
  const attempt = useAttempt();
  const failure = failureText(attempt, "This is not the vault's passphrase.");
  const submit = () => {
    if (passphrase === "") return setFault("Type your passphrase.");
    attempt.make(async () => onOpened(await client.call("unlock", [{ passphrase }])));
  };
  return (
    <Entrance
      title="Unlock your vault"
      aside={<Button variant="quiet" onClick={onForgotten}>Forgot your passphrase?</Button>}
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
        {reason && <Banner kind="note">{REASONS[reason]}</Banner>}
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
        <Button type="submit" variant="primary" icon="lock" busy={attempt.busy}>
          {attempt.busy ? "Unlocking…" : "Unlock"}
        </Button>
      </form>
    </Entrance>
  );
}
