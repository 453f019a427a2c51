// Ends the session on the server and forgets the keys.

import { Button } from "../components/mod.ts";
import { useLock } from "../shell/lock.tsx";

/** The button. */
export function SignOut() {
  const lock = useLock();
  return (
    <>
      <Button icon="lock" onClick={lock.ask}>Sign out</Button>
      {lock.dialog}
    </>
  );
}
