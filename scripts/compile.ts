// `deno task compile`: one executable file, with the rights of the program built in and no others:
// files and its few settings, but no network, no programs and no native code. The runtime part of such
// a file comes from dl.deno.land the first time, or from where DENORT_BIN points.

import { fileURLToPath } from "node:url";
import config from "../deno.json" with { type: "json" };
import { VARIABLES } from "../cli/environment.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/**
 * All that the program may ever do. Rooms get less; without network, run and ffi here, no part of the
 * file can get them. Folders are granted when it starts, so reading and writing are not narrowed here.
 */
export const PERMISSIONS = [
  "--allow-read",
  "--allow-write",
  `--allow-env=${VARIABLES.join(",")}`,
  "--allow-sys=uid,statfs",
  "--no-prompt",
];

/** The modules that workers run; nothing imports them, so the compiler would leave them out. */
export const WORKERS = ["tools/room.ts", "containment/rooms/link_room.ts"];

/** What to say about a failed run of the compiler: one sentence where the cause is known. */
export function explain(stderr: string, version: string): string {
  const download = stderr.match(/https:\S*\/denort-\S+\.zip/)?.[0];
  if (download === undefined) return stderr.trimEnd();
  return `compile: the runtime part of Deno ${version} could not be had from ${download}: download it ` +
    "elsewhere, unpack it, and set DENORT_BIN to the file";
}

async function main(): Promise<number> {
  const output = `${ROOT}dist/shieldfive${Deno.build.os === "windows" ? ".exe" : ""}`;
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "compile",
      "--frozen",
      ...PERMISSIONS,
      ...WORKERS.flatMap((worker) => ["--include", worker]),
      "--exclude-unused-npm",
      "--output",
      output,
      "mod.ts",
    ],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
    stdin: "null",
    stderr: "piped",
  });
  const { success, stderr } = await child.output();
  if (!success) {
    console.error(explain(new TextDecoder().decode(stderr), Deno.version.deno));
    return 1;
  }
  if (!await starts(output)) {
    Deno.removeSync(output);
    console.error(
      "compile: the file does not start the program; DENORT_BIN must name denort, not deno",
    );
    return 1;
  }
  console.log(`wrote ${output}`);
  return 0;
}

/** Whether the file is the program: with the wrong runtime part it is something else. */
async function starts(file: string): Promise<boolean> {
  const { stdout } = await new Deno.Command(file, { args: ["--version"], stdin: "null" }).output();
  return new TextDecoder().decode(stdout) === `shieldfive ${config.version}\n`;
}

if (import.meta.main) Deno.exit(await main());
