// Runs the real program as a child process, the way a person at a shell would, with surroundings that
// are the same on every machine: no colours, nothing of the user's own settings, English UTC dates. The
// user's keychain is out of reach: it takes native code, and the program is started without the right to
// any.

import { fileURLToPath } from "node:url";

/** The program's entry file. */
export const ENTRY = fileURLToPath(new URL("../mod.ts", import.meta.url));

/** The command that starts the program from a checkout, without the runtime's own messages. */
export const COMMAND = ["deno", "run", "--quiet", "-A", "--deny-ffi", "--no-prompt", ENTRY];

/** What a finished child left. */
export interface Finished {
  code: number;
  stdout: string;
  stderr: string;
}

/** Where a child runs. */
export interface Surroundings {
  cwd: string;
  /** A folder that takes the place of the one with the user's settings. */
  settings: string;
  /** Ends what runs. */
  signal?: AbortSignal;
}

/** Runs `shieldfive ARGS` and waits for it. Without an input, nothing is on its standard input. */
export async function shieldfive(
  args: string[],
  surroundings: Surroundings,
  input?: string,
): Promise<Finished> {
  const child = start(args, surroundings, input === undefined ? "null" : "piped");
  if (input !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(input));
    await writer.close();
  }
  const { code, stdout, stderr } = await child.output();
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

/** Starts `shieldfive ARGS`. */
export function start(
  args: string[],
  { cwd, settings, signal }: Surroundings,
  stdin: "null" | "piped" = "null",
): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: [...COMMAND.slice(1), ...args],
    cwd,
    clearEnv: true,
    env: environment(settings),
    signal,
    stdin,
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Variables that would have the program do something else than for somebody who set nothing up. */
const OURS = /^SHIELDFIVE_/;

function environment(settings: string): Record<string, string> {
  const inherited = Object.entries(Deno.env.toObject()).filter(([name]) => !OURS.test(name));
  return {
    ...Object.fromEntries(inherited),
    NO_COLOR: "1",
    TZ: "UTC",
    LC_ALL: "C.UTF-8",
    XDG_CONFIG_HOME: `${settings}/.config`,
    XDG_STATE_HOME: `${settings}/.local/state`,
    XDG_DATA_HOME: `${settings}/.local/share`,
    XDG_CACHE_HOME: `${settings}/.cache`,
    APPDATA: `${settings}/roaming`,
    LOCALAPPDATA: `${settings}/local`,
    // macOS knows no variable for its places but this one.
    ...(Deno.build.os === "darwin" ? { HOME: settings } : {}),
    // Where the runtime's packages are does not change with these.
    DENO_DIR: runtimeFolder(),
  };
}

/** The folder in which the runtime keeps what it has fetched. */
function runtimeFolder(): string {
  const { stdout } = new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).outputSync();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}

/** Words as one line that a POSIX shell splits back into the same words. */
export function shellLine(words: string[]): string {
  return words.map((word) =>
    /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
  ).join(" ");
}
