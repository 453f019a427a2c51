// Locks the vault when nobody uses it. Time is read from the clock and not counted, so that a computer that
// slept wakes up with a locked vault.

import { useEffect, useRef, useState } from "preact/hooks";

/** Without a touch of pointer or keyboard for so long, the vault is locked. */
export const IDLE_MS = 15 * 60_000;
/** It is said so long before. */
export const WARNING_MS = 60_000;

const SIGNS = ["pointerdown", "pointermove", "keydown", "wheel", "touchstart"] as const;

/**
 * Watches for a person.
 *
 * @param busy something is under way that a lock would break off: the vault stays open for it.
 * @returns the seconds that are left, once there are few; undefined before.
 */
export function useIdleLock(busy: boolean, onIdle: () => void): number | undefined {
  const [left, setLeft] = useState<number>();
  const last = useRef(Date.now());
  const current = useRef({ busy, onIdle });
  current.current = { busy, onIdle };
  useEffect(() => {
    const touch = () => {
      last.current = Date.now();
    };
    const look = () => {
      if (current.current.busy) touch();
      const rest = last.current + IDLE_MS - Date.now();
      if (rest <= 0) return current.current.onIdle();
      setLeft(rest <= WARNING_MS ? Math.ceil(rest / 1000) : undefined);
    };
    for (const sign of SIGNS) addEventListener(sign, touch, { passive: true, capture: true });
    document.addEventListener("visibilitychange", look);
    const timer = setInterval(look, 1000);
    return () => {
      for (const sign of SIGNS) removeEventListener(sign, touch, { capture: true });
      document.removeEventListener("visibilitychange", look);
      clearInterval(timer);
    };
  }, []);
  return left;
}
