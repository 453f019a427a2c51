// One request that goes wrong must not end a server for all the others.

/** Tells of failures that nothing caught in this thread, and goes on. */
export function keepGoing(log: (line: string) => void): void {
  const tell = (what: unknown) =>
    log(`a bug in shieldfive: ${what instanceof Error ? what.stack ?? what.message : what}`);
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    tell(event.reason);
  });
  globalThis.addEventListener("error", (event) => {
    event.preventDefault();
    tell(event.error);
  });
}
