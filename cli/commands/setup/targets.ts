// Which files a setup is about: the ones of the named assistants, or of all that are here.

import { asToolError, isMissing, quote, realDisk, ToolError } from "../../../containment/mod.ts";
import { isHere, type Location, projectLocations, userLocations } from "../../clients/mod.ts";
import type { Environment } from "../../environment.ts";
import { absolute } from "../../roots.ts";
import { UsageError } from "../../usage.ts";
import type { Request } from "./request.ts";

/**
 * The files in the order of the table. An assistant that was named is taken at its word, and its file is
 * made where its folder is there; of the others, the ones that are here.
 *
 * @throws UsageError for an assistant that keeps no such file; ToolError when there is no place to look.
 */
export function chooseLocations(request: Request, environment: Environment): Location[] {
  const { clients } = request;
  const all = everyLocation(request, environment);
  if (clients.length === 0) return all.filter((location) => isHere(location, realDisk));
  for (const { id, title } of clients) {
    if (all.some(({ client }) => client.id === id)) continue;
    throw new UsageError(`${title} keeps no servers in a project`);
  }
  return all.filter(({ client }) => clients.includes(client));
}

function everyLocation({ project }: Request, environment: Environment): Location[] {
  const { variables, home } = environment;
  if (project !== undefined) return projectLocations(folderOf(project, environment));
  if (home !== undefined) return userLocations({ variables, home });
  throw new ToolError("not_found", "there is no home folder in the environment to look in");
}

function folderOf(project: string, environment: Environment): string {
  const folder = absolute(project, environment);
  try {
    const real = realDisk.realPath(folder);
    if (realDisk.lstat(real).isDirectory) return real;
  } catch (error) {
    if (!isMissing(error)) throw asToolError(error, "looking", folder);
  }
  throw new ToolError("not_found", `there is no folder ${quote(folder)}`);
}
