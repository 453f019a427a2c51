// Sizes and ages as people type them: `100MB`, `1.5GiB`, `30d`, `2y`.

import { quote } from "../containment/mod.ts";
import { UsageError } from "./usage.ts";

/** Bytes in a unit; a lone letter is the decimal unit, like everywhere in the output. */
const SIZES: Record<string, number> = { "": 1, b: 1 };
for (const [power, letter] of ["k", "m", "g", "t", "p"].entries()) {
  SIZES[letter] = SIZES[letter + "b"] = 1000 ** (power + 1);
  SIZES[letter + "ib"] = 1024 ** (power + 1);
}

const AGES: Record<string, number> = { "": 1, d: 1, w: 7, mo: 30, y: 365 };

/** The bytes that a text like `1.5GiB` stands for. */
export function parseSize(text: string, option: string): number {
  return quantity(text, SIZES, option, "a size such as 500KB, 100MB or 1.5GiB");
}

/** The whole days that a text like `2y` stands for; a month is 30 days, a year 365. */
export function parseDays(text: string, option: string): number {
  return quantity(text, AGES, option, "an age such as 30d, 6w, 3mo or 2y");
}

function quantity(
  text: string,
  units: Record<string, number>,
  option: string,
  wanted: string,
): number {
  const parts = /^(\d+(?:\.\d+)?) ?([a-z]*)$/i.exec(text);
  const factor = parts === null ? undefined : units[parts[2].toLowerCase()];
  const value = factor === undefined ? NaN : Math.floor(Number(parts![1]) * factor);
  if (Number.isSafeInteger(value)) return value;
  throw new UsageError(`${option} takes ${wanted}, not ${quote(text, 40)}`);
}
