// Times as they go out and come in: RFC 3339 in UTC with milliseconds; inside they are milliseconds since
// 1970.

/** The text of a time. */
export function timeText(at: number): string {
  return new Date(at).toISOString();
}

/** The text of a time, or null for none. */
export function timeTextOrNull(at: number | null): string | null {
  return at === null ? null : timeText(at);
}

/** The time of a text that {@link timeText} wrote; undefined for any other value. */
export function parseTime(text: unknown): number | undefined {
  if (typeof text !== "string" || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text)) {
    return undefined;
  }
  const at = Date.parse(text);
  return Number.isNaN(at) || at < 0 || timeText(at) !== text ? undefined : at;
}
