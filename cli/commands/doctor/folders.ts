// The folders that `doctor` looks at: the ones that other commands would work in. Where they refuse a
// folder and stop, `doctor` says what is wrong with it and goes on.

import {
  type Disk,
  nativeRules,
  type OpenedRoots,
  openRoots,
  ToolError,
} from "../../../containment/mod.ts";
import type { Environment } from "../../environment.ts";
import { absolute } from "../../roots.ts";

export interface Folders extends OpenedRoots {
  /** Where the folders were named. */
  source: "--root" | "SHIELDFIVE_MCP_ROOTS" | "--root and SHIELDFIVE_MCP_ROOTS" | "current folder";
}

/** Opens the folders of `--root` and of the variable, or else the current one. */
export function openFolders(given: string[], environment: Environment, disk: Disk): Folders {
  const { variables: { SHIELDFIVE_MCP_ROOTS = "" }, home } = environment;
  const listed = SHIELDFIVE_MCP_ROOTS.split(nativeRules.delimiter)
    .filter((candidate) => candidate.trim() !== "");
  const source = given.length + listed.length === 0
    ? "current folder"
    : given.length === 0
    ? "SHIELDFIVE_MCP_ROOTS"
    : listed.length === 0
    ? "--root"
    : "--root and SHIELDFIVE_MCP_ROOTS";
  const rejected: OpenedRoots["rejected"] = [];
  const typed = (source === "current folder" ? ["."] : given).flatMap((folder) => {
    try {
      // A closing separator keeps the spaces at the end of a name, which are part of it.
      return [absolute(folder, environment) + nativeRules.sep];
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      rejected.push({ candidate: folder, reason: error.message });
      return [];
    }
  });
  const opened = openRoots([...typed, ...listed], { home, disk });
  return { ...opened, rejected: [...rejected, ...opened.rejected], source };
}

/** Whether a folder was left out because another root holds it, which takes nothing away. */
export function isNested({ reason }: OpenedRoots["rejected"][number]): boolean {
  return reason.startsWith("it lies inside another root");
}
