// Runs the real program as a child process, the way a person at a shell would, with surroundings that
// are the same on every machine: no colours, no roots from the environment, English UTC dates.

import { fileURLToPath } from "node:url";

/** The program's entry file. */
export const ENTRY = fileURLToPath(new URL("../mod.ts", import.meta.url));

/** The command that starts the program from a checkout, without the runtime's own messages. */
export const COMMAND = ["deno", "run", "--quiet", "-A", "--no-prompt", ENTRY];

/** What a finished child left. */
export interface Finished {
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs `shieldfive ARGS` in a folder and waits for it. Nothing is on its standard input.
 *
 * @param home a folder that takes the place of the user's configuration and state folders.
 */
export async function shieldfive(args: string[], cwd: string, home: string): Promise<Finished> {
  const { SHIELDFIVE_MCP_ROOTS: _roots, ...env } = Deno.env.toObject();
  const child = new Deno.Command(Deno.execPath(), {
    args: [...COMMAND.slice(1), ...args],
    cwd,
    clearEnv: true,
    env: {
      ...env,
      NO_COLOR: "1",
      TZ: "UTC",
      LC_ALL: "C.UTF-8",
      XDG_CONFIG_HOME: `${home}/config`,
      XDG_STATE_HOME: `${home}/state`,
      SHIELDFIVE_MCP_CONFIG_DIR: `${home}/config/shieldfive`,
    },
    stdin: "null",
  });
  const { code, stdout, stderr } = await child.output();
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

/** Words as one line that a POSIX shell splits back into the same words. */
export function shellLine(words: string[]): string {
  return words.map((word) =>
    /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
  ).join(" ");
}
