// A recovery key as it is shown, once: to copy, to print, to keep as a file; and the question that makes sure
// that it was kept. The security view uses it too.

import { useState } from "preact/hooks";
import { Banner, Button, TextField, useStatus } from "../components/mod.ts";
import { saveBlob } from "../text/save_blob.ts";

/** The characters at the end of the key that are asked for. */
const ASKED_FOR = 4;

export interface RecoveryKeyProps {
  recoveryKey: string;
  /** The person has shown that the key is at hand elsewhere. */
  onSaved(): void;
}

/** What is written to a file. */
function fileText(recoveryKey: string): string {
  return [
    "ShieldFive recovery key",
    "",
    recoveryKey,
    "",
    `For the vault at ${location.origin}`,
    `Made on ${new Date().toISOString().slice(0, 10)}`,
    "",
    "Whoever has this key can open the vault. Keep it where you keep papers that matter, and not on the",
    "computer that you open the vault with.",
    "",
  ].join("\n");
}

/** The key in its groups, so that it can be compared by eye. */
function Groups({ recoveryKey }: { recoveryKey: string }) {
  return (
    <div class="recovery-key" role="group" aria-label="Your recovery key">
      {recoveryKey.split("-").map((group, index, groups) => (
        <span key={index}>
          {group}
          {index < groups.length - 1 && <span class="recovery-hyphen">-</span>}
        </span>
      ))}
    </div>
  );
}

function Keeping({ recoveryKey }: { recoveryKey: string }) {
  const status = useStatus();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(recoveryKey);
      status.notify({ kind: "done", text: "The recovery key is copied." });
    } catch {
      // The browser may refuse the clipboard to a page.
      status.notify({ kind: "failed", text: "The browser does not let this page copy." });
    }
  };
  const download = () =>
    saveBlob(
      new Blob([fileText(recoveryKey)], { type: "text/plain" }),
      "shieldfive-recovery-key.txt",
    );
  return (
    <div class="row">
      <Button icon="copy" onClick={copy}>Copy</Button>
      <Button icon="download" onClick={download}>Download</Button>
      <Button icon="print" onClick={() => print()}>Print</Button>
    </div>
  );
}

/** The key, the ways to keep it, and the question. */
export function RecoveryKey({ recoveryKey, onSaved }: RecoveryKeyProps) {
  const [typed, setTyped] = useState("");
  const [fault, setFault] = useState<string>();
  const check = () => {
    const same = typed.trim().toUpperCase() === recoveryKey.slice(-ASKED_FOR);
    if (same) onSaved();
    else setFault(`These are not the last ${ASKED_FOR} characters of the key.`);
  };
  return (
    <form
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        check();
      }}
    >
      <Groups recoveryKey={recoveryKey} />
      <Keeping recoveryKey={recoveryKey} />
      <Banner kind="warning">
        It is shown this one time. With it you can set a new passphrase; without it and the
        passphrase, the vault stays closed for ever. Whoever has it can open your vault.
      </Banner>
      <TextField
        label={`Type the last ${ASKED_FOR} characters of the key`}
        value={typed}
        onValue={(value) => {
          setTyped(value);
          setFault(undefined);
        }}
        error={fault}
        hint="From your copy, to make sure that it is there."
        autoComplete="off"
        autocapitalize="off"
        spellcheck={false}
        maxLength={ASKED_FOR + 4}
      />
      <Button type="submit" variant="primary">I have saved my recovery key</Button>
    </form>
  );
}
