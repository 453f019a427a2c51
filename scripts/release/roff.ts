// Text as roff input, for man pages: what roff would take for a command, an escape or typography
// comes out as the plain character that was meant, in groff and in mandoc.

import { wrap } from "../../cli/terminal/wrap.ts";

/** Characters that stand for something else unless they are named. */
const NAMES: Record<string, string> = {
  "\\": "\\(rs",
  "-": "\\-",
  "'": "\\(aq",
  "`": "\\(ga",
  "^": "\\(ha",
  "~": "\\(ti",
  '"': "\\(dq",
};

/** Columns of a source line, so that the page can be read and compared as it is. */
const COLUMNS = 78;

/** Text that must come out to the letter, because it is typed or printed. */
export function literal(text: string): string {
  return [...text.replaceAll(/\s+/g, " ")].map((character) =>
    NAMES[character] ??
      (character > "~" ? `\\[u${hexOf(character)}]` : character)
  ).join("");
}

function hexOf(character: string): string {
  return character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
}

export function bold(text: string): string {
  return `\\fB${literal(text)}\\fR`;
}

export function italic(text: string): string {
  return `\\fI${literal(text)}\\fR`;
}

/**
 * Running text as source lines, each sentence on lines of its own. What stands between backticks is
 * bold and literal. Hyphens inside words stay hyphens; other dashes are the ones that are typed.
 */
export function prose(text: string): string[] {
  const sentences = text.replaceAll(/\s+/g, " ").trim().split(/(?<=[a-z0-9)`][.?!]) (?=[A-Z`])/);
  return sentences.flatMap((sentence) => {
    const parts = sentence.split(/`([^`]+)`/).map((part, i) =>
      i % 2 === 1 ? bold(part) : words(part)
    );
    return lines(parts.join(""));
  });
}

function words(text: string): string {
  return literal(text).replaceAll(/(?<=\p{L})\\-(?=\p{L})/gu, "-").replaceAll("\\(aq", "'");
}

/** Escaped text broken into source lines, none of which begins like a request. */
export function lines(escaped: string): string[] {
  return wrap(escaped, COLUMNS).map((line) => /^[.']/.test(line) ? `\\&${line}` : line);
}

/** A request or macro; each argument is escaped already. */
export function request(name: string, ...args: string[]): string {
  return [`.${name}`, ...args.map((arg) => /[ ]|^$/.test(arg) ? `"${arg}"` : arg)].join(" ");
}
