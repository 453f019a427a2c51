// One attempt to get in: it takes a second or so, may be refused, and after several refusals has to wait.

import { useEffect, useState } from "preact/hooks";
import { OwnerError } from "../../vault/owner/error.ts";
import { durationText } from "../text/format.ts";

export interface Attempt {
  busy: boolean;
  /** What went wrong the last time. */
  failure: OwnerError | undefined;
  /** Seconds until the server takes another attempt; 0 for now. */
  wait: number;
  make(attempt: () => Promise<void>): Promise<void>;
  /** What was typed has changed. */
  clear(): void;
}

/** The state of attempts. */
export function useAttempt(): Attempt {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<OwnerError>();
  const [wait, setWait] = useState(0);
  useEffect(() => {
    if (wait <= 0) return;
    const timer = setTimeout(() => setWait(wait - 1), 1000);
    return () => clearTimeout(timer);
  }, [wait]);
  return {
    busy,
    failure,
    wait,
    clear: () => setFailure(undefined),
    async make(attempt) {
      if (busy || wait > 0) return;
      setBusy(true);
      setFailure(undefined);
      try {
        await attempt();
      } catch (error) {
        const known = error instanceof OwnerError
          ? error
          : new OwnerError("internal", (error as Error).message);
        setFailure(known);
        setWait(known.retryAfterSeconds ?? 0);
      } finally {
        setBusy(false);
      }
    },
  };
}

/** How a failure is said, when a secret was given to get in. */
export function failureText({ failure, wait }: Attempt, wrong: string): string | undefined {
  if (failure === undefined) return undefined;
  if (wait > 0) return `Too many attempts. Try again in ${durationText(wait)}.`;
  if (failure.code === "rate_limited") return "You can try again now.";
  return failure.code === "login_failed" ? wrong : failure.message;
}
