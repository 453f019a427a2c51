// The real program as a child process, away from any terminal or on a pseudo-terminal of its own.

import { fileURLToPath } from "node:url";

const ENTRY = fileURLToPath(new URL("../../mod.ts", import.meta.url));

/** The words that start the program from the sources. */
export const COMMAND = [Deno.execPath(), "run", "-A", "--no-prompt", ENTRY];

export interface Finished {
  code: number;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
  stdin?: string;
  /** The file to run in place of the program; it gets the same words. */
  entry?: string;
}

/** What of the machine's own no child gets: its folders, its colours, its connection. */
const DROPPED = ["SHIELDFIVE_MCP_ROOTS", "SHIELDFIVE_GRANT", "SHIELDFIVE_API_URL"]
  .concat("NO_COLOR", "COLUMNS");

/** The surroundings of every child, whose keychain is not the user's. */
function childEnvironment(env: Record<string, string> = {}): Record<string, string> {
  const inherited = Object.entries(Deno.env.toObject()).filter(([name]) => !DROPPED.includes(name));
  const DBUS_SESSION_BUS_ADDRESS = "unix:path=/nowhere/bus";
  return {
    ...Object.fromEntries(inherited),
    DBUS_SESSION_BUS_ADDRESS,
    TERM: "xterm",
    TZ: "UTC",
    ...env,
  };
}

/** Starts `shieldfive ARGS` in a session of its own, which has no terminal. */
export function start(
  args: string[],
  { cwd, env, entry = ENTRY }: RunOptions = {},
): Deno.ChildProcess {
  return new Deno.Command(COMMAND[0], {
    args: [...COMMAND.slice(1, -1), entry, ...args],
    cwd,
    clearEnv: true,
    env: childEnvironment(env),
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    detached: true,
  }).spawn();
}

/** Runs `shieldfive ARGS` to its end. */
export async function shieldfive(args: string[], options: RunOptions = {}): Promise<Finished> {
  const child = start(args, options);
  const writer = child.stdin.getWriter();
  if (options.stdin !== undefined) await writer.write(new TextEncoder().encode(options.stdin));
  await writer.close();
  const { code, stdout, stderr } = await child.output();
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

/** Runs a shell line in which `$SHIELDFIVE` starts the program. */
export async function shell(line: string, { cwd, env }: RunOptions = {}): Promise<Finished> {
  const quoted = COMMAND.map((word) => `'${word}'`).join(" ");
  const { code, stdout, stderr } = await new Deno.Command("bash", {
    args: ["-c", line.replaceAll("$SHIELDFIVE", quoted)],
    cwd,
    clearEnv: true,
    env: childEnvironment(env),
    stdin: "null",
    detached: true,
  }).output();
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

// Runs argv[3:] on a new pseudo-terminal of argv[1] columns. The JSON list argv[2] says what to do when:
// [text to wait for, text to type, shell line to run before typing]. Prints what the terminal showed and
// the exit code as JSON.
const ON_TERMINAL = `
import fcntl, json, os, pty, select, struct, sys, termios
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
    os.execvp(sys.argv[3], sys.argv[3:])
answers, seen, at = json.loads(sys.argv[2]), b"", 0
while True:
    ready, _, _ = select.select([fd], [], [], 60)
    if not ready:
        os.kill(pid, 9)
        break
    try:
        chunk = os.read(fd, 65536)
    except OSError:
        break
    if not chunk:
        break
    seen += chunk
    while answers and answers[0][0].encode() in seen[at:]:
        at = len(seen)
        _, text, *before = answers.pop(0)
        if before:
            os.system(before[0])
        os.write(fd, text.encode())
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(json.dumps({"code": code, "screen": seen.decode("utf-8", "replace")}))
`;

export interface OnTerminal {
  code: number;
  /** Everything that the terminal was sent, with line ends as \n. */
  screen: string;
}

/**
 * Runs a command on a pseudo-terminal, typing each answer when its text has been seen, after running a
 * shell line where there is one. Undefined,
 * after saying why, where there is no python3 to make one with.
 */
export async function onTerminal(
  command: string[],
  answers: [seen: string, typed: string, before?: string][],
  { cwd, env, columns = 80 }: RunOptions & { columns?: number } = {},
): Promise<OnTerminal | undefined> {
  try {
    const { stdout, stderr, success } = await new Deno.Command("python3", {
      args: ["-c", ON_TERMINAL, String(columns), JSON.stringify(answers), ...command],
      cwd,
      clearEnv: true,
      env: childEnvironment(env),
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    const { code, screen } = JSON.parse(new TextDecoder().decode(stdout));
    return { code, screen: screen.replaceAll("\r\n", "\n") };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    console.log("skipped: there is no python3 here to make a pseudo-terminal with");
    return undefined;
  }
}
