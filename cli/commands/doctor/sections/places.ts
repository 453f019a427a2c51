// The places that the program keeps its own things in.

import { errnoOf, isMissing } from "../../../../containment/mod.ts";
import { placesOf } from "../../../places.ts";
import type { Examination } from "../examination.ts";
import { type Finding, note, ok, problem } from "../finding.ts";
import type { Section } from "../section.ts";
import { mayChange } from "../user.ts";

export const places: Section = {
  name: "places",
  title: "Places",
  look(examination) {
    const { variables, home } = examination.environment;
    const all = placesOf(variables, home);
    if (all === undefined) {
      return [note("place", "unknown: there is no home folder in the environment", {
        fix: "set HOME",
      })];
    }
    return Object.entries(all).map(([name, path]) => place(name, path, examination));
  },
};

function place(name: string, path: string, { disk, user }: Examination): Finding {
  const text = `${name.padEnd(13)}  ${path}`;
  const data = { name, path };
  let info: Deno.FileInfo;
  try {
    info = disk.lstat(disk.realPath(path));
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    if (isMissing(error)) {
      return ok("place", `${text}  (not there yet)`, { data: { ...data, exists: false } });
    }
    return problem("place", `${text} cannot be looked at (${errno})`, "make it readable", { data });
  }
  const found = { data: { ...data, exists: true } };
  if (!info.isDirectory) return problem("place", `${text} is not a folder`, "move it away", found);
  if (mayChange(info, user) === "no") {
    return problem("place", `${text} may not be written by this user`, `chown or chmod it`, found);
  }
  if (info.mode !== null && (info.mode & 0o022) !== 0) {
    return note("place", `${text} may be written by other users`, {
      fix: "take that right away from them (chmod go-w)",
      ...found,
    });
  }
  return ok("place", text, found);
}
