// Reads values that a server sent. It may be lying, so nothing is taken that is not of its kind, and
// nothing is copied but what was asked for.

export type Fields = Record<string, unknown>;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const LONGEST_TIME = 64;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value, undefined where it is of another kind, and null where it is missing and may be. */
export type Optional<T> = T | null | undefined;

/** A field that may be missing: null says that it is. */
export function orNull<T>(value: unknown, read: (value: unknown) => T | undefined): Optional<T> {
  return value === undefined || value === null ? null : read(value);
}

export function text(value: unknown, longest: number): string | undefined {
  return typeof value === "string" && value.length <= longest ? value : undefined;
}

export function uuid(value: unknown): string | undefined {
  return typeof value === "string" && UUID.test(value) ? value : undefined;
}

/** A whole number, not below zero. */
export function count(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? value as number : undefined;
}

export function flag(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

/** A time in any spelling that a date can be made of; the text stays as it came. */
export function time(value: unknown): string | undefined {
  const written = text(value, LONGEST_TIME);
  return written === undefined || Number.isNaN(Date.parse(written)) ? undefined : written;
}

const AUDIT_ID = /^[\w-]{1,64}$/;

/** The id of the server's record in its answer to a change; nothing where it says none. */
export function auditIdIn(value: unknown): { auditId?: string } {
  const auditId = isFields(value) ? value.auditId : undefined;
  return typeof auditId === "string" && AUDIT_ID.test(auditId) ? { auditId } : {};
}
