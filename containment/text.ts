// Names as people see them. A file name may hold anything but a separator and NUL, so before one is
// shown in a sentence, a table or a log line every character that could forge a line, drive a
// terminal or reverse the reading direction is written out as an escape. Data keeps the exact name.

// Controls, halves of characters, line and paragraph separators, and all that is drawn as nothing:
// zero-width characters, direction marks, tags, and the selectors that can carry a hidden message.
// One selector after a pictograph is how emoji are written, and says nothing else.
const HIDDEN =
  /[[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]--\ufe0f]|(?<!\p{Extended_Pictographic})\ufe0f/gv;

const SHORT: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\x1b": "\\e" };

function escapeOne(character: string): string {
  return SHORT[character] ?? `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

/** The text on one line, with nothing in it that a reader cannot see. */
export function visible(text: string): string {
  return text.replace(HIDDEN, escapeOne);
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

/** The text with every character outside ASCII as its code, so that look-alikes can be told apart. */
export function spelledOut(text: string): string {
  return visible(text).replace(/[^\x00-\x7f]/gu, escapeOne);
}

/**
 * A caller's value as a refusal quotes it: JSON-quoted and made visible. At most `max` units are
 * shown, escapes included, and then the full length, so that no argument can blow up a message
 * (local-tools spec, 1.0.4). `show` is {@link visible}, or {@link spelledOut} to tell look-alikes.
 */
export function quote(value: unknown, max = 200, show = visible): string {
  const text = typeof value === "string" ? value : String(value);
  let shown = "";
  let taken = 0;
  for (const character of text) {
    const written = show(JSON.stringify(character).slice(1, -1));
    if (shown.length + written.length > max) break;
    shown += written;
    taken += character.length;
  }
  return taken < text.length ? `"${shown}"… (${text.length} characters)` : `"${shown}"`;
}

/** Two names in code-unit order: the same on every machine and in every locale. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
