// The programs that a connection can be meant for, as the hand-off names them (vault spec, 9). A hint is
// what a program says of itself: it picks a name to show and decides nothing.

const NAMES = {
  "claude-desktop": "Claude Desktop",
  "claude-code": "Claude Code",
  cursor: "Cursor",
  chatgpt: "ChatGPT",
  local: "A local assistant",
  other: "Another program",
} as const;

export type ClientHint = keyof typeof NAMES;

/** In the order in which they are offered. */
export const CLIENT_HINTS = Object.keys(NAMES) as ClientHint[];

/** The hint itself where it is known, otherwise `other`. */
export function knownHint(text: string | null): ClientHint {
  return CLIENT_HINTS.find((hint) => hint === text) ?? "other";
}

/** How a person knows the program, in a list or at the start of a sentence. */
export function clientName(hint: string): string {
  return NAMES[knownHint(hint)];
}

/** The same within a sentence. */
export function clientInSentence(hint: string): string {
  const known = knownHint(hint);
  if (known === "local") return "a local assistant";
  return known === "other" ? "the program" : NAMES[known];
}
