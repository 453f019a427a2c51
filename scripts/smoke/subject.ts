// The executable that is tried, as somebody else's program: started by its path, with a home folder and
// a folder for temporary files of its own, away from any terminal, and ended when it hangs. The user's
// own settings, caches and files are in nothing that it is told.

import { Unexpected } from "./check.ts";

/** Milliseconds after which a run counts as hung. */
const PATIENCE = 60_000;

/** What a finished run left. */
export interface Finished {
  code: number;
  stdout: string;
  stderr: string;
}

/** Where a subject works. */
export interface Surroundings {
  /** The folder that stands for the user's home. */
  home: string;
  /** Words before the executable, where another program starts it. */
  prefix?: readonly string[];
  /** Variables beside those that every run finds. */
  variables?: Readonly<Record<string, string>>;
}

export class Subject {
  readonly home: string;
  readonly #prefix: readonly string[];
  readonly #variables: Readonly<Record<string, string>>;

  /**
   * @param executable its absolute path.
   * @param work a folder for everything that the checks plant, as a real path.
   */
  constructor(
    readonly executable: string,
    readonly work: string,
    { home, prefix = [], variables = {} }: Surroundings = { home: `${work}/the home` },
  ) {
    this.home = home;
    this.#prefix = prefix;
    this.#variables = variables;
    Deno.mkdirSync(`${home}/tmp`, { recursive: true });
  }

  /** The same executable, started by another program that is given its path and its arguments. */
  under(prefix: readonly string[]): Subject {
    return this.#again({ prefix });
  }

  /** The same executable with more variables in its environment. */
  with(variables: Readonly<Record<string, string>>): Subject {
    return this.#again({ variables: { ...this.#variables, ...variables } });
  }

  /** The same executable for a user who never ran it. */
  forSomebodyNew(): Subject {
    return this.#again({ home: this.folder() });
  }

  #again(other: Partial<Surroundings>): Subject {
    const same = { home: this.home, prefix: this.#prefix, variables: this.#variables };
    return new Subject(this.executable, this.work, { ...same, ...other });
  }

  /** A new empty folder, with a space in its path. */
  folder(): string {
    return Deno.makeTempDirSync({ dir: this.work, prefix: "a folder " });
  }

  /** All that a run finds in its environment. */
  get environment(): Record<string, string> {
    const { home } = this;
    const inherited = ["PATH", "SystemRoot", "PATHEXT"].flatMap((name) => {
      const value = Deno.env.get(name);
      return value === undefined ? [] : [[name, value]];
    });
    return {
      ...Object.fromEntries(inherited),
      HOME: home,
      USERPROFILE: home,
      APPDATA: `${home}/roaming`,
      LOCALAPPDATA: `${home}/local`,
      XDG_CONFIG_HOME: `${home}/.config`,
      XDG_STATE_HOME: `${home}/.local/state`,
      XDG_DATA_HOME: `${home}/.local/share`,
      XDG_CACHE_HOME: `${home}/.cache`,
      TMPDIR: `${home}/tmp`,
      TEMP: `${home}/tmp`,
      TMP: `${home}/tmp`,
      // Without it a shell that launches the program asks the system's user database, through a socket.
      SHELL: "/bin/sh",
      LANG: "C.UTF-8",
      TZ: "UTC",
      NO_COLOR: "1",
      // On Linux the keychain is reached by this address; the user's own is none of these runs' business.
      DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere/bus",
      ...this.#variables,
    };
  }

  /** The command line that starts the executable with these arguments. */
  command(args: readonly string[]): [command: string, ...args: string[]] {
    const [first, ...rest] = [...this.#prefix, this.executable, ...args];
    return [first, ...rest];
  }

  /** Starts it in a session of its own, which has no terminal to ask anybody on. */
  start(args: readonly string[], cwd: string, stdin: "null" | "piped"): Deno.ChildProcess {
    const [command, ...rest] = this.command(args);
    return new Deno.Command(command, {
      args: rest,
      cwd,
      clearEnv: true,
      env: this.environment,
      stdin,
      stdout: "piped",
      stderr: "piped",
      detached: true,
    }).spawn();
  }

  /**
   * Runs it to its end; without an input, with nothing on its standard input.
   *
   * @throws Unexpected when it does not end.
   */
  async run(args: readonly string[], cwd = this.work, input?: string): Promise<Finished> {
    const child = this.start(args, cwd, input === undefined ? "null" : "piped");
    if (input !== undefined) await give(child, input);
    const { code, stdout, stderr } = await withinPatience(child, () => child.output());
    const text = new TextDecoder();
    return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
  }

  /**
   * Runs it with `--json` and gives its exit code, its output object, and its stderr.
   *
   * @throws Unexpected when the output is no JSON.
   */
  async json(args: readonly string[], cwd: string) {
    const { code, stdout, stderr } = await this.run([...args, "--json"], cwd);
    return { code, output: parsed(stdout), stderr };
  }
}

/** Writes a text to a process's standard input and ends it; one that reads none of it is no failure. */
async function give(child: Deno.ChildProcess, input: string): Promise<void> {
  const writer = child.stdin.getWriter();
  try {
    await writer.write(new TextEncoder().encode(input));
    await writer.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}

/** What came out of JSON; checks look into it field by field. */
export type Json = ReturnType<typeof JSON.parse>;

/** @throws Unexpected when the text is no JSON. */
export function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Unexpected("JSON", text);
  }
}

/**
 * The result of waiting for a process, which is ended when it takes too long.
 *
 * @throws Unexpected when it had to be.
 */
export async function withinPatience<T>(
  child: Deno.ChildProcess,
  wait: () => Promise<T>,
): Promise<T> {
  let hung = false;
  const timer = setTimeout(() => {
    hung = true;
    endGroup(child);
  }, PATIENCE);
  try {
    const result = await wait();
    if (hung) throw new Unexpected("an end", `nothing for ${PATIENCE / 1000} s`);
    return result;
  } finally {
    clearTimeout(timer);
  }
}

/** Ends a process and all that it started. */
export function endGroup(child: Deno.ChildProcess): void {
  try {
    if (Deno.build.os === "windows") child.kill("SIGKILL");
    else Deno.kill(-child.pid, "SIGKILL");
  } catch (error) {
    const ended = error instanceof Deno.errors.NotFound || error instanceof TypeError;
    if (!ended) throw error; // it may have ended meanwhile
  }
}
