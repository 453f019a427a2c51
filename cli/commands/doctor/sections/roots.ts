// The granted folders, and the volumes that they lie on.

import { errnoOf, isInside, type OpenedRoots, type Root } from "../../../../containment/mod.ts";
import { formatBytes } from "../../../../tools/format.ts";
import type { Examination } from "../examination.ts";
import { type Finding, note, ok, problem } from "../finding.ts";
import { isNested } from "../folders.ts";
import type { Section } from "../section.ts";
import { type Volume, volumeOf } from "../volumes.ts";

export const roots: Section = {
  name: "roots",
  title: "Roots",
  look: (examination) => [
    ...examination.folders.roots.map((root) => granted(root, examination)),
    ...innerVolumes(examination).map((path) => mounted(path, examination)),
    ...examination.folders.warnings.map((warning) => note("root.wide", warning)),
    ...examination.folders.rejected.map((bad) => rejected(bad, examination)),
    ...protectedRoots(examination),
  ],
};

/** Folders in the roots at which another volume begins. */
export function innerVolumes({ mounted, remains }: Examination): string[] {
  return [...new Set([...mounted, ...remains.mountPoints])].sort();
}

function granted({ path }: Root, examination: Examination): Finding {
  const { source } = examination.folders;
  const volume = volumeAt(path, examination);
  if (typeof volume === "string") {
    const text = `${path} cannot be looked at (${volume})`;
    return problem("root", text, "make it readable, or leave it out", { data: { path } });
  }
  const origin = source === "current folder" ? ", the current folder," : "";
  return described("root", `${path}${origin}`, volume, { path, source });
}

function mounted(path: string, examination: Examination): Finding {
  const volume = volumeAt(path, examination);
  if (typeof volume === "string") {
    return note("root.volume", `${path} cannot be looked at (${volume})`, { data: { path } });
  }
  return described("root.volume", path, volume, { path });
}

/** The volume of a folder, or why the system does not say. */
function volumeAt(path: string, { mounts, disk }: Examination): Volume | string {
  try {
    return volumeOf(path, mounts, disk);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return errno;
  }
}

function described(
  check: string,
  what: string,
  volume: Volume,
  data: Record<string, unknown>,
): Finding {
  const { mountPoint, dev, device, type, readOnly, free } = volume;
  const about = [type, device === type ? undefined : device].filter((part) => part !== undefined);
  const text = `${what} is on the volume ${mountPoint}` +
    (about.length === 0 ? "" : ` (${about.join(", ")})`) +
    (readOnly ? ", read-only" : "") +
    (free === undefined ? "" : `, ${formatBytes(free)} free`);
  const found = {
    data: {
      ...data,
      mount_point: mountPoint,
      device_number: dev,
      device,
      file_system: type,
      read_only: readOnly,
      free_bytes: free,
    },
  };
  if (free !== 0 || readOnly) return ok(check, text, found);
  return note(check, text, { fix: "make room: a change needs a little for its record", ...found });
}

function rejected(
  bad: OpenedRoots["rejected"][number],
  { folders: { source } }: Examination,
): Finding {
  const { candidate, reason } = bad;
  const path = candidate.length > 1 ? candidate.replace(/[/\\]$/, "") : candidate;
  const text = `${path} is left out: ${reason}`;
  const data = { data: { path, reason } };
  if (isNested(bad)) return note("root.rejected", text, data);
  const fix = source === "current folder"
    ? "name a folder with --root"
    : `mend that, or name another folder (${source})`;
  return problem("root.rejected", text, fix, data);
}

/** Roots in which nothing can be changed, because the program depends on what is there. */
function protectedRoots({ folders, protectedPaths }: Examination): Finding[] {
  return folders.roots.flatMap(({ path }) => {
    const place = protectedPaths.find((each) => isInside(path, each));
    if (place === undefined) return [];
    return [note("root.protected", `${path} lies in ${place}, in which no tool changes anything`, {
      data: { path, place },
    })];
  });
}
