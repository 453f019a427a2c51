// What a command may know about the process around it: the variables that the program reads, the
// folder it was started in, its streams. It is captured once, before the program gives up its
// rights, and nothing else reads the environment or writes to the streams.

import { putBackVariables } from "./steering.ts";
import { type Input, type Output, StreamInput, StreamOutput } from "./terminal/streams.ts";

/** Every environment variable that the program reads. */
export const VARIABLES = [
  "HOME",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
  "XDG_CONFIG_HOME",
  "XDG_STATE_HOME",
  "XDG_CACHE_HOME",
  "XDG_DATA_HOME",
  "NO_COLOR",
  "TERM",
  "COLUMNS",
  // Where a command without a folder is looked for.
  "PATH",
  "SHIELDFIVE_MCP_ROOTS",
  "SHIELDFIVE_MCP_CONFIG_DIR",
  // A connection string, or `none`; and the origin of its server.
  "SHIELDFIVE_GRANT",
  "SHIELDFIVE_API_URL",
  // Set by the self-extracting executable: the path of its own file.
  "SHIELDFIVE_EXECUTABLE",
  // Where assistants keep their configuration, when that was moved.
  "CLAUDE_CONFIG_DIR",
  "CODEX_HOME",
  "COPILOT_HOME",
] as const;

export type Variables = Readonly<Partial<Record<typeof VARIABLES[number], string>>>;

export interface Environment {
  /** The variables that are set to something. */
  readonly variables: Variables;
  /** Variables that the runtime does not let the program read: whether they are set is not known. */
  readonly withheld?: readonly string[];
  /** The folder that the program was started in, as the system spells it; absent when it is gone. */
  readonly cwd?: string;
  /** The user's home folder, where one is known. */
  readonly home?: string;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Characters on a line of the terminal; 80 when nobody can say. */
  readonly columns: number;
  /** The controlling terminal, where it was opened before the right to do so was given up. */
  readonly tty?: Deno.FsFile;
}

/** The environment of this process. */
export function processEnvironment(): Environment {
  putBackVariables();
  const { variables, withheld } = readVariables();
  // One is about this process, the other a secret of its own: none that is started from it gets them.
  for (const name of ["SHIELDFIVE_EXECUTABLE", "SHIELDFIVE_GRANT"] as const) {
    if (variables[name] !== undefined) Deno.env.delete(name);
  }
  return {
    variables,
    withheld,
    cwd: readCwd(),
    home: Deno.build.os === "windows" ? variables.USERPROFILE : variables.HOME,
    stdin: new StreamInput(Deno.stdin),
    stdout: new StreamOutput(Deno.stdout),
    stderr: new StreamOutput(Deno.stderr),
    columns: readColumns(variables.COLUMNS),
  };
}

function readVariables(): { variables: Variables; withheld: string[] } {
  const found: [string, string][] = [];
  const withheld: string[] = [];
  for (const name of VARIABLES) {
    try {
      const value = Deno.env.get(name);
      if (value !== undefined && value !== "") found.push([name, value]);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotCapable)) throw error;
      withheld.push(name);
    }
  }
  return { variables: Object.fromEntries(found), withheld };
}

function readCwd(): string | undefined {
  try {
    return Deno.cwd();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function readColumns(variable: string | undefined): number {
  const wanted = Number(variable);
  if (Number.isSafeInteger(wanted) && wanted > 0) return wanted;
  try {
    return Deno.consoleSize().columns || 80;
  } catch {
    return 80; // no stream is a terminal
  }
}
