// Self-extracting executables for tests: with a runtime of a few lines, which tells what it was started with
// and as, and in surroundings that hold nothing of the machine's user.

import { packPortable } from "../../scripts/portable/pack.ts";
import { plant } from "../support.ts";

/** Whether these tests can run here: the executable is a shell script. */
export const IGNORE = Deno.build.os !== "linux" && Deno.build.os !== "darwin";

/** A runtime that answers the first word after the program's entry. */
const RUNTIME = `#!/bin/sh
[ "$1" != --version ] || exit 0
words=$(printf '%s|' "$0" "$@")
while [ "\${1##*/}" != main.js ]; do shift; done
shift
case $1 in
  words | serve | doctor | logout) printf '%s' "$words" ;;
  arguments) shift; printf '%s|' "$@" ;;
  environment) env -0 ;;
  exit) exit "$2" ;;
  repeat) cat ;;
  umask) umask ;;
  wait) sleep 60 & trap 'kill $!; exit 44' TERM; echo waiting; wait ;;
esac
`;

const BUNDLE = { "main.js": "main", "chunk-1.js": "one", "web/page.html": "page" };

/** Writes an executable with the runtime of a few lines, or with another one, and gives its path. */
export async function packed(
  dir: string,
  { name = "shieldfive", version = "0.1.0", runtime = RUNTIME } = {},
): Promise<string> {
  const work = Deno.makeTempDirSync({ dir });
  plant(work, Object.fromEntries(Object.entries(BUNDLE).map(([at, text]) => [`b/${at}`, text])));
  Deno.writeTextFileSync(`${work}/runtime`, runtime);
  const bytes = await packPortable({
    bundle: `${work}/b`,
    runtime: `${work}/runtime`,
    version,
    os: Deno.build.os === "darwin" ? "darwin" : "linux",
    needs: "tests",
  });
  Deno.removeSync(work, { recursive: true });
  Deno.writeFileSync(`${dir}/${name}`, bytes);
  Deno.chmodSync(`${dir}/${name}`, 0o755);
  return `${dir}/${name}`;
}

export interface Started {
  code: number;
  stdout: string;
  stderr: string;
}

export interface StartOptions {
  cwd?: string;
  /** On top of PATH alone. */
  env?: Record<string, string>;
  stdin?: string;
  /** Words before the file: a shell, or another user. */
  by?: string[];
}

/** Starts a file and gives the process. */
export function spawn(
  file: string,
  args: string[],
  { cwd, env = {}, by = [] }: StartOptions,
): Deno.ChildProcess {
  const [command, ...rest] = [...by, file, ...args];
  return new Deno.Command(command, {
    args: rest,
    cwd,
    clearEnv: true,
    env: { PATH: Deno.env.get("PATH")!, ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Runs a file to its end. */
export async function run(
  file: string,
  args: string[],
  options: StartOptions = {},
): Promise<Started> {
  const child = spawn(file, args, options);
  const writer = child.stdin.getWriter();
  try {
    if (options.stdin !== undefined) await writer.write(new TextEncoder().encode(options.stdin));
    await writer.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error; // it ended without reading
  }
  const { code, stdout, stderr } = await child.output();
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

/** What the runtime of a few lines said of its environment. */
export function environmentIn({ stdout }: Started): Map<string, string> {
  return new Map(
    stdout.split("\0").slice(0, -1).map((each) => {
      const end = each.indexOf("=");
      return [each.slice(0, end), each.slice(end + 1)];
    }),
  );
}

/** Surroundings inside a folder: a home, and a place for temporary files. */
export function inside(dir: string): { HOME: string; TMPDIR: string } {
  Deno.mkdirSync(`${dir}/home`, { recursive: true });
  Deno.mkdirSync(`${dir}/tmp`, { recursive: true });
  return { HOME: `${dir}/home`, TMPDIR: `${dir}/tmp` };
}

/** Where the program belongs in such surroundings. */
export function placeIn(dir: string): string {
  const cache = Deno.build.os === "darwin" ? "Library/Caches" : ".cache";
  return `${dir}/home/${cache}/shieldfive/program`;
}

/** The one version that is unpacked in a place. */
export function unpacked(place: string): string {
  const versions = [...Deno.readDirSync(place)].filter((entry) => !entry.name.startsWith("."));
  if (versions.length !== 1) throw new Error(`${versions.length} versions in ${place}`);
  return `${place}/${versions[0].name}`;
}

/** Words that start something as a user without rights; undefined, after saying why, where nobody can. */
export function asNobody(): string[] | undefined {
  if (Deno.build.os === "linux" && Deno.uid() === 0) {
    return ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"];
  }
  console.log("skipped: becoming another user takes Linux and the rights of root");
  return undefined;
}
