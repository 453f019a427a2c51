// The executables of a release, made anew by `deno task compile`: one for each system whose runtime part
// can be had, and for this system at least the self-extracting one.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { executableName } from "../compile/arguments.ts";
import { ReleaseFailure } from "./failure.ts";
import type { Executable } from "./make.ts";
import { type Target, TARGETS } from "./targets.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface Built {
  packed: (Executable & { how: "compiled" | "self-extracting" })[];
  /** Systems without an executable, and what `compile` said. */
  leftOut: { target: Target; why: string }[];
}

/** Runs `deno task compile` with these words and gives what it complained about, or nothing. */
export type Compile = (...args: string[]) => string | undefined;

/**
 * Makes all that can be made here.
 *
 * @throws ReleaseFailure with all reasons when that is nothing.
 */
export function buildExecutables(compile: Compile = runCompile): Built {
  const built: Built = { packed: [], leftOut: [] };
  for (const target of TARGETS) {
    const why = compile("--target", target.triple);
    const file = executableName(target.triple, false);
    if (why === undefined) {
      built.packed.push({ target, file: join(ROOT, "dist", file), how: "compiled" });
    } else built.leftOut.push({ target, why });
  }
  const here = built.leftOut.find(({ target }) => target.triple === Deno.build.target);
  if (here === undefined) return built;
  const why = compile("--portable");
  if (why !== undefined) {
    here.why += `; and without it: ${why}`;
    if (built.packed.length === 0) throw nothingToPack(built);
    return built;
  }
  built.packed.push({
    target: here.target,
    file: join(ROOT, "dist", "shieldfive"),
    how: "self-extracting",
  });
  return { ...built, leftOut: built.leftOut.filter((one) => one !== here) };
}

function nothingToPack({ leftOut }: Built): ReleaseFailure {
  const reasons = leftOut.map(({ target, why }) => `${target.triple}: ${why}`);
  return new ReleaseFailure(["no executable can be made here", ...reasons].join("\n  "));
}

function runCompile(...args: string[]): string | undefined {
  // A runtime part that was named by hand is for this system; the others would get the wrong one.
  const { DENORT_BIN, ...others } = Deno.env.toObject();
  const own = args.includes(Deno.build.target) && DENORT_BIN !== undefined;
  const { success, stderr } = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "scripts/compile.ts", ...args],
    cwd: ROOT,
    clearEnv: true,
    env: { ...others, NO_COLOR: "1", ...(own ? { DENORT_BIN } : {}) },
    stdin: "null",
    stdout: "null",
  }).outputSync();
  if (success) return undefined;
  // What it advises is for whoever asked for this one executable.
  return new TextDecoder().decode(stderr).trim().replace(
    /^compile: |: download it elsewhere.*$/gs,
    "",
  );
}
