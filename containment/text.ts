// Names as people see them. A file name may hold anything but a separator and NUL, so before one is
// shown in a sentence, a table or a log line every character that could forge a line, drive a
// terminal or reverse the reading direction is written out as an escape. Data keeps the exact name.

// C0, DEL and C1; line and paragraph separators; bidi marks, embeddings, overrides and isolates;
// zero-width characters that make two names look alike; the byte order mark; tag characters.
const HIDDEN =
  // deno-lint-ignore no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const SHORT: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\x1b": "\\e" };

function escapeOne(character: string): string {
  return SHORT[character] ?? `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

/** The text on one line, with nothing in it that a reader cannot see. */
export function visible(text: string): string {
  return text.replace(LONE_SURROGATE, escapeOne).replace(HIDDEN, escapeOne);
}

/** Whether {@link visible} would change the text. */
export function hasHidden(text: string): boolean {
  return visible(text) !== text;
}

/** The first `max` UTF-16 units at most, never half a character. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const unit = text.charCodeAt(max - 1);
  return text.slice(0, unit >= 0xd800 && unit <= 0xdbff ? max - 1 : max);
}

/**
 * A caller's value as a refusal quotes it: JSON-quoted, made visible, cut to `max` units with the
 * full length told, so that no argument can blow up a message (local-tools spec, 1.0.4).
 */
export function quote(value: unknown, max = 200): string {
  const text = typeof value === "string" ? value : String(value);
  const shown = visible(JSON.stringify(cut(text, max)));
  return text.length > max ? `${shown}… (${text.length} characters)` : shown;
}

/** Two names in code-unit order: the same on every machine and in every locale. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
