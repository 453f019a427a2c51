// Where the program keeps its own things. Nothing else knows these places (decisions 2).

import { posix, win32 } from "node:path";
import { errnoOf, nativeRules, realDisk } from "../containment/mod.ts";
import { userLocations } from "./clients/locations.ts";
import type { Environment, Variables } from "./environment.ts";
import { executableCommand, programPlace } from "./executable.ts";

export interface Places {
  configuration: string;
  /** Records of what was done. */
  state: string;
  cache: string;
  /** The data of the vault that `serve` hosts. */
  vault: string;
}

type System = typeof Deno.build.os;

/** What is put behind the name of an assistant's file for the copy that is made before it is changed. */
export const BACKUP = ".shieldfive-backup";

/** The places of a user, or undefined when no home folder is known. */
export function placesOf(
  variables: Variables,
  home: string | undefined,
  os: System = Deno.build.os,
): Places | undefined {
  const standard = home === undefined ? undefined : standardPlaces(variables, home, os);
  const configuration = variables.SHIELDFIVE_MCP_CONFIG_DIR;
  if (standard === undefined || configuration === undefined) return standard;
  return { ...standard, configuration };
}

function standardPlaces(variables: Variables, home: string, os: System): Places {
  if (os === "windows") {
    const { join } = win32;
    const local = join(variables.LOCALAPPDATA ?? join(home, "AppData", "Local"), "shieldfive");
    return {
      configuration: join(variables.APPDATA ?? join(home, "AppData", "Roaming"), "shieldfive"),
      state: join(local, "state"),
      cache: join(local, "cache"),
      vault: join(local, "vault"),
    };
  }
  const { join } = posix;
  if (os === "darwin") {
    const support = join(home, "Library", "Application Support", "shieldfive");
    return {
      configuration: support,
      state: join(support, "state"),
      cache: join(home, "Library", "Caches", "shieldfive"),
      vault: join(support, "vault"),
    };
  }
  // The base directory rules say that a relative value is to be ignored.
  const base = (value: string | undefined, ...standard: string[]) =>
    value !== undefined && posix.isAbsolute(value) ? value : join(home, ...standard);
  return {
    configuration: join(base(variables.XDG_CONFIG_HOME, ".config"), "shieldfive"),
    state: join(base(variables.XDG_STATE_HOME, ".local", "state"), "shieldfive"),
    cache: join(base(variables.XDG_CACHE_HOME, ".cache"), "shieldfive"),
    vault: join(base(variables.XDG_DATA_HOME, ".local", "share"), "shieldfive", "vault"),
  };
}

/** The folder of the connection file (vault spec, 12). */
export interface ConnectionFolder {
  path: string;
  /** Nothing else is in it. */
  own: boolean;
}

/** What the connection file is called. */
export const CONNECTION_NAME = "connection";

/** Where the connection file is, or undefined when no home folder is known. */
export function connectionFolder(
  variables: Variables,
  home: string | undefined,
  os: System = Deno.build.os,
): ConnectionFolder | undefined {
  const named = variables.SHIELDFIVE_MCP_CONFIG_DIR;
  if (named !== undefined) return { path: named, own: false };
  // A name of its own, under which other programs look for it too.
  const standard = home === undefined ? undefined : standardPlaces(variables, home, os);
  if (standard === undefined) return undefined;
  const { dirname, join } = os === "windows" ? win32 : posix;
  return { path: join(dirname(standard.configuration), "shieldfive-mcp"), own: true };
}

/**
 * The places, the executable, the program's own files, and the files in which assistants keep the list of
 * what they start: none of these may a tool change (decisions 4).
 */
export function protectedPaths(environment: Environment): string[] {
  const places = placesOf(environment.variables, environment.home);
  const { command } = executableCommand(environment);
  const all = [
    places?.configuration,
    places?.state,
    // What the self-extracting executable unpacks: whoever changes that is run at the next start.
    places?.cache,
    places?.vault,
    connectionPlace(environment),
    Deno.execPath(),
    programPlace(environment),
  ];
  const own = all.filter((place) => place !== undefined)
    .map((place) => realAsFarAsItExists(place));
  return [...new Set([...own, ...linkAndFile(command), ...assistantFiles(environment)])];
}

/** What of the connection's place is not to be touched: its folder, or the file in one that has others. */
function connectionPlace({ variables, home }: Environment): string | undefined {
  const folder = connectionFolder(variables, home);
  if (folder === undefined || folder.own) return folder?.path;
  return nativeRules.join(folder.path, CONNECTION_NAME);
}

function assistantFiles(environment: Environment): string[] {
  const missing = new Set<string>(); // most assistants are not here, and to fail takes time
  return userLocations(environment).flatMap(({ file }) => {
    const [place, target] = linkAndFile(file, missing);
    return [place, target, place + BACKUP];
  });
}

/** The place of a file, where it may be a link, and the file that such a link leads to. */
function linkAndFile(file: string, missing?: Set<string>): [place: string, target: string] {
  const folder = realAsFarAsItExists(nativeRules.dirname(file), missing);
  const place = nativeRules.join(folder, nativeRules.basename(file));
  return [place, realAsFarAsItExists(place, missing)];
}

/**
 * A place without links in what is there of it; it need not be there yet.
 *
 * @param missing places that are known not to be there, to which those are added that are found out.
 */
export function realAsFarAsItExists(place: string, missing: Set<string> = new Set()): string {
  const absolute = nativeRules.resolve(place);
  for (let at = absolute;; at = nativeRules.dirname(at)) {
    const above = nativeRules.dirname(at);
    if (!missing.has(at) && !missing.has(above)) {
      try {
        return nativeRules.join(realDisk.realPath(at), nativeRules.relative(at, absolute));
      } catch (error) {
        if (errnoOf(error) === undefined) throw error;
        missing.add(at);
      }
    }
    if (at === above) return absolute;
  }
}
