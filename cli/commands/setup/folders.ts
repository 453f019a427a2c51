// The folders that the assistants are to work in: named on the command line, or asked for at the terminal.
// What is written down is the real path, since an assistant starts the program from anywhere.

import {
  isInside,
  lookAt,
  nativeRules,
  type OpenedRoots,
  openRoots,
  quote,
  realDisk,
  ToolError,
} from "../../../containment/mod.ts";
import type { Environment } from "../../environment.ts";
import { warn } from "../../messages.ts";
import { folderOption } from "../../roots.ts";
import type { Terminal } from "../../terminal/prompt.ts";
import { UsageError } from "../../usage.ts";

/** Folders of a home that people have tidied, in the order in which they are offered. */
const OFFERED = ["Downloads", "Documents"];

/**
 * The real paths of the folders to grant.
 *
 * @throws UsageError when there are none and nobody to ask; ToolError `invalid_path` for one that cannot
 * be worked in, and `cancelled` when the person gives no folder.
 */
export async function chooseFolders(
  typed: readonly string[],
  environment: Environment,
  terminal: Terminal | undefined,
  signal: AbortSignal,
): Promise<string[]> {
  if (typed.length === 0 && terminal === undefined) {
    throw new UsageError(
      "it is not said which folders the assistants may work in",
      "--root DIR names one; it can be given more than once",
    );
  }
  const chosen = typed.length > 0
    ? typed.map((each) => folderOption(each, environment))
    : await askForFolders(environment, terminal!, signal);
  const opened = openRoots(chosen, { home: environment.home });
  const [bad] = unusable(opened);
  if (bad !== undefined) throw new ToolError("invalid_path", bad);
  for (const warning of opened.warnings) warn(environment, warning);
  return opened.roots.map(({ path }) => path);
}

/** Why folders cannot be worked in; one that lies in another that is granted needs no entry of its own. */
function unusable({ roots, rejected }: OpenedRoots): string[] {
  return rejected.filter(({ candidate }) => !roots.some(({ path }) => isInside(candidate, path)))
    .map(({ candidate, reason }) =>
      `cannot work in ${quote(candidate.replace(/(?<=.)[/\\]$/, ""))}: ${reason}`
    );
}

/** Asks for one folder after the other, until an empty line. */
async function askForFolders(
  environment: Environment,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<string[]> {
  const offered = offeredFolders(environment);
  terminal.write("Which folders may the assistants work in? An empty line ends the list.\n");
  offered.forEach((folder, at) => terminal.write(`  ${at + 1}  ${folder}\n`));
  const chosen: string[] = [];
  for (;;) {
    const question = offered.length > 0 ? "A number, or a folder:" : "A folder:";
    const answer = await terminal.ask(question, signal);
    if (answer === undefined || answer === "") break;
    const folder = folderOption(offered[Number(answer) - 1] ?? answer, environment);
    const [bad] = unusable(openRoots([folder], { home: environment.home }));
    if (bad === undefined) chosen.push(folder);
    else terminal.write(`${bad}\n`);
  }
  if (chosen.length > 0) return chosen;
  throw new ToolError("cancelled", "no folder was named; nothing was changed");
}

function offeredFolders({ home }: Environment): string[] {
  if (home === undefined) return [];
  return OFFERED.map((name) => nativeRules.join(home, name))
    .filter((folder) => lookAt(realDisk, folder)?.isDirectory);
}
