// Makes the vault of a new server: the setup code that the server printed, and a passphrase.

import { useState } from "preact/hooks";
import { Banner, Button, TextField } from "../components/mod.ts";
import type { Opened } from "../vault/calls.ts";
import type { VaultClient } from "../vault/client.ts";
import { AccountName } from "./account_name.tsx";
import { failureText, useAttempt } from "./attempt.ts";
import { Entrance } from "./entrance.tsx";
import { NewPassphraseFields, useNewPassphrase } from "./new_passphrase.tsx";

export interface CreateVaultProps {
  client: VaultClient;
  /** As it came with the address; empty when it did not. */
  setupToken: string;
  onMade(opened: Opened, recoveryKey: string): void;
}

/** The setup code in what was pasted, which may be the whole address. */
function setupTokenIn(pasted: string): string {
  return pasted.trim().replace(/^.*#setup=/, "");
}

/** The form that makes a vault. */
export function CreateVault({ client, setupToken, onMade }: CreateVaultProps) {
  const passphrase = useNewPassphrase();
  const [code, setCode] = useState(setupToken);
  const [codeFault, setCodeFault] = useState<string>();
  const attempt = useAttempt();
  const submit = () => {
    if (setupTokenIn(code) === "") return setCodeFault("Paste the setup code here.");
    if (!passphrase.check()) return;
    attempt.make(async () => {
      const how = { setupToken: setupTokenIn(code), passphrase: passphrase.value };
      const { recoveryKey, ...opened } = await client.call("create", [how]);
      onMade(opened, recoveryKey);
    });
  };
  const failure = attempt.failure?.code === "setup_token_invalid"
    ? "This is not the setup code that the server printed last."
    : failureText(attempt, "");
  return (
    <Entrance
      title="Create your vault"
      lead="Files and their names are encrypted in this browser before they leave it. The server cannot read them, and neither can whoever runs it."
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
        {setupToken === "" && (
          <TextField
            label="Setup code"
            value={code}
            onValue={(value) => {
              setCode(value);
              setCodeFault(undefined);
            }}
            error={codeFault}
            hint="The address that the server printed when it started, or the part of it after #setup="
            first
            autoComplete="off"
            spellcheck={false}
          />
        )}
        <NewPassphraseFields {...passphrase.fields} first={setupToken !== ""} />
        <Banner kind="note">
          Nobody can reset a forgotten passphrase. On the next page you get a recovery key for that.
        </Banner>
        {failure && <p class="fault" role="alert">{failure}</p>}
        <Button type="submit" variant="primary" busy={attempt.busy}>
          {attempt.busy ? "Making your keys…" : "Create vault"}
        </Button>
      </form>
    </Entrance>
  );
}
