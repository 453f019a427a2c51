// Reads what a server answered. It may be lying, so every field has to be of its kind before anything
// comes near a key or a page; a field too many is no harm.

import { OwnerError } from "./error.ts";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MAX_TEXT = 16_384;

function refuse(field: string): never {
  throw new OwnerError("bad_answer", `the server's answer makes no sense (${field})`);
}

/** The fields of an object that a server sent. */
export class Answer {
  readonly #fields: Record<string, unknown>;
  readonly #where: string;

  /** @throws OwnerError `bad_answer` for what is no object; every method throws it likewise. */
  constructor(value: unknown, where = "answer") {
    if (typeof value !== "object" || value === null || Array.isArray(value)) refuse(where);
    this.#fields = value as Record<string, unknown>;
    this.#where = where;
  }

  /** Whether the field is there and not null. */
  has(name: string): boolean {
    return this.#value(name) !== null;
  }

  text(name: string): string {
    const value = this.#value(name);
    return typeof value === "string" && value.length <= MAX_TEXT ? value : this.#refuse(name);
  }

  textOrNull(name: string): string | null {
    return this.has(name) ? this.text(name) : null;
  }

  id(name: string): string {
    const value = this.text(name);
    return UUID.test(value) ? value : this.#refuse(name);
  }

  idOrNull(name: string): string | null {
    return this.has(name) ? this.id(name) : null;
  }

  /** A whole number, not below zero. */
  count(name: string): number {
    const value = this.#value(name);
    return Number.isSafeInteger(value) && (value as number) >= 0
      ? value as number
      : this.#refuse(name);
  }

  countOrNull(name: string): number | null {
    return this.has(name) ? this.count(name) : null;
  }

  flag(name: string): boolean {
    const value = this.#value(name);
    return typeof value === "boolean" ? value : this.#refuse(name);
  }

  /** RFC 3339. */
  time(name: string): string {
    const value = this.text(name);
    return Number.isNaN(Date.parse(value)) ? this.#refuse(name) : value;
  }

  timeOrNull(name: string): string | null {
    return this.has(name) ? this.time(name) : null;
  }

  oneOf<T extends string>(name: string, ...values: T[]): T {
    const value = this.#value(name);
    return values.find((each) => each === value) ?? this.#refuse(name);
  }

  object(name: string): Answer {
    return new Answer(this.#value(name), `${this.#where}.${name}`);
  }

  list(name: string): Answer[] {
    return this.#list(name).map((value, i) => new Answer(value, `${this.#where}.${name}[${i}]`));
  }

  texts(name: string): string[] {
    const values = this.#list(name);
    return values.every((value) => typeof value === "string")
      ? values as string[]
      : this.#refuse(name);
  }

  #list(name: string): unknown[] {
    const value = this.#value(name);
    return Array.isArray(value) ? value : this.#refuse(name);
  }

  #value(name: string): unknown {
    return Object.hasOwn(this.#fields, name) ? this.#fields[name] ?? null : null;
  }

  #refuse(name: string): never {
    return refuse(`${this.#where}.${name}`);
  }
}
