// Carries out vault_search_files: over decrypted names, on this computer.

import { ToolError } from "../../../containment/error.ts";
import { quote } from "../../../containment/text.ts";
import type { VaultContext } from "../context.ts";
import type { FileRow } from "../rows.ts";
import { byPath, type Choice, choose, folderField, sumOfSizes, warningsOf } from "./choose.ts";
import { fileRow } from "./rows.ts";

/** What is looked for. */
export interface Wanted {
  name_contains?: string;
  path_contains?: string;
  extensions?: string[];
  min_bytes?: number;
  max_bytes?: number;
  modified_after?: string;
  modified_before?: string;
}

/** @throws ToolError `invalid_argument`, `not_found`, and as `VaultClient.view`. */
export async function search(
  { client, signal, progress }: VaultContext,
  input: Choice & Wanted & { limit: number },
) {
  const matches = matcher(input);
  const view = await client.view({ signal, progress });
  const chosen = choose(view, input);
  const files = byPath(
    chosen.files.map((file) => ({ row: fileRow(view, file), name: file.rawName ?? "" }))
      .filter(matches)
      .map(({ row }) => row),
  );
  return {
    ...folderField(view, chosen),
    files: files.slice(0, input.limit),
    total: files.length,
    total_bytes: sumOfSizes(files),
    ...warningsOf(view, chosen),
  };
}

/** A row, and the exact name; empty where it does not open. */
interface Named {
  row: FileRow;
  name: string;
}

/** All conditions as one test. @throws ToolError `invalid_argument` */
function matcher(wanted: Wanted): (file: Named) => boolean {
  const { min_bytes = 0, max_bytes = Infinity } = wanted;
  const [name, path] = [fold(wanted.name_contains ?? ""), fold(wanted.path_contains ?? "")];
  const endings = wanted.extensions?.map((text) => fold(text.startsWith(".") ? text : `.${text}`));
  const after = timeOf(wanted.modified_after, "modified_after") ?? -Infinity;
  const before = timeOf(wanted.modified_before, "modified_before") ?? Infinity;
  const isDated = wanted.modified_after !== undefined || wanted.modified_before !== undefined;
  return ({ row, name: exact }) => {
    const known = fold(exact);
    const modified = Date.parse(row.modified ?? "");
    return row.size >= min_bytes && row.size <= max_bytes && known.includes(name) &&
      fold(row.path).includes(path) &&
      (endings === undefined || endings.some((ending) => known.endsWith(ending))) &&
      (!isDated || modified >= after && modified < before);
  };
}

/** A text for comparison: case ignored, composed and decomposed letters taken for the same. */
export function fold(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

const ISO =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** Milliseconds since 1970 of a date, or a date and time. @throws ToolError `invalid_argument` */
function timeOf(text: string | undefined, argument: string): number | undefined {
  if (text === undefined) return undefined;
  const [, day, clock = "00:00", zone = "Z"] = ISO.exec(text.trim()) ?? [];
  const midnight = Date.parse(`${day}T00:00Z`);
  // A day that the month does not have would be taken for one of the next month.
  const isDay = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
  const offset = zone.replace(
    /^([+-]\d\d):?(\d\d)?$/,
    (_, hours, minutes = "00") => `${hours}:${minutes}`,
  );
  const time = isDay ? Date.parse(`${day}T${clock}${offset.toUpperCase()}`) : NaN;
  if (!Number.isNaN(time)) return time;
  throw new ToolError(
    "invalid_argument",
    `${argument} takes a date such as 2024-06-30 or a time such as 2024-06-30T12:00:00Z, not ${
      quote(text, 40)
    }`,
  );
}
