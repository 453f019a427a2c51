// Tables of a result. On a terminal a row is one line that fits; anywhere else nothing is cut, since
// the next program needs whole paths. Names are made visible here, whatever they hold.

import { visible } from "../../containment/mod.ts";
import { formatBytes, formatCount } from "../../tools/format.ts";
import type { ColumnKind, Table } from "../../tools/tool.ts";
import type { Style } from "./style.ts";
import { pad, shortenEnd, shortenMiddle, widthOf } from "./width.ts";

/** Spaces between two columns. */
const GAP = "  ";
/** Columns below which no cell is cut. */
const LEAST = 12;

export interface TableLayout {
  style: Style;
  /** Columns that a line may take; absent where nothing is cut. */
  columns?: number;
}

/** The lines of a table. */
export function tableLines(table: Table, layout: TableLayout): string[] {
  const title = table.title === undefined ? [] : [layout.style.bold(visible(table.title))];
  if (table.rows.length === 0) return title;
  const kinds = table.columns.map(({ kind }) => kind);
  const cells = table.rows.map((row) => row.map((value, i) => cellText(value, kinds[i])));
  const heads = table.columns.map((column) => visible(column.title));
  const widths = fit(columnWidths([heads, ...cells]), kinds, layout.columns);
  const line = (row: string[]) =>
    row.map((text, i) => cell(text, kinds[i], widths[i], i === row.length - 1))
      .join(GAP).trimEnd();
  return [...title, layout.style.dim(line(heads)), ...cells.map(line)];
}

/** A value as a person reads it. */
export function cellText(value: string | number | undefined, kind: ColumnKind): string {
  if (value === undefined) return "";
  switch (kind) {
    case "size":
      return formatBytes(Number(value));
    case "count":
      return formatCount(Number(value));
    case "date":
      return localDate(String(value));
    default:
      return visible(String(value));
  }
}

/** The date of an instant where the user is; what is no instant stays as it is. */
export function localDate(instant: string): string {
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return visible(instant);
  const two = (n: number) => String(n).padStart(2, "0");
  const year = String(date.getFullYear()).padStart(4, "0");
  return `${year}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function columnWidths(rows: string[][]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((text, i) => widths[i] = Math.max(widths[i] ?? 0, widthOf(text)));
  }
  return widths;
}

/** Takes what is too much from the widest path or text column, again and again. */
function fit(widths: number[], kinds: ColumnKind[], columns: number | undefined): number[] {
  if (columns === undefined) return widths;
  const fitted = [...widths];
  const flexible = kinds.flatMap((kind, i) => kind === "path" || kind === "text" ? [i] : []);
  const total = () => fitted.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
  for (let over = total() - columns; over > 0; over = total() - columns) {
    const [widest, next] = [...flexible].sort((a, b) => fitted[b] - fitted[a]);
    if (widest === undefined || fitted[widest] <= LEAST) break;
    const floor = Math.max(LEAST, Math.min(fitted[next] ?? 0, fitted[widest] - 1));
    fitted[widest] = Math.max(floor, fitted[widest] - over);
  }
  return fitted;
}

function cell(text: string, kind: ColumnKind, width: number, last: boolean): string {
  if (kind === "size" || kind === "count") return pad(text, width, "left");
  const fitting = kind === "path" ? shortenMiddle(text, width) : shortenEnd(text, width);
  return last ? fitting : pad(fitting, width);
}
