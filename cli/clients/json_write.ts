// JSON as a person would have typed it into the text that is there: with its line breaks and indents, or
// on one line where everything is.

import type { Json } from "./locations.ts";

/** How a value is written. */
export type Layout =
  /** On one line, with or without spaces. */
  | { spaced: boolean; padded: boolean }
  /** Objects over several lines; `indent` is that of the line on which the value begins. */
  | { lineBreak: string; unit: string; indent: string };

/** A value in a layout. Lists stay on one line in each. */
export function written(value: Json, layout: Layout): string {
  if (Array.isArray(value)) {
    const comma = "spaced" in layout && !layout.spaced ? "," : ", ";
    return `[${value.map((each) => JSON.stringify(each)).join(comma)}]`;
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const properties = Object.entries(value);
  if (properties.length === 0) return "{}";
  if ("spaced" in layout) {
    const pad = layout.padded ? " " : "";
    const inner = properties.map(([name, each]) => property(name, each, layout));
    return `{${pad}${inner.join(layout.spaced ? ", " : ",")}${pad}}`;
  }
  const deeper = { ...layout, indent: layout.indent + layout.unit };
  const start = layout.lineBreak + deeper.indent;
  const inner = properties.map(([name, each]) => start + property(name, each, deeper));
  return `{${inner.join(",")}${layout.lineBreak}${layout.indent}}`;
}

/** A key with its value in a layout. */
export function property(name: string, value: Json, layout: Layout): string {
  const space = "spaced" in layout && !layout.spaced ? "" : " ";
  return `${JSON.stringify(name)}:${space}${written(value, layout)}`;
}
