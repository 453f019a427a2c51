// How sizes, times and numbers are said: decimal units and the reader's own calendar.

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;
const STEP = 1000;

/** `1 byte`, `1.5 MB`: three digits at most. */
export function sizeText(bytes: number): string {
  let power = 0;
  let value = bytes;
  // What would be rounded up to 1000 belongs to the next unit.
  while (value >= (power === 0 ? STEP : STEP - 0.5) && power < UNITS.length - 1) {
    value /= STEP;
    power++;
  }
  return new Intl.NumberFormat("en", {
    style: "unit",
    unit: UNITS[power],
    unitDisplay: power === 0 ? "long" : "short",
    maximumFractionDigits: power === 0 || value >= 100 ? 0 : 1,
  }).format(value);
}

/** `1 file`, `2,500 files`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${new Intl.NumberFormat("en").format(count)} ${count === 1 ? one : many}`;
}

const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const DATE_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** The day of a time in RFC 3339, as the reader writes it; what is none is said as it is. */
export function dateText(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : DATE.format(date);
}

/** The same with the time of day. */
export function timeText(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : DATE_TIME.format(date);
}

/** `less than a minute`, `5 minutes`, `2 hours`. */
export function durationText(seconds: number): string {
  if (seconds < 60) return countText(Math.max(1, Math.ceil(seconds)), "second");
  if (seconds < 3600) return countText(Math.ceil(seconds / 60), "minute");
  return countText(Math.ceil(seconds / 3600), "hour");
}
