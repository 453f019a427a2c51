// The messages between the main thread and a room.

import type { ErrorRecord } from "../error.ts";

/** How far a long call is. Totals are absent while they are not known. */
export interface Progress {
  done: number;
  total?: number;
  unit: "files" | "bytes";
  /** What is being done, in a word or two: "scanning", "comparing". */
  label: string;
}

export type ToRoom =
  /** `life` names the lock that the room has to hold until its thread ends. */
  | { type: "start"; init: unknown; ports: Record<string, MessagePort>; life: string }
  | { type: "call"; id: number; method: string; args: unknown; cancel: SharedArrayBuffer }
  | { type: "answer"; id: number; value?: unknown; error?: ErrorRecord };

export type FromRoom =
  /** All of the room's modules are loaded. */
  | { type: "ready" }
  /** The lock is held; calls are taken from here on. */
  | { type: "alive" }
  | { type: "result"; id: number; value: unknown }
  | { type: "error"; id: number; error: ErrorRecord }
  /** Something escaped that is no ToolError: a bug in the room. */
  | { type: "bug"; id: number; stack: string }
  | { type: "progress"; id: number; progress: Progress }
  /** The room needs a word from the main thread before it goes on. */
  | { type: "ask"; id: number; question: string; args: unknown }
  | { type: "log"; line: string };
