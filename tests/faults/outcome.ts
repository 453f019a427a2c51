// What goes to the program under fault and what comes back.

import type { ErrorRecord } from "../../containment/mod.ts";

/** One call of a changing tool. */
export interface Call {
  tool: string;
  roots: string[];
  input: Record<string, unknown>;
}

/** How a call ended: a result, a failure as the interface shows it, or an error that escaped. */
export type Outcome =
  | { output: Record<string, unknown> }
  | { error: ErrorRecord }
  | { bug: string };
