// Commands that share their first word, such as `vault list` and `vault read`: the word alone says which
// there are.

import { quote } from "../../containment/mod.ts";
import { nearest } from "../../tools/input.ts";
import { allCommands } from "../commands.ts";
import type { Environment } from "../environment.ts";
import { HELP } from "../options.ts";
import { parseWords } from "../parse.ts";
import { UsageError } from "../usage.ts";

/**
 * Lists the commands that begin with a word.
 *
 * @throws UsageError for a second word that none of them has.
 */
export function family(first: string, args: string[], environment: Environment): Promise<number> {
  const { operands: [second] } = parseWords(args, [HELP]);
  const members = allCommands()
    .filter(({ words }) => words.length > 1 && words[0] === first)
    .map(({ words, brief }) => ({ word: words.slice(1).join(" "), brief }));
  const known = members.map(({ word }) => word);
  if (second !== undefined) {
    const near = nearest(second, known);
    throw new UsageError(
      `there is no command ${first} ${quote(second, 60)}` +
        (near === undefined ? "" : `; did you mean ${first} ${near}?`),
      `there is: ${known.join(", ")}`,
    );
  }
  const width = Math.max(...known.map((word) => word.length));
  const lines = members.map(({ word, brief }) =>
    `  shieldfive ${first} ${word.padEnd(width)}  ${brief}`
  );
  environment.stdout.write(`${lines.join("\n")}\n`);
  return Promise.resolve(0);
}
