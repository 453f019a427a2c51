// What operations that did not come to their end have left in the roots.

import { MAX_LISTED, type StoredBatch } from "../../../../containment/mod.ts";
import { count, formatCount } from "../../../../tools/format.ts";
import type { Examination } from "../examination.ts";
import { type Finding, note, ok, problem } from "../finding.ts";
import type { Section } from "../section.ts";

export const remains: Section = {
  name: "remains",
  title: "Unfinished work",
  look(examination) {
    const { staging, batches } = examination.remains;
    const found = [
      ...limited(staging.map(leftCopy)),
      ...limited(batches.flatMap((batch) => unfinished(batch))),
    ];
    const nowhere = examination.folders.roots.length === 0;
    const none = nowhere ? "there is no root to look into" : "none";
    const left = found.length > 0 ? found : [ok("remains.none", none)];
    return [...left, ...notLookedAt(examination)];
  },
};

/** The first of them, problems before notes, and how many more there are. */
function limited(findings: Finding[]): Finding[] {
  const ranked = [
    ...findings.filter(({ state }) => state === "problem"),
    ...findings.filter(({ state }) => state !== "problem"),
  ];
  const more = ranked.length - MAX_LISTED;
  if (more <= 0) return findings;
  return [
    ...ranked.slice(0, MAX_LISTED),
    note("remains.more", `${formatCount(more)} more like these`),
  ];
}

function leftCopy(path: string): Finding {
  return note("remains.copy", `${path} is from a move or rename that runs, or was cut off`, {
    fix: "when none runs, look at it: if what it is made from is still in its place it is a copy " +
      "that can go, otherwise it is the thing itself and wants its name back",
    data: { path },
  });
}

function unfinished({ folder, manifest, items, record }: StoredBatch): Finding[] {
  const data = { data: { folder, manifest, items: items.length } };
  if (manifest === "unreadable") {
    return [problem(
      "remains.batch",
      `the record of the batch ${folder} cannot be read, so that restore cannot put it back`,
      "take its items out of the folder by hand",
      data,
    )];
  }
  if (manifest === "missing") {
    return [
      note(
        "remains.batch",
        `${folder} has no record: it was begun and not filled, or the record is gone`,
        {
          fix: "look into it; restore cannot put it back",
          ...data,
        },
      ),
    ];
  }
  const planned = record?.manifest.items.filter(({ state }) => state === "planned").length ?? 0;
  if (planned === 0) return [];
  return [note(
    "remains.batch",
    `the batch ${folder} runs, or was cut off before ${count(planned, "item")} of ` +
      `${items.length} was noted as moved`,
    { fix: "`shieldfive trashed` shows what is in it, `shieldfive restore` puts it back", ...data },
  )];
}

function notLookedAt({ remains: { unreadable, stopped } }: Examination): Finding[] {
  const findings: Finding[] = [];
  if (stopped) {
    findings.push(note("remains.partial", "there are too many folders to look into all of them", {
      fix: "--root names a smaller one",
    }));
  }
  if (unreadable.count > 0) {
    findings.push(note(
      "remains.unreadable",
      `${count(unreadable.count, "folder")} could not be looked into`,
      {
        lines: unreadable.first.map(({ path, code }) => `${path} (${code})`),
        data: { count: unreadable.count, first: unreadable.first },
      },
    ));
  }
  return findings;
}
