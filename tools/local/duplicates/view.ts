// How a terminal shows duplicates: a block a group, the nominated copy first. The sums are in the
// summary that follows.

import { count, formatBytes } from "../../format.ts";
import type { Table, View } from "../../tool.ts";
import type { Copy, Group } from "./report.ts";

export function duplicatesView({ groups }: { groups: Group[] }): View {
  const linked = groups.some((group) => group.names > group.copies);
  return {
    tables: groups.map(groupTable),
    lines: linked
      ? ["a hard link is another name of the file above it: removing one name frees 0 B"]
      : [],
  };
}

function groupTable(group: Group): Table {
  return {
    title: `${count(group.copies, "copy", "copies")} of ${group.size_human}, ` +
      `${formatBytes(group.reclaimable_bytes)} to win, sha256 ${group.sha256.slice(0, 16)}`,
    columns: [
      { title: "", kind: "text" },
      { title: "Size", kind: "size" },
      { title: "Modified", kind: "date" },
      { title: "Path", kind: "path" },
    ],
    rows: [
      ...copyRows("keep", group.oldest_copy, group),
      ...group.other_copies.flatMap((copy) => copyRows("copy", copy, group)),
      ...more(group.other_copies_omitted, "more copies"),
    ],
  };
}

function copyRows(role: string, copy: Copy, group: Group): Table["rows"] {
  const elsewhere = copy.links_outside_scan ?? 0;
  return [
    [role, group.size, copy.modified_at, copy.path],
    ...(copy.hardlinked_names ?? []).map((name) => ["hard link", 0, copy.modified_at, name]),
    ...more(copy.hardlinked_names_omitted ?? 0, "more hard links"),
    ...more(elsewhere, "names outside the scan"),
  ];
}

function more(n: number, what: string): Table["rows"] {
  return n === 0 ? [] : [[`+ ${n} ${what}`, undefined, undefined, undefined]];
}
