// Whether what a configuration file would start is there to be started.

import {
  type Disk,
  entryName,
  errnoOf,
  isMissing,
  nativeRules,
  programFolder,
} from "../../../containment/mod.ts";
import { PERMISSIONS } from "../../executable.ts";

/** Where a command was found, or why it could not be started. */
export interface FoundProgram {
  file?: string;
  problem?: string;
}

/**
 * Looks for a command as the system would.
 *
 * @param path the folders for a command without one, as in the variable PATH.
 */
export function findProgram(command: string, path: string, disk: Disk): FoundProgram {
  if (/[/\\]/.test(command)) {
    if (!nativeRules.isAbsolute(command)) {
      return { problem: "is not an absolute path, and means another file in every folder" };
    }
    return programAt(command, disk);
  }
  const folders = path.split(nativeRules.delimiter).filter((folder) => folder !== "");
  const names = Deno.build.os === "windows" ? [".exe", ".cmd", ".bat", ""] : [""];
  for (const folder of folders) {
    for (const ending of names) {
      const found = programAt(nativeRules.join(folder, command + ending), disk);
      if (found.problem === undefined) return found;
    }
  }
  return { problem: "is in no folder of PATH" };
}

function programAt(file: string, disk: Disk): FoundProgram {
  try {
    const info = disk.lstat(disk.realPath(file));
    if (!info.isFile) return { problem: "is not a file" };
    // Without such bits the system goes by the name.
    if (info.mode !== null && Deno.build.os !== "windows" && (info.mode & 0o111) === 0) {
      return { problem: "is not executable" };
    }
    return { file };
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return { problem: isMissing(error) ? "is not there" : `cannot be looked at (${errno})` };
  }
}

/** Whether a regular file is at the path, or at the end of a link there. */
export function isFile(path: string, disk: Disk): boolean {
  try {
    return disk.lstat(disk.realPath(path)).isFile;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

/** Whether something is at the path; what cannot be looked at may be there. */
export function mayBeThere(path: string, disk: Disk): boolean {
  try {
    disk.lstat(path);
    return true;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return !isMissing(error);
  }
}

/** The file that starts this program, where a runtime is given one. */
export function programFile(): string {
  return nativeRules.join(programFolder(), entryName());
}

/**
 * The first of the program's rights that these words for the runtime do not give, or undefined when they
 * give all or say it in a short form that is not looked into.
 */
export function lacksRights(words: readonly string[]): string | undefined {
  if (words.some((word) => word === "--allow-all" || /^-[A-Z]/.test(word))) return undefined;
  return PERMISSIONS.filter((right) => right.startsWith("--allow-")).find((right) => {
    const [name, wanted = ""] = right.split("=");
    const given = words.filter((word) => word.startsWith(`${name}=`))
      .flatMap((word) => word.slice(name.length + 1).split(","));
    return !words.includes(name) &&
      (wanted === "" || !wanted.split(",").every((each) => given.includes(each)));
  });
}
