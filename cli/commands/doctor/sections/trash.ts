// Whether the trash would work for what lies in each root, on each volume there: nothing is made to find
// out. What goes to the trash is renamed, so its trash must be on its own volume (local-tools spec, 6.1).

import {
  errnoOf,
  inspectTrash,
  lookAt,
  nativeRules,
  ToolError,
  trashFolder,
} from "../../../../containment/mod.ts";
import { VERSION } from "../../../version.ts";
import type { Examination } from "../examination.ts";
import { type Finding, note, ok, problem } from "../finding.ts";
import type { Section } from "../section.ts";
import { mayChange } from "../user.ts";
import { volumeOf } from "../volumes.ts";
import { innerVolumes } from "./roots.ts";

/** File systems without hard links, by way of which a file gets a name that must be free. */
const WITHOUT_LINKS = new Set(["vfat", "msdos", "exfat", "fat", "fuse.exfat"]);

export const trash: Section = {
  name: "trash",
  title: "Trash",
  look(examination) {
    const roots = examination.folders.roots.map(({ path }) => path);
    if (roots.length === 0) return [ok("trash.none", "there is no root that needs one")];
    return [
      ...roots.map((base) => trashAt(base, examination)),
      ...innerVolumes(examination).map((base) => lessened(trashAt(base, examination))),
    ];
  },
};

/** What does not work on a volume inside a root keeps nothing else in the root from working. */
function lessened(finding: Finding): Finding {
  return finding.state === "problem" ? { ...finding, state: "note" } : finding;
}

function trashAt(base: string, examination: Examination): Finding {
  const { disk, user } = examination;
  const data = { data: { base, trash: trashFolder(base) } };
  try {
    inspectTrash(base, { disk, now: Date.now, uid: user.uid, version: VERSION });
    return fixedVolume(base, examination) ?? usable(base, examination);
  } catch (error) {
    if (error instanceof ToolError) {
      return problem("trash", error.message, "move that away; nothing in it is lost by it", data);
    }
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    const text = `the trash of ${base} cannot be looked at (${errno})`;
    return problem("trash", text, "make it readable", data);
  }
}

/** What is wrong with the way in which a volume is mounted. */
function fixedVolume(base: string, examination: Examination): Finding | undefined {
  const { disk, mounts, mounted } = examination;
  const data = { data: { base } };
  if (volumeOf(base, mounts, disk).readOnly || takesNoChanges(base, examination)) {
    return problem(
      "trash",
      `nothing in ${base} can be trashed, moved or renamed: its volume is mounted read-only`,
      "mount it for writing, or serve it with --read-only",
      data,
    );
  }
  if (!mounted.includes(base)) return undefined;
  // Two mounts of one volume share its number but refuse a rename between them.
  if (disk.lstat(base).dev !== disk.lstat(nativeRules.dirname(base)).dev) return undefined;
  return problem(
    "trash",
    `${base} is the same volume as the folder around it, mounted once more, so that nothing in it ` +
      "can be renamed into the trash outside",
    `make it a root of its own (--root ${base})`,
    data,
  );
}

function usable(base: string, { disk, user, mounts }: Examination): Finding {
  const folder = trashFolder(base);
  const there = lookAt(disk, folder);
  const data = { data: { base, trash: folder, exists: there !== undefined } };
  const holder = there === undefined ? base : folder;
  const may = mayChange(there ?? disk.lstat(base), user);
  if (may === "no") {
    const text = `nothing in ${base} can be trashed: this user may not write into ${holder}`;
    const fix = "give the user that right (chown or chmod), or serve it with --read-only";
    return problem("trash", text, fix, data);
  }
  if (may === "unknown") {
    const text = `whether this user may write into ${holder} is not known before it is tried`;
    return note("trash", text, data);
  }
  const place = there === undefined ? `${folder}, made when it is needed` : folder;
  const { type = "" } = volumeOf(base, mounts, disk);
  if (!WITHOUT_LINKS.has(type)) return ok("trash", place, data);
  return note(
    "trash",
    `${place}; ${type} has no way to move a file without the risk of replacing another that takes ` +
      "its name in the same instant",
    data,
  );
}

/** Whether the room for changes was told so by the system when it tried. */
function takesNoChanges(base: string, { rooms }: Examination): boolean {
  return rooms.some((room) =>
    room.kind === "disk-write" && "trials" in room &&
    room.trials.some(({ what, folder, errno }) =>
      what === "write" && folder === base && errno === "EROFS"
    )
  );
}
