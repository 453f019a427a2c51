// What a command may know about the process around it: the variables that the program reads, the
// folder it was started in, its streams. It is captured once, before the program gives up its
// rights, and nothing else reads the environment or writes to the streams.

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
  "NO_COLOR",
  "TERM",
  "COLUMNS",
  "SHIELDFIVE_MCP_ROOTS",
  "SHIELDFIVE_MCP_CONFIG_DIR",
] as const;

export type Variables = Readonly<Partial<Record<typeof VARIABLES[number], string>>>;

export interface Environment {
  /** The variables that are set to something. */
  readonly variables: Variables;
  /** The folder that the program was started in, as the system spells it; absent when it is gone. */
  readonly cwd?: string;
  /** The user's home folder, where one is known. */
  readonly home?: string;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Characters on a line of the terminal; 80 when nobody can say. */
  readonly columns: number;
}

/** The environment of this process. */
export function processEnvironment(): Environment {
  const variables = readVariables();
  return {
    variables,
    cwd: readCwd(),
    home: Deno.build.os === "windows" ? variables.USERPROFILE : variables.HOME,
    stdin: new StreamInput(Deno.stdin),
    stdout: new StreamOutput(Deno.stdout),
    stderr: new StreamOutput(Deno.stderr),
    columns: readColumns(variables.COLUMNS),
  };
}

function readVariables(): Variables {
  const found: [string, string][] = [];
  for (const name of VARIABLES) {
    const value = Deno.env.get(name);
    if (value !== undefined && value !== "") found.push([name, value]);
  }
  return Object.fromEntries(found);
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
