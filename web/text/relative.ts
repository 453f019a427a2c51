// Times as they lie from now, in the one unit that says enough.

const UNITS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
const WORDS = new Intl.RelativeTimeFormat("en", { numeric: "always" });

/**
 * `in 7 days`, `5 minutes ago`, `just now`: whole units, the nearest.
 *
 * @param time RFC 3339.
 * @param now milliseconds since 1970.
 */
export function relativeText(time: string, now = Date.now()): string {
  const seconds = (Date.parse(time) - now) / 1000;
  if (Number.isNaN(seconds)) return time;
  for (const [unit, length] of UNITS) {
    const count = Math.round(seconds / length);
    // Two of a larger unit say more than many of a smaller one; a single one says too little.
    const enough = unit === "minute" ? 1 : 2;
    if (Math.abs(count) >= enough) return WORDS.format(count, unit);
  }
  return seconds > 0 ? "in less than a minute" : "just now";
}
