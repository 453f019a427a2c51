// The last operations, as the records in the trash folders tell them. Only what displaced or trashed
// something has a record.

import { cut, type StoredBatch } from "../../../../containment/mod.ts";
import { count } from "../../../../tools/format.ts";
import { localDate } from "../../../terminal/table.ts";
import { type Finding, ok } from "../finding.ts";
import type { Section } from "../section.ts";

/** Operations listed. */
const SHOWN = 3;

export const operations: Section = {
  name: "operations",
  title: "Last operations",
  look({ remains: { batches } }) {
    if (batches.length === 0) return [ok("operation.none", "no trash in the roots tells of any")];
    return batches.slice(0, SHOWN).map((batch) => operation(batch));
  },
};

function operation(batch: StoredBatch): Finding {
  const { created, folder, name, trash, items, record, manifest } = batch;
  // A record is a file in a user's folder: what it says of itself may be anything.
  const written = record?.manifest.tool;
  const tool = typeof written === "string" ? cut(written, 40) : "unknown";
  const present = items.filter(({ state }) => state === "present" || state === "modified").length;
  const what = manifest === "ok"
    ? `${count(items.length, "item")}, ${present} of them in the trash now`
    : `record ${manifest}`;
  const when = created === undefined ? "" : `${localDate(created)}  `;
  return ok("operation", `${when}${tool}: ${what}; batch ${name} in ${trash}`, {
    data: {
      at: created,
      tool: manifest === "ok" ? tool : undefined,
      batch: name,
      folder,
      trash_directory: trash,
      manifest,
      items: items.length,
      present,
    },
  });
}
