// How much room text takes on a terminal, and how to make it take less. Text is measured by what a
// reader sees as one character: a letter with its accents, a flag, an ideograph that is two columns wide.

import { eastAsianWidth } from "get-east-asian-width";

// Text of which every code unit is one column: Latin letters, digits and common punctuation.
const PLAIN = /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u2030-\u205e]*$/;
const EMOJI = /\p{Emoji_Presentation}|\ufe0f/u;
const NO_ROOM = /^[\p{Mark}\p{Default_Ignorable_Code_Point}\p{Control}]+$/u;
const ELLIPSIS = "…";

/** Made at its first use: it takes 10 ms, and most text is plain. */
const segmenter = once(() => new Intl.Segmenter());

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => made ??= make();
}

/** The characters as a reader counts them. */
function characters(text: string): string[] {
  if (PLAIN.test(text)) return text.split("");
  return Array.from(segmenter().segment(text), ({ segment }) => segment);
}

function characterWidth(character: string): number {
  if (PLAIN.test(character)) return character.length;
  if (NO_ROOM.test(character)) return 0;
  return EMOJI.test(character) ? 2 : eastAsianWidth(character.codePointAt(0)!);
}

/** Columns that one line of text takes. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  return characters(text).reduce((width, character) => width + characterWidth(character), 0);
}

/** The text followed, or for numbers preceded, by spaces up to the width. */
export function pad(text: string, width: number, side: "left" | "right" = "right"): string {
  const space = " ".repeat(Math.max(0, width - widthOf(text)));
  return side === "left" ? space + text : text + space;
}

/** As many characters as fit into the columns, from the start or from the end of the text. */
function fitting(text: string, columns: number, from: "start" | "end"): string {
  const all = characters(text);
  if (from === "end") all.reverse();
  const kept: string[] = [];
  let width = 0;
  for (const character of all) {
    width += characterWidth(character);
    if (width > columns) break;
    kept.push(character);
  }
  return (from === "end" ? kept.reverse() : kept).join("");
}

/** The text in at most so many columns, with its end left out where it must be. */
export function shortenEnd(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  return fitting(text, columns - 1, "start") + ELLIPSIS;
}

/**
 * The text in at most so many columns, with its middle left out where it must be: a path is known by
 * where it begins and by its name. The end gets the greater part.
 */
export function shortenMiddle(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  const room = columns - 1;
  const end = fitting(text, Math.ceil(room * 2 / 3), "end");
  return fitting(text, room - widthOf(end), "start") + ELLIPSIS + end;
}
