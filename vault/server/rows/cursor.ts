// The place in a listing at which the next page begins. As text it is opaque and safe in a URL without
// escaping (vault spec, 3): a time in milliseconds, a dot, the row's id.

/** The last row that a page gave. */
export interface Cursor {
  /** Milliseconds since 1970. */
  createdAt: number;
  id: string;
}

const TEXT = /^(0|[1-9]\d{0,15})\.([A-Za-z0-9-]{1,64})$/;

/** The cursor as it goes into a URL. */
export function formatCursor(cursor: Cursor): string {
  return `${cursor.createdAt}.${cursor.id}`;
}

/** The cursor that {@link formatCursor} wrote; undefined for any other text. */
export function parseCursor(text: string): Cursor | undefined {
  const match = TEXT.exec(text);
  if (match === null) return undefined;
  const createdAt = Number(match[1]);
  return Number.isSafeInteger(createdAt) ? { createdAt, id: match[2] } : undefined;
}
