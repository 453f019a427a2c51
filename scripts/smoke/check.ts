// What a check of the smoke suite is, and how one says what it expected and what it saw instead.

import { isDeepStrictEqual } from "node:util";
import type { Subject } from "./subject.ts";

/** One thing that the executable must do. */
export interface Check {
  /** What holds when the check passes, in plain English. */
  name: string;
  /**
   * Tries it; a text that is given back is printed beside the name.
   *
   * @throws Unexpected when it does not hold, Skipped when it cannot be tried here.
   */
  run(subject: Subject): void | string | Promise<void | string>;
}

/** The checks of one part of the program. */
export interface Area {
  name: string;
  checks: Check[];
  /** True when nothing may run beside a check, because it measures. */
  alone?: boolean;
}

/** What was expected and what was seen instead. */
export class Unexpected extends Error {
  constructor(expected: string, seen: unknown) {
    super(`expected ${expected}, saw ${shown(seen)}`);
  }
}

/** Why a check cannot be tried here. */
export class Skipped extends Error {}

/** Longest value in a message. */
const MAX_LENGTH = 600;

function shown(value: unknown): string {
  const text = JSON.stringify(value instanceof Map ? [...value] : value) ?? String(value);
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}…`;
}

/** @throws Unexpected unless the condition holds. */
export function expect(holds: boolean, expected: string, seen: unknown): asserts holds {
  if (!holds) throw new Unexpected(expected, seen);
}

/** @throws Unexpected unless the two are deeply equal. */
export function expectEqual(what: string, seen: unknown, expected: unknown): void {
  expect(isDeepStrictEqual(seen, expected), `${what} ${shown(expected)}`, seen);
}

/** @throws Unexpected unless the text matches. */
export function expectMatch(what: string, seen: string, expected: RegExp): void {
  expect(expected.test(seen), `${what} like ${expected}`, seen);
}
