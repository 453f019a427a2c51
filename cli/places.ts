// Where the program keeps its own things. Nothing else knows these places (decisions 2).

import { posix, win32 } from "node:path";
import { errnoOf, nativeRules, realDisk } from "../containment/mod.ts";
import type { Environment, Variables } from "./environment.ts";

export interface Places {
  configuration: string;
  /** Records of what was done. */
  state: string;
  cache: string;
}

type System = typeof Deno.build.os;

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
    };
  }
  const { join } = posix;
  if (os === "darwin") {
    const support = join(home, "Library", "Application Support", "shieldfive");
    return {
      configuration: support,
      state: join(support, "state"),
      cache: join(home, "Library", "Caches", "shieldfive"),
    };
  }
  // The base directory rules say that a relative value is to be ignored.
  const base = (value: string | undefined, ...standard: string[]) =>
    value !== undefined && posix.isAbsolute(value) ? value : join(home, ...standard);
  return {
    configuration: join(base(variables.XDG_CONFIG_HOME, ".config"), "shieldfive"),
    state: join(base(variables.XDG_STATE_HOME, ".local", "state"), "shieldfive"),
    cache: join(base(variables.XDG_CACHE_HOME, ".cache"), "shieldfive"),
  };
}

/** The places, the executable and the program's own files, which no tool may change (decisions 4). */
export function protectedPaths(environment: Environment): string[] {
  const places = placesOf(environment.variables, environment.home);
  const all = [places?.configuration, places?.state, Deno.execPath(), programFiles()];
  return [...new Set(all.filter((place) => place !== undefined).map(realAsFarAsItExists))];
}

/** The folder of the sources, or the one file that they were bundled into. */
function programFiles(): string | undefined {
  const file = import.meta.filename;
  const inSources = nativeRules.join(nativeRules.sep, "cli", "places.ts");
  return file?.endsWith(inSources) ? file.slice(0, -inSources.length) : file;
}

/** A place that is not there yet is protected too: by the real path of what is there of it. */
function realAsFarAsItExists(place: string): string {
  const absolute = nativeRules.resolve(place);
  for (let at = absolute;; at = nativeRules.dirname(at)) {
    try {
      return nativeRules.join(realDisk.realPath(at), nativeRules.relative(at, absolute));
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      if (at === nativeRules.dirname(at)) return absolute;
    }
  }
}
