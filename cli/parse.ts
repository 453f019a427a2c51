// From the words after a command to its options and operands. Strict: an unknown option, a missing
// value or a word too many is refused with what was probably meant. What follows `--` is an operand,
// so that a file called `-rf` can be named.

import { parseArgs } from "node:util";
import { quote } from "../containment/mod.ts";
import { nearest } from "../tools/input.ts";
import { type Option, spelling } from "./options.ts";
import { parseDays, parseSize } from "./quantity.ts";
import { UsageError } from "./usage.ts";

export interface Parsed {
  /** The values by option name; lists are put together over repetitions. */
  values: Map<string, unknown>;
  operands: string[];
}

interface OptionToken {
  name: string;
  rawName: string;
  value?: string;
  inlineValue?: boolean;
}

/** @throws UsageError */
export function parseWords(words: string[], options: readonly Option[]): Parsed {
  const { tokens } = parseArgs({
    args: words,
    strict: false, // unknown options are reported below, with a suggestion
    tokens: true,
    allowPositionals: true,
    options: Object.fromEntries(options.map((option) => [option.name, {
      type: option.kind.type === "switch" ? "boolean" as const : "string" as const,
      ...(option.short === undefined ? {} : { short: option.short }),
    }])),
  });
  const parsed: Parsed = { values: new Map(), operands: [] };
  for (const token of tokens) {
    if (token.kind === "positional") parsed.operands.push(token.value);
    else if (token.kind === "option") take(token, options, parsed.values);
  }
  return parsed;
}

function take(token: OptionToken, options: readonly Option[], values: Map<string, unknown>): void {
  const { option, off } = find(token, options);
  if (option.kind.type === "switch") {
    if (token.value !== undefined) {
      throw new UsageError(`${token.rawName} takes no value, but got ${quote(token.value, 40)}`);
    }
    values.set(option.name, !off);
    return;
  }
  const value = valueOf(option, requireValue(token));
  if (option.repeatable) {
    const before = values.get(option.name) as unknown[] | undefined;
    values.set(option.name, [...before ?? [], ...Array.isArray(value) ? value : [value]]);
  } else if (values.has(option.name)) {
    throw new UsageError(`${token.rawName} is given twice`);
  } else {
    values.set(option.name, value);
  }
}

function find(token: OptionToken, options: readonly Option[]): { option: Option; off: boolean } {
  const option = options.find(({ name }) => name === token.name);
  if (option !== undefined) return { option, off: false };
  const off = options.find((option) =>
    option.kind.type === "switch" && token.name === `no-${option.name}` &&
    option.argument !== undefined
  );
  if (off !== undefined) return { option: off, off: true };
  const near = nearest(token.rawName, options.map(spelling));
  throw new UsageError(
    `there is no option ${quote(token.rawName, 60)}` +
      (near === undefined ? "" : `; did you mean ${near}?`),
  );
}

function requireValue(token: OptionToken): string {
  if (token.value === undefined || token.value === "") {
    throw new UsageError(`${token.rawName} needs a value`);
  }
  if (!token.inlineValue && /^-./.test(token.value)) {
    throw new UsageError(
      `${token.rawName} needs a value, but ${quote(token.value, 60)} follows`,
      `a value that starts with a dash is written ${token.rawName}=${token.value}`,
    );
  }
  return token.value;
}

function valueOf({ kind, name }: Option, text: string): unknown {
  switch (kind.type) {
    case "number":
      return parseNumber(text, `--${name}`);
    case "size":
      return parseSize(text, `--${name}`);
    case "days":
      return parseDays(text, `--${name}`);
    case "choice":
      return oneOf(text, kind.choices, name);
    case "list": {
      const items = text.split(",").filter((item) => item !== "");
      return kind.choices.length === 0 ? items : items.map((i) => oneOf(i, kind.choices, name));
    }
    default:
      return text;
  }
}

function parseNumber(text: string, option: string): number {
  const digits = text.replaceAll(/(?<=\d)[_,](?=\d{3})/g, "");
  const value = Number(digits);
  if (/^-?\d+$/.test(digits) && Number.isSafeInteger(value)) return value;
  throw new UsageError(`${option} takes a whole number, not ${quote(text, 40)}`);
}

function oneOf(text: string, choices: string[], name: string): string {
  if (choices.includes(text)) return text;
  const near = nearest(text, choices);
  throw new UsageError(
    `--${name} takes ${choices.join(", ")}, not ${quote(text, 40)}` +
      (near === undefined ? "" : `; did you mean ${near}?`),
  );
}
