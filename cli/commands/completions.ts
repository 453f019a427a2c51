// `shieldfive completions SHELL`: a completion script made from the definitions of the commands.

import { quote } from "../../containment/mod.ts";
import { nearest } from "../../tools/input.ts";
import { allCommands } from "../commands.ts";
import type { Environment } from "../environment.ts";
import { HELP } from "../options.ts";
import { parseWords } from "../parse.ts";
import { UsageError } from "../usage.ts";
import { bashScript } from "./completions/bash.ts";
import { fishScript } from "./completions/fish.ts";
import { type Grammar, grammarOf } from "./completions/grammar.ts";
import { zshScript } from "./completions/zsh.ts";

export const SCRIPTS: Record<string, (grammar: Grammar) => string> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** @throws UsageError when no shell, or one that is not known, is named. */
export async function completions(args: string[], environment: Environment): Promise<number> {
  const { operands: [shell, ...more] } = parseWords(args, [HELP]);
  const known = Object.keys(SCRIPTS);
  if (shell === undefined || more.length > 0 || !known.includes(shell)) {
    const near = shell === undefined || more.length > 0 ? undefined : nearest(shell, known);
    throw new UsageError(
      `completions needs one of ${known.join(", ")}` +
        (shell === undefined ? "" : `, not ${quote([shell, ...more].join(" "), 40)}`) +
        (near === undefined ? "" : `; did you mean ${near}?`),
    );
  }
  environment.stdout.write(SCRIPTS[shell](await grammarOf(allCommands())));
  return 0;
}
