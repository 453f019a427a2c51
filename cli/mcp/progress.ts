// How far a call is, told to a client that asked for it. Strict clients drop the connection over a
// progress message that they do not expect, so: only with the token that the call carried, in its
// own type; always rising, although a call may count files first and bytes later; and never once the
// call is cancelled or answered.

import type { Progress } from "../../containment/mod.ts";

export type ProgressToken = string | number;

/** The params of one `notifications/progress`. */
export interface ProgressParams {
  [field: string]: unknown;
  progressToken: ProgressToken;
  progress: number;
  total?: number;
  message: string;
}

/** Longest token that is echoed. */
const MAX_TOKEN_LENGTH = 1024;

/** The token of a call's `_meta`, where it has a usable one. */
export function progressTokenOf(meta: Record<string, unknown> | undefined) {
  const token = meta?.progressToken;
  if (Number.isSafeInteger(token)) return token as number;
  return typeof token === "string" && token.length <= MAX_TOKEN_LENGTH ? token : undefined;
}

/** Turns a room's reports into rising progress messages, or into nothing without a token. */
export function progressReporter(
  token: ProgressToken | undefined,
  signal: AbortSignal,
  send: (params: ProgressParams) => void,
): (progress: Progress) => void {
  if (token === undefined) return () => {};
  let label: string | undefined;
  let base = 0;
  let last = 0;
  return (report) => {
    if (signal.aborted) return;
    if (report.label !== label) [label, base] = [report.label, last];
    const progress = base + report.done;
    if (progress <= last) return;
    last = progress;
    send({
      progressToken: token,
      progress,
      ...(report.total === undefined ? {} : { total: Math.max(progress, base + report.total) }),
      message: report.label,
    });
  };
}
