// What `doctor` says about one thing. A problem is what would not work, and never comes without what to do
// about it; a note is worth knowing and keeps nothing from working.

interface Common {
  /** What was looked at: a name that stays the same, for programs (docs/doctor.md). */
  check: string;
  /** A sentence without its full stop. */
  text: string;
  /** More about it, a line each. */
  lines?: string[];
  /** The same as data; absent values are left out. */
  data?: Record<string, unknown>;
}

export type Finding =
  | Common & { state: "ok" }
  | Common & { state: "note"; fix?: string }
  | Common & { state: "problem"; fix: string };

export type State = Finding["state"];

type Details = Pick<Common, "lines" | "data">;

export function ok(check: string, text: string, details: Details = {}): Finding {
  return { check, state: "ok", text, ...details };
}

/** @param fix what could be done, as the end of the sentence. */
export function note(
  check: string,
  text: string,
  { fix, ...details }: Details & { fix?: string } = {},
): Finding {
  return { check, state: "note", text, ...(fix === undefined ? {} : { fix }), ...details };
}

/** @param fix what to do, as the end of the sentence. */
export function problem(
  check: string,
  text: string,
  fix: string,
  details: Details = {},
): Finding {
  return { check, state: "problem", text, fix, ...details };
}
