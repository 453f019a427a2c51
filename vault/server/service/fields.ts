// The one set of validators for what comes in as JSON: strict, each refusing with `bad_request` and the
// name of the field. They never walk deeper than the shape that they know, and unknown fields are
// refused, so a hostile body costs no more than its parse, whose bytes are bounded before.

import { isFingerprint, isKeyText, isUuid } from "@shieldfive/crypto/extra/server_values.ts";
import { isRowBoundName, isWrappedKey } from "@shieldfive/crypto/extra/shapes.ts";
import { badRequest } from "./refusal.ts";
import { parseTime } from "./times.ts";

/**
 * Checks a value and gives it with its type.
 *
 * @param path the field's name as the refusal shows it, such as `items[3].name`.
 * @throws Refusal 400 `bad_request`.
 */
export type Field<T> = (value: unknown, path: string) => T;

/** The type that a field gives. */
export type ValueOf<F> = F extends Field<infer T> ? T : never;

function refuse(path: string, rule: string): never {
  throw badRequest(`${path === "" ? "the body" : path} ${rule}`);
}

/** A field of texts that pass a test. */
export function textThat(test: (text: string) => boolean, rule: string): Field<string> {
  return (value, path) =>
    typeof value === "string" && test(value) ? value : refuse(path, `must be ${rule}`);
}

/** A text of so many characters (UTF-16 code units). */
export function text(least: number, most: number): Field<string> {
  return textThat(
    ({ length }) => length >= least && length <= most,
    `a text of ${least} to ${most} characters`,
  );
}

export const uuid: Field<string> = textThat(isUuid, "a lower-case UUID");

/** Any row id does for a look at the shape alone. */
const SOME_ROW = "row";

/** A version 6 name envelope, by its shape. */
export const nameEnvelope: Field<string> = textThat(
  (text) => isRowBoundName(text, SOME_ROW),
  "a version 6 name envelope",
);

const SOME_IV = "A".repeat(16);
const SOME_WRAP = "A".repeat(64);

/** The longer part of a wrap: base64 of 48 bytes. */
export const wrapped: Field<string> = textThat(
  (text) => isWrappedKey({ wrapped: text, iv: SOME_IV }),
  "base64 of 48 bytes",
);

/** The shorter part of a wrap: base64 of 12 bytes. */
export const iv: Field<string> = textThat(
  (text) => isWrappedKey({ wrapped: SOME_WRAP, iv: text }),
  "base64 of 12 bytes",
);

/** 32 bytes as 43 characters of base64url, in their one spelling: proofs and tokens. */
export const keyText: Field<string> = textThat(isKeyText, "32 bytes in base64url");

/** A SHA-256 as 64 lower-case hex digits. */
export const sha256Hex: Field<string> = textThat(isFingerprint, "64 lower-case hex digits");

/** A SHA-1 as 40 lower-case hex digits. */
export const sha1Hex: Field<string> = textThat(
  (text) => /^[0-9a-f]{40}$/.test(text),
  "40 lower-case hex digits",
);

/** A media type or the like: printable ASCII. */
export const contentType: Field<string> = textThat(
  (text) => /^[\x20-\x7e]{1,127}$/.test(text),
  "1 to 127 characters of printable ASCII",
);

export const flag: Field<boolean> = (value, path) =>
  typeof value === "boolean" ? value : refuse(path, "must be true or false");

export function integer(least: number, most = Number.MAX_SAFE_INTEGER): Field<number> {
  return (value, path) =>
    Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most
      ? value as number
      : refuse(path, `must be a whole number from ${least} to ${most}`);
}

/** A time as this server writes it, RFC 3339 with milliseconds; gives milliseconds since 1970. */
export const time: Field<number> = (value, path) =>
  parseTime(value) ?? refuse(path, "must be a time such as 2026-01-31T12:00:00.000Z");

export function oneOf<const T extends string | number>(...values: T[]): Field<T> {
  return (value, path) =>
    values.find((known) => known === value) ?? refuse(path, `must be one of ${values.join(", ")}`);
}

/** A field that may be left out. */
export function optional<T>(field: Field<T>): Field<T | undefined> {
  return (value, path) => value === undefined ? undefined : field(value, path);
}

export function nullable<T>(field: Field<T>): Field<T | null> {
  return (value, path) => value === null ? null : field(value, path);
}

export function list<T>(field: Field<T>, least: number, most: number): Field<T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) return refuse(path, "must be a list");
    if (value.length < least || value.length > most) {
      return refuse(path, `must have ${least} to ${most} entries`);
    }
    return value.map((entry, index) => field(entry, `${path}[${index}]`));
  };
}

/** A name of the sender's own choice, cut to what a message has room for. */
function shown(name: string): string {
  return JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name);
}

/** Whether a value is an object that is no list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// The type of each field is kept by inference, so what the fields give does not matter here.
type Fields = Record<string, Field<unknown>>;

/** An object with these fields and no other. */
export function object<const F extends Fields>(
  fields: F,
): Field<{ [Name in keyof F]: ValueOf<F[Name]> }> {
  return (value, path) => {
    if (!isObject(value)) return refuse(path, "must be an object");
    for (const name of Object.keys(value)) {
      if (!Object.hasOwn(fields, name)) {
        return refuse(path, `must not have the field ${shown(name)}`);
      }
    }
    const checked = Object.entries(fields).map(([name, field]) => [
      name,
      field(Object.hasOwn(value, name) ? value[name] : undefined, path ? `${path}.${name}` : name),
    ]);
    return Object.fromEntries(checked) as { [Name in keyof F]: ValueOf<F[Name]> };
  };
}

/** Refuses an object in which only one of two fields is given. */
export function together<T extends object>(
  field: Field<T>,
  first: keyof T & string,
  second: keyof T & string,
): Field<T> {
  return (value, path) => {
    const checked = field(value, path);
    if ((checked[first] === undefined) !== (checked[second] === undefined)) {
      refuse(path, `must have both of ${first} and ${second} or neither`);
    }
    return checked;
  };
}
