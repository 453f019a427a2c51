// Requests that name several items: each stands for itself, so what is wrong with one of them does not
// keep the others.

import type { Json } from "../../rows/rows.ts";
import { record } from "../audit.ts";
import { type Field, isObject, list, object } from "../fields.ts";
import { Refusal } from "../refusal.ts";
import type { Change } from "./change.ts";

/** The most items of one request (vault spec, 3). */
export const MAX_ITEMS = 50;

/** A body with `items`; too many of them have a code of their own. */
export function itemsInput<T>(item: Field<T>): Field<{ items: T[] }> {
  const body = object({ items: list(item, 1, MAX_ITEMS) });
  return (value, path) => {
    const items = isObject(value) ? value.items : undefined;
    if (Array.isArray(items) && items.length > MAX_ITEMS) {
      throw new Refusal(400, "too_many_items", undefined, { fields: { max: MAX_ITEMS } });
    }
    return body(value, path);
  };
}

/** What became of one item: `auditId` where it went well, else `code`. */
export type ItemResult = Record<string, Json>;

/**
 * Does the same to each item where that is possible, and says what became of each.
 *
 * @param verb the action that a refusal is recorded as, without `_file` or `_folder`.
 * @param act gives the id of the record; what it refuses, it refuses before it writes anything.
 */
export function changeEach<Item extends { kind: "file" | "folder"; id: string }>(
  change: Change,
  items: readonly Item[],
  verb: string,
  act: (item: Item) => string,
): ItemResult[] {
  return items.map((item): ItemResult => {
    const { id, kind } = item;
    try {
      return { id, kind, ok: true, auditId: act(item) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const action = `${verb}_${kind}`;
      record<string>(change, { action, object: { kind, id }, refused: error.code });
      return { id, kind, ok: false, code: error.code };
    }
  });
}
