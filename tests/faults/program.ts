// The real program under fault: the command line, its rooms and all, traced from its start. Strace
// counts the calls of every thread for itself, so only kinds of calls are used that no thread makes
// but the one that changes the disk.

import { countCalls, type Fault, type Injection } from "./calls.ts";
import type { Call, Outcome } from "./outcome.ts";
import { rules, type Run, STRACE } from "./strace.ts";

/** Kinds that only a change makes. */
const KINDS = "mkdir linkat unlink rmdir rename pwrite64 fsync symlink utimensat chmod ftruncate";
/** Milliseconds after which a run counts as hung. */
const PATIENCE = 60_000;

/** What a person would type for the call. */
function wordsFor({ tool, roots, input }: Call): string[] {
  const word = (name: string) => String(input[name]);
  const words: Record<string, () => string[]> = {
    trash_local: () => ["trash", ...input.paths as string[]],
    restore_local: () => ["restore", word("batch").split("/").at(-1)!],
    move_local: () => ["move", "--overwrite", word("source"), word("destination")],
    rename_local: () => ["rename", word("path"), word("new_name")],
    create_local_folder: () => ["mkdir", word("path")],
  };
  return [...words[tool](), "--yes", "--json", ...roots.flatMap((root) => ["--root", root])];
}

/** Runs the call as a command, with the injections, and waits for its end. */
export async function runProgram(call: Call, injections: readonly Injection[]): Promise<Run> {
  const log = Deno.makeTempFileSync({ prefix: "shieldfive-strace-" });
  const module = new URL("../../mod.ts", import.meta.url).pathname;
  let hung = false;
  try {
    const traced = new Deno.Command(STRACE, {
      args: [
        ...["-f", "-o", log, "-e", `trace=${KINDS.replaceAll(" ", ",")}`],
        ...rules(injections),
        ...[Deno.execPath(), "run", "-A", "--no-check", "--cached-only", "--no-code-cache"],
        ...["--no-lock", module, ...wordsFor(call)],
      ],
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const timer = setTimeout(() => {
      hung = true;
      traced.kill("SIGTERM");
    }, PATIENCE);
    const { code, signal, stdout, stderr } = await traced.output();
    clearTimeout(timer);
    const text = new TextDecoder();
    const outcome = signal === null ? { outcome: outcomeOf(code, text.decode(stdout)) } : {};
    return { ...outcome, log: Deno.readTextFileSync(log), stderr: text.decode(stderr), hung };
  } finally {
    Deno.removeSync(log);
  }
}

/** What the command said, checked against its exit code. */
function outcomeOf(code: number, stdout: string): Outcome {
  const result = JSON.parse(stdout) as Record<string, unknown>;
  const bad = (why: string): Outcome => ({ bug: `${why}: exit code ${code} and ${stdout}` });
  if (result.error === undefined) {
    return code === 0 || code === 4 ? { output: result } : bad("a result with the wrong code");
  }
  const { error } = result as unknown as Extract<Outcome, { error: unknown }>;
  if (error.code === "internal") return bad("an error that escaped");
  return code === 1 || code === 4 ? { error } : bad("a failure with the wrong code");
}

/** A kill before each call of the changing thread, and an error from it. */
export function programFaults(log: string): Fault[] {
  const thread = /^(\d+) +\w+\(.*shieldfive-fault-/m.exec(log)?.[1];
  const lines = log.split("\n").filter((line) => line.startsWith(`${thread} `))
    .map((line) => line.replace(/^\d+ +/, ""));
  return countCalls(lines).flatMap(({ kind, nth, text }) =>
    ["KILL", "EIO"].map((what): Fault => ({
      family: what === "KILL" ? "kill" : "error",
      injections: [{ kind, when: String(nth), what }],
      at: `the program: ${text}`,
    }))
  );
}
