// `deno task compile [--target SYSTEM | --all | --portable]`: the program as one executable file in dist, made
// of the bundle. It has the rights of the program built in and no others. Without --portable the runtime
// part comes from dl.deno.land the first time, or from where DENORT_BIN points; with it, from the installed
// Deno, for this system only.

import { join } from "node:path";
import { parseArgs } from "node:util";
import config from "../deno.json" with { type: "json" };
import { bundle, DIST } from "./bundle.ts";
import { compileArguments, compilerEnvironment, executableName } from "./compile/arguments.ts";
import { type Target, TARGETS } from "./compile/contents.ts";
import { explain } from "./compile/explain.ts";
import { BuildFailure } from "./compile/failure.ts";
import { packPortable } from "./portable/pack.ts";

const HERE = Deno.build.target as Target;

/** What was asked for. */
type Wanted = { portable: true } | { portable: false; targets: readonly Target[] };

/** @throws BuildFailure for a command line that cannot be understood. */
export function wanted(args: string[]): Wanted {
  const { target, all, portable } = parsed(args);
  if ([target !== undefined, all, portable].filter(Boolean).length > 1) {
    throw new BuildFailure("--target, --all and --portable exclude each other");
  }
  if (portable) return { portable: true };
  if (all) return { portable: false, targets: TARGETS };
  const chosen = TARGETS.find((each) => each === (target ?? HERE));
  if (chosen === undefined) {
    throw new BuildFailure(`${target ?? HERE} is none of the systems: ${TARGETS.join(", ")}`);
  }
  return { portable: false, targets: [chosen] };
}

function parsed(args: string[]): { target?: string; all?: boolean; portable?: boolean } {
  try {
    return parseArgs({
      args,
      options: {
        target: { type: "string" },
        all: { type: "boolean" },
        portable: { type: "boolean" },
      },
    }).values;
  } catch (error) {
    throw new BuildFailure((error as Error).message);
  }
}

/** Compiles for one system and gives the file; what was there before stays until the new one is made. */
async function compile(target: Target, plain: boolean): Promise<string> {
  const name = executableName(target, plain);
  const place = Deno.makeTempDirSync({ dir: DIST, prefix: ".compile-" });
  try {
    const made = join(place, name);
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: compileArguments({ bundle: join(DIST, "bundle"), target, output: made }),
      clearEnv: true,
      env: compilerEnvironment(Deno.env.toObject()),
      stdin: "null",
    }).output();
    if (!success) {
      throw new BuildFailure(explain(new TextDecoder().decode(stderr), Deno.version.deno));
    }
    if (target === HERE) await requireStart(made, "DENORT_BIN must name denort, not deno");
    const output = join(DIST, name);
    Deno.renameSync(made, output);
    return output;
  } finally {
    Deno.removeSync(place, { recursive: true });
  }
}

/** Makes the self-extracting executable for this system and gives the file. */
async function makePortable(): Promise<string> {
  const { os, arch } = Deno.build;
  if (os !== "linux" && os !== "darwin") {
    throw new BuildFailure(
      "a self-extracting executable is a shell script, for Linux and macOS only",
    );
  }
  const output = join(DIST, "shieldfive");
  const bytes = await packPortable({
    bundle: join(DIST, "bundle"),
    runtime: Deno.execPath(),
    version: config.version,
    os,
    needs: `${os === "linux" ? "Linux with glibc" : "macOS"} on ${arch}`,
  });
  // A start of the old one may be reading it.
  Deno.writeFileSync(`${output}.new`, bytes, { mode: 0o755 });
  Deno.chmodSync(`${output}.new`, 0o755);
  Deno.renameSync(`${output}.new`, output);
  await requireStart(output, "see above");
  return output;
}

/** @throws BuildFailure when the file does not start the program; it is removed then. */
async function requireStart(file: string, hint: string): Promise<void> {
  const place = Deno.makeTempDirSync({ prefix: "shieldfive-compile-" });
  try {
    const { stdout, stderr } = await new Deno.Command(file, {
      args: ["--version"],
      env: { XDG_CACHE_HOME: place, ...(Deno.build.os === "darwin" ? { HOME: place } : {}) },
      stdin: "null",
    }).output();
    const text = new TextDecoder();
    if (text.decode(stdout).startsWith(`shieldfive ${config.version}`)) return;
    console.error(text.decode(stderr).trimEnd());
  } finally {
    Deno.removeSync(place, { recursive: true });
  }
  Deno.removeSync(file);
  throw new BuildFailure(`the file does not start the program; ${hint}`);
}

async function main(args: string[]): Promise<number> {
  try {
    const asked = wanted(args);
    if (!asked.portable && asked.targets.length > 1 && Deno.env.has("DENORT_BIN")) {
      throw new BuildFailure("DENORT_BIN is for one system: name that one with --target");
    }
    await bundle({ targets: asked.portable ? [HERE] : asked.targets });
    if (asked.portable) {
      say(await makePortable());
      return 0;
    }
    const plain = args.length === 0;
    for (const target of asked.targets) say(await compile(target, plain));
    return 0;
  } catch (error) {
    if (!(error instanceof BuildFailure)) throw error;
    console.error(`compile: ${error.message}`);
    return 1;
  }
}

function say(file: string): void {
  console.log(`wrote ${file}, ${(Deno.statSync(file).size / 1e6).toFixed(1)} MB`);
}

if (import.meta.main) Deno.exit(await main(Deno.args));
