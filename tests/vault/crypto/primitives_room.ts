// A worker that answers one message with what the primitives give in it. Told to, it first takes away
// how node:crypto is found, and so stands for a browser.

import { type Outcome, primitivesOutcome } from "./primitives_outcome.ts";

interface Scope {
  onmessage: ((event: MessageEvent<{ asBrowser: boolean }>) => void) | null;
  postMessage(outcome: Outcome): void;
}

const scope = globalThis as unknown as Scope;
scope.onmessage = async ({ data }) => {
  if (data.asBrowser) Object.defineProperty(globalThis, "process", { value: undefined });
  scope.postMessage(await primitivesOutcome());
};
