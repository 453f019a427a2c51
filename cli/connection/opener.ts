// The program here that opens a browser.

import { nativeRules, realDisk } from "../../containment/mod.ts";
import { type Opener, openerFor } from "../../vault/connect/mod.ts";
import { findProgram } from "../commands/doctor/programs.ts";
import type { Environment } from "../environment.ts";

/** The opener by its absolute path, or undefined where there is none. */
export function findOpener({ variables }: Environment): Opener | undefined {
  const { program, words } = openerFor(Deno.build.os);
  // A folder that depends on where one happens to be must not decide what is run.
  const folders = (variables.PATH ?? "").split(nativeRules.delimiter)
    .filter((folder) => nativeRules.isAbsolute(folder));
  const { file } = findProgram(program, folders.join(nativeRules.delimiter), realDisk);
  return file === undefined ? undefined : { program: file, words };
}
