// The page between a new vault and its first use: the recovery key has to be put away first.

import { useEffect } from "preact/hooks";
import { Entrance } from "./entrance.tsx";
import { RecoveryKey, type RecoveryKeyProps } from "./recovery_key.tsx";

/** Shows the key, and keeps the person from leaving without it by a slip. */
export function SaveRecoveryKey({ title, ...props }: RecoveryKeyProps & { title: string }) {
  useEffect(() => {
    const hold = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", hold);
    return () => removeEventListener("beforeunload", hold);
  }, []);
  return (
    <Entrance
      wide
      title={title}
      lead="If you ever forget your passphrase, this key opens the vault. Keep it away from this computer: on paper, or in a password manager."
    >
      <RecoveryKey {...props} />
    </Entrance>
  );
}
