// What the compiler is told. All that is known about compiled workers, rights, files and caches is handled
// here, each with its reason. Deno fixes these words in the executable: its user cannot change them, and
// what the user types goes to the program alone.

import { join } from "node:path";
import { CONNECTION, NETWORK, PERMISSIONS } from "../../cli/executable.ts";
import { bundledName } from "../../containment/rooms/modules.ts";
import { addonPath, CONTENTS, type Contents, type Target } from "./contents.ts";

export interface Compilation {
  /** The folder with the bundle. */
  bundle: string;
  target: Target;
  /** The executable to write. */
  output: string;
  contents?: Contents;
}

/** The words after `deno` that compile a bundle. */
export function compileArguments(
  { bundle, target, output, contents = CONTENTS }: Compilation,
): string[] {
  const [entry, ...rooms] = contents.modules;
  const included = [
    // Nothing imports the module of a worker, so the compiler would leave it out.
    ...rooms.map(bundledName),
    // Files that are read while the program runs are no modules either.
    ...contents.assets,
    ...contents.made.map(({ folder }) => folder),
    // An addon cannot be loaded from inside an executable. The runtime copies it to a folder of the user's
    // own below the one for temporary files first, and judges the right to load it (`ffi`) by its path in
    // here. Only what lies in the addon's own file comes along (denoland/deno#36626).
    ...contents.addons.map((addon) => addonPath(addon, target)),
  ];
  return [
    "compile",
    "--quiet",
    // The bundle has everything in it. What lies around it when it is compiled must not have a say.
    "--no-config",
    "--no-lock",
    "--no-npm",
    "--no-remote",
    "--no-check",
    // Rooms are workers with rights of their own. Without a configuration this has to be said, or the
    // program would end when it opens the first of them.
    "--unstable-worker-options",
    // The rights of the main thread; a room can only get what is among them. --no-prompt: at a terminal
    // the runtime would otherwise offer to hand back what the program has given up. The rights are the same
    // for every command, so each gives up first what only others use (cli/main.ts).
    ...PERMISSIONS,
    NETWORK,
    ...CONNECTION,
    // The runtime would keep compiled code in the folder for temporary files, under a name that everybody
    // knows, and run whatever another user had put there (denoland/deno#36143).
    "--no-code-cache",
    ...included.flatMap((path) => ["--include", join(bundle, path)]),
    // The name under which the runtime would keep storage, had the program any. It must not depend on
    // what somebody calls the file.
    "--app-name",
    "shieldfive",
    "--target",
    target,
    "--output",
    output,
    join(bundle, bundledName(entry)),
  ];
}

/**
 * The environment of the compiler. Some variables would be fixed in the executable (telemetry, certificate
 * stores, flags for V8), so it gets only what it takes to run and to fetch its runtime part.
 */
export function compilerEnvironment(outer: Record<string, string>): Record<string, string> {
  const passed = [
    ...["PATH", "HOME", "XDG_CACHE_HOME", "TMPDIR", "DENO_DIR", "DENORT_BIN"],
    ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"],
    ...["NODE_EXTRA_CA_CERTS"],
    ...["USERPROFILE", "LOCALAPPDATA", "APPDATA", "SystemRoot", "TEMP", "TMP"],
  ];
  const found = passed.filter((name) => outer[name] !== undefined);
  return { ...Object.fromEntries(found.map((name) => [name, outer[name]])), NO_COLOR: "1" };
}

/** What an executable is called: the plain name for this system, and with its system for another. */
export function executableName(target: Target, plain: boolean): string {
  const name = plain ? "shieldfive" : `shieldfive-${target}`;
  return target.includes("windows") ? `${name}.exe` : name;
}
