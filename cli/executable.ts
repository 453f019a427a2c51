// What the program is started with: for configuration files that must start it again, and for the walls
// around its own files. There are three ways: from the sources or their bundle with an installed Deno, as
// a compiled executable, and as the self-extracting file, which runs a copy of Deno that it keeps in the
// user's cache and says in a variable where the file itself is.

import { entryName, nativeRules, programFolder, realDisk } from "../containment/mod.ts";
import { type Environment, VARIABLES } from "./environment.ts";

/**
 * All that the program may ever do, as the runtime's own options, unless it is to use the network. Rooms get less;
 * without network, run and ffi here, no part of it can get them. Folders are granted when it starts, so
 * reading and writing are not narrowed here.
 */
export const PERMISSIONS: readonly string[] = [
  "--allow-read",
  "--allow-write",
  `--allow-env=${VARIABLES.join(",")}`,
  "--allow-sys=uid,statfs",
  "--no-prompt",
];

/**
 * What the commands that use the network get beside that (`serve`, and `doctor`, which tries its rooms).
 * Where is said when they start, and a room gets that one address. Where rights cannot depend on the
 * command, every other one gives it up before anything else.
 */
export const NETWORK = "--allow-net";

/**
 * What the commands get beside that which find, make or use a connection to a vault: native code, of which a
 * room gets the file of the one addon that it needs, and programs, of which a room gets the one that opens a
 * browser.
 */
export const CONNECTION: readonly string[] = ["--allow-ffi", "--allow-run"];

/** How to start the program: a command by its absolute path, and the words before its own arguments. */
export interface ExecutableCommand {
  command: string;
  args: string[];
}

/**
 * The command that starts this program again, from any folder. It must be asked for before the rights to
 * read are given up.
 *
 * @throws the system's error when the runtime's own file cannot be found any more.
 */
export function executableCommand(environment: Pick<Environment, "variables">): ExecutableCommand {
  const command = selfExtracting(environment) ?? Deno.execPath();
  if (Deno.build.standalone || command !== Deno.execPath()) return { command, args: [] };
  const entry = nativeRules.join(programFolder(), entryName());
  // Kinds of rights without their lists: what is written into a configuration today must still do when
  // the sources need one variable more. What is started that way is the server, which can connect a vault.
  const rights = [...PERMISSIONS, NETWORK, ...CONNECTION].map((flag) => flag.replace(/=.*/, ""));
  return { command, args: ["run", "--unstable-worker-options", ...rights, entry] };
}

/** The folder with all that the program is run from, where that is not one file. */
export function programPlace(environment: Pick<Environment, "variables">): string | undefined {
  if (Deno.build.standalone) return undefined; // its modules are inside
  // Beside what was unpacked lie the record of it and the runtime's cache of compiled code.
  if (selfExtracting(environment) !== undefined) return nativeRules.dirname(programFolder());
  return programFolder();
}

/**
 * The self-extracting file that started this process, or undefined. The variable alone does not say so: it
 * could be left over from another process around this one. There, the runtime lies beside the program.
 */
function selfExtracting({ variables }: Pick<Environment, "variables">): string | undefined {
  const file = variables.SHIELDFIVE_EXECUTABLE;
  if (Deno.build.standalone || file === undefined || !nativeRules.isAbsolute(file)) {
    return undefined;
  }
  const runtime = nativeRules.dirname(realDisk.realPath(Deno.execPath()));
  return runtime === realDisk.realPath(programFolder()) ? nativeRules.normalize(file) : undefined;
}
