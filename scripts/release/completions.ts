// The completion scripts as files, under the names by which each shell finds them.

import { completions } from "../../cli/commands/completions.ts";
import type { Environment } from "../../cli/environment.ts";
import type { Entry } from "./archive.ts";

const NAMES = { bash: "shieldfive.bash", fish: "shieldfive.fish", zsh: "_shieldfive" };

export async function completionFiles(): Promise<Entry[]> {
  return await Promise.all(
    Object.entries(NAMES).map(async ([shell, name]) => ({
      path: `completions/${name}`,
      bytes: new TextEncoder().encode(await printed(shell)),
    })),
  );
}

/** What `shieldfive completions SHELL` prints. */
async function printed(shell: string): Promise<string> {
  let text = "";
  const nothing = { isTerminal: false, write: () => {} };
  const environment: Environment = {
    variables: {},
    stdin: { isTerminal: false, readAll: () => new Uint8Array() },
    stdout: { isTerminal: false, write: (part) => void (text += part) },
    stderr: nothing,
    columns: 80,
  };
  await completions([shell], environment);
  return text;
}
