// Numbers as people read them (local-tools spec, 1.0.4).

const UNITS = ["B", "KB", "MB", "GB", "TB", "PB"];

/** Bytes in decimal units: `999 B`, `1.5 KB`, `120 MB`. The unit is chosen after rounding. */
export function formatBytes(bytes: number): string {
  if (!Number.isFinite(bytes) || bytes < 0) return "unknown";
  let value = Math.round(bytes);
  if (value < 1000) return `${value} B`;
  let unit = 0;
  do {
    value /= 1000;
    unit++;
  } while (Number(rounded(value)) >= 1000 && unit < UNITS.length - 1);
  return `${rounded(value)} ${UNITS[unit]}`;
}

function rounded(value: number): string {
  return Number(value.toFixed(1)) < 100 ? value.toFixed(1) : value.toFixed(0);
}

/** A whole number with its thousands marked: `12,345`. (`toLocaleString` takes 11 ms to get ready.) */
export function formatCount(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A count with its noun: `1 file`, `2,000 files`. */
export function count(n: number, noun: string, plural = noun + "s"): string {
  return `${formatCount(n)} ${n === 1 ? noun : plural}`;
}

/** An age in words, rounded down: `today`, `1 day`, `7 weeks`, `14 months`, `2 years`. */
export function formatAge(days: number): string {
  if (days < 0) return "in the future";
  if (days < 1) return "today";
  if (days < 14) return count(Math.floor(days), "day");
  if (days < 61) return count(Math.floor(days / 7), "week");
  if (days < 730) return count(Math.floor(days * 12 / 365), "month");
  return count(Math.floor(days / 365), "year");
}

/**
 * A modification time in a result: the UTC date and the full time. Both are left out for a time
 * that RFC 3339 cannot write, since some file systems hand out garbage.
 */
export function modifiedFields(
  mtime: number | undefined,
): { modified?: string; modified_at?: string } {
  const text = mtime === undefined ? undefined : timeText(mtime);
  return text === undefined ? {} : { modified: text.slice(0, 10), modified_at: text };
}

/** Milliseconds since 1970 in RFC 3339, or undefined where that has no way to write them. */
export function timeText(time: number): string | undefined {
  const date = new Date(time);
  const year = date.getUTCFullYear();
  return year >= 0 && year <= 9999 ? date.toISOString() : undefined;
}
