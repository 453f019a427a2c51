// Numbers as people read them (local-tools spec, 1.0.4).

const UNITS = ["B", "KB", "MB", "GB", "TB", "PB"];

/** Bytes in decimal units: `999 B`, `1.5 KB`, `120 MB`. The unit is chosen after rounding. */
export function formatBytes(bytes: number): string {
  if (!Number.isFinite(bytes) || bytes < 0) return "unknown";
  if (bytes < 1000) return `${Math.round(bytes)} B`;
  let value = bytes;
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

/** A count with its noun: `1 file`, `2,000 files`. */
export function count(n: number, noun: string, plural = noun + "s"): string {
  return `${n.toLocaleString("en-US")} ${n === 1 ? noun : plural}`;
}

/**
 * A modification time in a result: the UTC date and the full time. Both are left out for a time
 * that no calendar holds, since some file systems hand out garbage.
 */
export function modifiedFields(mtime: number): { modified?: string; modified_at?: string } {
  const date = new Date(mtime);
  if (Number.isNaN(date.getTime())) return {};
  const text = date.toISOString();
  return { modified: text.slice(0, text.indexOf("T")), modified_at: text };
}
