// What is on show: each command as it can be typed, below a line that explains it, with what it really
// prints; and each claim once it was checked.

import { type Finished, shellLine, shieldfive, type Surroundings } from "../program.ts";

/** One command with the line that explains it. */
export interface Step {
  says: string;
  args: string[];
  /** Where the output goes in place of the screen, relative to the home folder. */
  into?: string;
  /** What is read in place of the keyboard, likewise. */
  from?: string;
  /** The exit code, where it is not 0. */
  ends?: number;
}

/** Shows a step, and runs it. @throws Error when it ends otherwise than it should */
export async function show(step: Step, surroundings: Surroundings): Promise<void> {
  const { says, args, into, from, ends = 0 } = step;
  const redirects = (from === undefined ? "" : ` < ${from}`) +
    (into === undefined ? "" : ` > ${into}`);
  console.log(`# ${says}\n$ ${shellLine(["shieldfive", ...args])}${redirects}`);
  const { cwd, signal } = surroundings;
  signal?.throwIfAborted();
  const input = from === undefined ? undefined : Deno.readTextFileSync(`${cwd}/${from}`);
  const { code, stdout, stderr }: Finished = await shieldfive(args, surroundings, input);
  if (into !== undefined) Deno.writeTextFileSync(`${cwd}/${into}`, stdout);
  else if (stdout !== "") console.log(stdout.trimEnd());
  if (stderr !== "") console.log(stderr.trimEnd());
  console.log();
  if (code !== ends) throw new Error(`the command ended with exit code ${code}`);
}

/** Says what was checked. @throws Error with the details unless it holds */
export function expect(holds: boolean, sentence: string, details: readonly string[] = []): void {
  if (!holds) throw new Error([`not so: ${sentence}`, ...details].join("\n  "));
  console.log(`# Checked: ${sentence}`);
}
