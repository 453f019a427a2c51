// How a result stays below the size of line that clients take (decisions 5): first the JSON text,
// which repeats the structured content, gives way to the summary; then lists are cut from their
// ends, longest first, and the result says how many items are missing.

/** The structured content of a result: the tool's output or its error. */
export type Structured = Record<string, unknown>;

/** The field that says how many list items were cut. */
export const OMITTED_FIELD = "omitted_by_size";

const encoder = new TextEncoder();

/** Bytes of a value as JSON in a line. */
export function jsonBytes(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length;
}

interface List {
  holder: Record<string, unknown>;
  name: string;
  items: unknown[];
  bytes: number;
}

/**
 * The value itself where its JSON has at most `limit` bytes, else a copy whose lists are cut until it
 * fits, with the number of missing items under `omitted_by_size`.
 */
export function cutToFit(value: Structured, limit: number): Structured {
  let excess = jsonBytes(value) - limit;
  if (excess <= 0) return value;
  const copy = structuredClone(value);
  excess += jsonBytes({ [OMITTED_FIELD]: Number.MAX_SAFE_INTEGER });
  let omitted = 0;
  for (const list of listsIn(copy).sort((a, b) => b.bytes - a.bytes)) {
    if (excess <= 0) break;
    const kept = keepWithin(list.items, list.bytes - excess);
    excess -= list.bytes - jsonBytes(kept);
    omitted += list.items.length - kept.length;
    list.holder[list.name] = kept;
  }
  return { ...copy, [OMITTED_FIELD]: omitted };
}

/** The lists of an object and of the objects in it, but not those inside of lists. */
function listsIn(holder: Record<string, unknown>): List[] {
  return Object.entries(holder).flatMap(([name, value]): List[] => {
    if (Array.isArray(value)) return [{ holder, name, items: value, bytes: jsonBytes(value) }];
    if (typeof value !== "object" || value === null) return [];
    return listsIn(value as Record<string, unknown>);
  });
}

/** The first items of a list that have at most so many bytes together. */
function keepWithin(items: unknown[], limit: number): unknown[] {
  let used = 2;
  let count = 0;
  while (count < items.length && (used += jsonBytes(items[count]) + 1) <= limit) count++;
  return items.slice(0, count);
}
