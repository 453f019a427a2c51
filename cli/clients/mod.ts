// The assistants on this machine and the servers that they start: what `setup` changes and `doctor` shows.

import type { Disk } from "../../containment/mod.ts";
import { ToolError } from "../../containment/mod.ts";
import type { Environment } from "../environment.ts";
import type { ExecutableCommand } from "../executable.ts";
import { commandIn, type ServerCommand } from "./entry.ts";
import { type Config, isHere, readConfig } from "./find.ts";
import { type Location, userLocations } from "./locations.ts";

export { parseText, requireSameRest, withEntry, withoutEntry } from "./document.ts";
export { commandIn, entryFor, type ParsedText, SERVER, type ServerCommand } from "./entry.ts";
export { type Config, isHere, readConfig } from "./find.ts";
export {
  type Client,
  COMMON_FORM,
  EVERY_CLIENT,
  type Location,
  projectLocations,
  userLocations,
} from "./locations.ts";

/** An assistant that is on this machine. */
export interface FoundClient {
  /** What a person types after `setup client`. */
  id: string;
  title: string;
  file: string;
  /** `absent`: the client is here, but has no such file yet. */
  state: "absent" | "present" | "unreadable";
  /** Why the file cannot be read in full. */
  problem?: string;
  /** Our entry in it, where there is one. */
  entry?: ServerCommand;
  /** Whether that entry starts this program. */
  pointsHere?: boolean;
}

/** The assistants on this machine, in the order of the table; each with what its file says about us. */
export function findClients(
  { variables, home }: Environment,
  disk: Disk,
  executable: ExecutableCommand,
): FoundClient[] {
  return userLocations({ variables, home }).filter((location) => isHere(location, disk))
    .map((location) => look(location, disk, executable));
}

/** What a client's file says about us. */
export function look(
  location: Location,
  disk: Disk,
  executable: ExecutableCommand,
): FoundClient {
  const { client: { id, title }, file } = location;
  let config: Config;
  try {
    config = readConfig(location, disk);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { id, title, file, state: "unreadable", problem: error.message };
  }
  const entry = commandIn(config.parsed, location.client);
  return {
    id,
    title,
    file,
    state: config.read === undefined ? "absent" : "present",
    ...(entry === undefined ? {} : { entry, pointsHere: startsThis(entry, executable) }),
  };
}

/** Whether a command starts this program: the file, and the words that come before its own arguments. */
export function startsThis(entry: ServerCommand, { command, args }: ExecutableCommand): boolean {
  return entry.command === command && args.every((word, at) => entry.args[at] === word);
}
