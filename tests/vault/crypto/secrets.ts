// Looks for secrets in what errors show: in messages, stacks, causes and properties, in whatever spelling, and
// in part. What is found is never shown.

import assert from "node:assert/strict";
import { TOP } from "../../sources.ts";

const LETTERS = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** Letters that occur nowhere else, so that they are found as text as well as encoded. */
export function secretText(length: number): string {
  const random = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(random, (byte) => LETTERS[byte % LETTERS.length]).join("");
}

export function secretBytes(length: number): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(secretText(length));
}

/** Every way to write a value that an error could have taken. */
export function spellings(secret: Uint8Array | string): string[] {
  if (typeof secret === "string") return [secret];
  const base64 = secret.toBase64();
  return [
    new TextDecoder().decode(secret),
    secret.toHex(),
    secret.toHex().toUpperCase(),
    base64,
    base64.replaceAll("+", "-").replaceAll("/", "_"),
    [...secret].join(","),
    [...secret].join(", "),
  ];
}

/** All that a log or a report could show of an error. */
export function shownOf(error: unknown): string {
  const parts = [Deno.inspect(error, { depth: 9, showHidden: true }), JSON.stringify(error)];
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const properties = Object.fromEntries(
      Object.getOwnPropertyNames(cause).map((name) => [name, Reflect.get(cause as Error, name)]),
    );
    parts.push(cause.message, String(cause), cause.stack ?? "", JSON.stringify(properties));
  }
  return parts.join("\n");
}

/** A part of a secret that is this long is a leak too. */
export const PIECE = 12;

export class SecretWatch {
  readonly #pieces: Set<string>;
  readonly #stacks: string[] = [];

  constructor(secrets: readonly (Uint8Array | string)[]) {
    this.#pieces = new Set(
      secrets.flatMap(spellings).flatMap((text) =>
        Array.from({ length: text.length - PIECE + 1 }, (_, at) => text.slice(at, at + PIECE))
      ),
    );
  }

  isIn(text: string): boolean {
    for (let at = 0; at + PIECE <= text.length; at++) {
      if (this.#pieces.has(text.slice(at, at + PIECE))) return true;
    }
    return false;
  }

  /**
   * Makes the call fail, and looks through what it failed with.
   *
   * @param typed whether the error has to have a code; only a caller's bug has none.
   */
  async fails(call: () => unknown, { typed = true } = {}): Promise<void> {
    let error: unknown;
    try {
      await call();
    } catch (thrown) {
      error = thrown;
    }
    assert.ok(error instanceof Error, `${call} does not fail`);
    assert.ok("code" in error || !typed, `${call} does not fail as it should`);
    // Not assert.equal: it would show what was found.
    assert.ok(!this.isIn(shownOf(error)), `${call} fails with an error that holds a secret`);
    this.#stacks.push(error.stack ?? "");
    if (error.cause instanceof Error) this.#stacks.push(error.cause.stack ?? "");
  }

  /** The places in these files where an error is made that no failure came from, as path and line. */
  missed(paths: readonly string[], made: RegExp): string[] {
    const places = paths.flatMap((path) =>
      Deno.readTextFileSync(`${TOP}/${path}`).split("\n").flatMap((text, i) =>
        made.test(text) ? [`${path}:${i + 1}:`] : []
      )
    );
    assert.ok(places.length > 0);
    return places.filter((place) => !this.#stacks.some((stack) => stack.includes(place)));
  }
}
