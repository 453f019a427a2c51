// What keeps a keychain from being used, told apart by what the system's own words for it say. Each kind
// has a code and a sentence of its own, since what a person can do about it differs (vault spec, 12).

import { ToolError } from "../../containment/error.ts";

/** Why a keychain cannot be used; `failed` is all that is none of the others. */
export type Trouble = "absent" | "locked" | "not_answering" | "failed";

/** What the systems say. The first that fits decides. */
const WORDS: readonly [Trouble, RegExp][] = [
  ["not_answering", /did not receive a reply|no ?reply|timed? ?out/i],
  [
    "locked",
    /prompt was dismissed|is locked|locked collection|interaction is not allowed|cancell?ed|passphrase you entered/i,
  ],
  [
    "absent",
    /autolaunch|failed to connect to socket|not provided by any \.service files|no result found|exited with status|failed to execute|logon session does not exist|no such (interface|method|object)|unknown ?(interface|method|object)|disconnected/i,
  ],
];

/** What kind of trouble the system's message tells of. */
export function troubleIn(message: string): Trouble {
  return WORDS.find(([, words]) => words.test(message))?.[0] ?? "failed";
}

const SENTENCES: Record<Trouble, string> = {
  absent: "there is no system keychain here that this program can use",
  locked: "the system keychain is locked; unlock it and try again",
  not_answering: "the system keychain does not answer; it may be waiting for its password in a " +
    "window of its own, or hang",
  failed: "the system keychain could not be used",
};

/**
 * The refusal for a kind of trouble.
 *
 * @param reason the system's own words; no secret is ever in them.
 */
export function keychainError(trouble: Trouble, reason: string): ToolError {
  const sentence = SENTENCES[trouble];
  const message = trouble === "failed" ? `${sentence}: ${reason}` : sentence;
  return new ToolError(`keychain_${trouble}`, message, { detail: { reason } });
}

/** The kind of trouble in a failure; undefined for one that is about something else. */
export function troubleOf(error: unknown): Trouble | undefined {
  if (!(error instanceof ToolError)) return undefined;
  return (Object.keys(SENTENCES) as Trouble[]).find((each) => error.code === `keychain_${each}`);
}
