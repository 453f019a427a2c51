// Lets other work through. Some ciphers run on the calling thread, and promises that are settled
// already go before timers and messages: a long file would keep a cancellation waiting to its end.

/** How long the thread may be kept, in milliseconds. */
const AT_MOST = 8;

/** Asks the platform to go on after everything that is waiting; the cheapest way that it has. */
function afterWaitingWork(go: () => void): void {
  const { setImmediate } = globalThis as { setImmediate?: (go: () => void) => unknown };
  if (setImmediate !== undefined) {
    setImmediate(go);
    return;
  }
  // A browser's timers wait four milliseconds, its messages do not.
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    go();
  };
  port2.postMessage(null);
}

export class Pace {
  #since = performance.now();

  /** Lets other work through if the thread was kept for long; otherwise goes on at once. */
  async breathe(): Promise<void> {
    if (performance.now() - this.#since < AT_MOST) return;
    await new Promise<void>(afterWaitingWork);
    this.#since = performance.now();
  }
}
