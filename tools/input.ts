// From what a caller sent to a checked input: strict, with the nearest name suggested for an unknown
// argument, and with the spec's code for what is wrong (local-tools spec, 0.2 and section 9).

import type { z as Zod } from "zod";
import { cut, quote, ToolError } from "../containment/mod.ts";
import type { AnyTool, Schemas } from "./tool.ts";

/** The name closest to `wanted`, where one is close enough to be meant. */
export function nearest(wanted: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(2, Math.floor(wanted.length / 3)) + 1;
  for (const name of names) {
    const distance = editDistance(wanted.toLowerCase(), name.toLowerCase());
    if (distance < least) [best, least] = [name, distance];
  }
  return best;
}

/** Insertions, deletions, substitutions and swaps of neighbours that turn one text into the other. */
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 64) return Infinity;
  let [older, previous] = [[] as number[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      row[j] = Math.min(row[j - 1] + 1, previous[j] + 1, previous[j - 1] + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        row[j] = Math.min(row[j], older[j - 2] + 1);
      }
    }
    [older, previous] = [previous, row];
  }
  return previous[b.length];
}

/**
 * Checks arguments against the tool's schema. Nothing is coerced. Absent and `{}` are the same, and
 * `null` stands for an omitted number.
 *
 * @throws ToolError `invalid_path`, `invalid_name` or `invalid_argument`.
 */
export function checkInput(tool: AnyTool, z: Schemas, given: unknown): Record<string, unknown> {
  const schema = tool.input(z);
  const args = given ?? {};
  if (typeof args !== "object" || Array.isArray(args)) {
    throw new ToolError(
      "invalid_argument",
      `the arguments must be an object, not ${Array.isArray(args) ? "a list" : typeof args}`,
    );
  }
  const present = dropNullNumbers(args as Record<string, unknown>, schema, z);
  const result = schema.safeParse(present);
  if (result.success) return result.data as Record<string, unknown>;
  throw inputError(tool, Object.keys(schema.shape), result.error.issues[0], present);
}

function dropNullNumbers(args: Record<string, unknown>, schema: Zod.ZodObject, z: Schemas) {
  return Object.fromEntries(
    Object.entries(args).filter(([name, value]) =>
      value !== null || !(isNumber(schema.shape[name], z))
    ),
  );
}

function isNumber(field: unknown, z: Schemas): boolean {
  if (field instanceof z.ZodOptional || field instanceof z.ZodDefault) {
    return isNumber(field.unwrap(), z);
  }
  return field instanceof z.ZodNumber;
}

function inputError(
  tool: AnyTool,
  names: string[],
  issue: Zod.core.$ZodIssue,
  args: Record<string, unknown>,
): ToolError {
  if (issue.code === "unrecognized_keys") {
    const [key] = issue.keys;
    const near = nearest(key, names);
    return new ToolError(
      "invalid_argument",
      `${tool.name} has no argument ${quote(key, 60)}; ` +
        (near === undefined ? `it takes ${names.join(", ")}` : `did you mean ${quote(near)}?`) +
        " Nothing was changed",
    );
  }
  const field = issue.path.join(".");
  const value = issue.path.reduce<unknown>(
    (at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key],
    args,
  );
  const shown = value === undefined ? "it is missing" : `got ${quote(describe(value), 40)}`;
  return new ToolError(
    codeFor(issue),
    `${field}: ${cut(explain(issue), 200)} (${shown}); nothing was changed`,
  );
}

/** What a value must be; of a choice between types, what each of them asks for. */
function explain(issue: Zod.core.$ZodIssue): string {
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return issue.message;
  return issue.errors.map(([first]) => first.message).join(", or ");
}

function describe(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value) ?? String(value);
}

function codeFor(issue: Zod.core.$ZodIssue): string {
  const field = String(issue.path[0]);
  if (field === "new_name" || field === "name") return "invalid_name";
  // A list that is too long holds no bad path; an empty one names nothing at all.
  if (issue.code === "too_big" && issue.origin === "array") return "invalid_argument";
  const paths = ["path", "paths", "source", "destination", "restore_as"];
  return paths.includes(field) ? "invalid_path" : "invalid_argument";
}
