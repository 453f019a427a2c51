// `shieldfive setup`, alone: says what can be set up.

import type { Environment } from "../environment.ts";
import { nearest } from "../../tools/input.ts";
import { quote } from "../../containment/mod.ts";
import { HELP } from "../options.ts";
import { parseWords } from "../parse.ts";
import { UsageError } from "../usage.ts";

/** What can be set up, each a command of its own. */
const KINDS: [word: string, does: string][] = [
  ["client", "let an assistant use shieldfive: writes the entry into its configuration"],
];

/** @throws UsageError when something is named that cannot be set up. */
export function setup(args: string[], environment: Environment): Promise<number> {
  const { operands: [kind] } = parseWords(args, [HELP]);
  const words = KINDS.map(([word]) => word);
  if (kind !== undefined) {
    const near = nearest(kind, words);
    throw new UsageError(
      `there is no setup of ${quote(kind, 60)}` +
        (near === undefined ? "" : `; did you mean ${near}?`),
      `what can be set up: ${words.join(", ")}`,
    );
  }
  const lines = KINDS.map(([word, does]) => `  shieldfive setup ${word}  ${does}`);
  environment.stdout.write(["What can be set up:", ...lines].join("\n") + "\n");
  return Promise.resolve(0);
}
