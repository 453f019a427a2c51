// Real shells, asked for completions: bash and zsh on a pseudo-terminal, where keys are pressed and what
// the completed line gives the program is written down; fish by its own command for that.

import assert from "node:assert/strict";
import { type Grammar, grammarOf } from "../../cli/commands/completions/grammar.ts";
import { SCRIPTS } from "../../cli/commands/completions.ts";
import { allCommands, type Command } from "../../cli/commands.ts";
import { onTerminal } from "../cli/program.ts";
import { inTempDir } from "../support.ts";

export type Shell = "bash" | "zsh" | "fish";
export const SHELLS: readonly Shell[] = ["bash", "zsh", "fish"];

/** The keys that put every match into the line, as the set-up below binds them. */
const ALL_MATCHES = "\x1b*";

/** Whether the shell, or another program, is here; says so when it is not. */
export function installed(program: string): boolean {
  try {
    new Deno.Command(program, { args: ["--version"], stdout: "null", stderr: "null" }).outputSync();
    return true;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    console.log(`skipped: there is no ${program} here`);
    return false;
  }
}

/** The completion script for a shell. */
export async function scriptFor(
  shell: Shell,
  commands: readonly Command[] = allCommands(),
): Promise<string> {
  const grammar: Grammar = await grammarOf(commands);
  return SCRIPTS[shell](grammar);
}

/** Where and how a shell is asked. */
export interface Asked {
  cwd: string;
  /** Shell code that puts the completion in place. Left out: the script for all commands is read. */
  setUp?: string;
  /** The home of the shell; a fresh one when left out. */
  home?: string;
}

/** What stands for the program writes its arguments down: NUL after each, and one more after all. */
const STAND_IN: Record<Shell, string> = {
  bash: `set -o emacs; set +o history
shieldfive() { printf '%s\\0' "$@" '' >> "$RECORD"; }
PROMPT_COMMAND='PS1="<$((++asked))>"'
`,
  zsh: `bindkey -e; unsetopt prompt_sp beep
shieldfive() { printf '%s\\0' "$@" '' >> "$RECORD"; }
precmd() { PS1="<$((++asked))>"; }
zle -C all-matches complete-word _generic
zstyle ':completion:all-matches::::' completer _all_matches _complete
zstyle ':completion:all-matches:*' insert true
bindkey '^[*' all-matches
`,
  fish: `function shieldfive; printf '%s\\0' $argv '' >> $RECORD; end
function count_prompts --on-event fish_prompt; set -g asked (math 0$asked + 1); end
function fish_prompt; printf '<%s>' $asked; end
function fish_greeting; end
`,
};

const STARTED: Record<Shell, (dir: string) => string[]> = {
  bash: (dir) => ["bash", "--noprofile", "--rcfile", `${dir}/init`, "-i"],
  zsh: () => ["zsh", "-d", "-i"],
  fish: (dir) => ["fish", "--no-config", "-i", "--init-command", `source ${dir}/init`],
};

/** Reads a script into a shell. */
export function reading(shell: Shell, file: string): string {
  const before = shell === "zsh" ? "autoload -Uz compinit; compinit -D -u\n" : "";
  return `${before}source '${file}'\n`;
}

export interface Typed {
  /** The arguments that the program got from each line. */
  records: string[][];
  /** All that the terminal was sent. */
  screen: string;
}

/**
 * Types lines into a shell, with the keys in them, each with a return after it. Undefined, after saying
 * why, where the shell is not here.
 */
export async function typed(
  shell: Shell,
  lines: string[],
  { cwd, setUp, home }: Asked,
): Promise<Typed | undefined> {
  if (!installed(shell)) return undefined;
  let outcome: Typed | undefined;
  await inTempDir(async (dir) => {
    Deno.writeTextFileSync(`${dir}/script`, await scriptFor(shell));
    Deno.writeTextFileSync(`${dir}/record`, "");
    const init = (setUp ?? reading(shell, `${dir}/script`)) + "\n" + STAND_IN[shell];
    for (const name of ["init", ".zshrc"]) Deno.writeTextFileSync(`${dir}/${name}`, init);
    const answers = [...lines, "exit"].map((line, i): [string, string] => [
      `<${i + 1}>`,
      `${line}\r`,
    ]);
    const env = { ...homeOnly(home ?? dir), ZDOTDIR: dir, RECORD: `${dir}/record` };
    const run = await onTerminal(STARTED[shell](dir), answers, { cwd, env, columns: 1000 });
    if (run === undefined) return;
    outcome = {
      records: recordsIn(Deno.readTextFileSync(`${dir}/record`)),
      screen: run.screen,
    };
    assert.equal(outcome.records.length, lines.length, run.screen);
  });
  return outcome;
}

/** The variables that make this folder the home. */
function homeOnly(home: string): Record<string, string> {
  return {
    HOME: home,
    XDG_CONFIG_HOME: `${home}/.config`,
    XDG_DATA_HOME: `${home}/.local/share`,
    INPUTRC: "/dev/null",
    LC_ALL: "C.UTF-8",
  };
}

function recordsIn(text: string): string[][] {
  const records: string[][] = [[]];
  for (const word of text.split("\0").slice(0, -1)) {
    if (word === "") records.push([]);
    else records.at(-1)!.push(word);
  }
  return records.slice(0, -1);
}

/**
 * What a shell offers at the end of each line, sorted, without the slash of a folder and without the
 * option that a value belongs to. Undefined, after saying why, where the shell is not here.
 */
export async function offered(
  shell: Shell,
  lines: string[],
  asked: Asked,
): Promise<string[][] | undefined> {
  if (shell === "fish") return await offeredByFish(lines, asked);
  const outcome = await typed(shell, lines.map((line) => line + ALL_MATCHES), asked);
  return outcome?.records.map((words, i) => {
    const before = lines[i].split(" ").slice(1);
    const current = before.pop()!;
    assert.deepEqual(words.slice(0, before.length), before, lines[i]);
    const matches = words.slice(before.length);
    return matches.join() === current ? [] : bare(matches, current);
  });
}

function bare(matches: string[], current: string): string[] {
  const option = /^--[\w-]+=/.exec(current)?.[0] ?? "";
  return matches.map((match) => match.startsWith(option) ? match.slice(option.length) : match)
    .map((match) => match.replace(/(?<=.)[/=]$/, "")).sort();
}

const FISH_ANSWERS = `
for line in $LINES
    for found in (complete --escape -C $line)
        printf '%s\\0' (string unescape -- (string replace -r '\\t.*' '' -- $found) | string collect)
    end
    printf '\\0'
end
`;

async function offeredByFish(lines: string[], asked: Asked): Promise<string[][] | undefined> {
  if (!installed("fish")) return undefined;
  let records: string[][] = [];
  await inTempDir(async (dir) => {
    Deno.writeTextFileSync(`${dir}/script`, await scriptFor("fish"));
    const setUp = asked.setUp ?? reading("fish", `${dir}/script`);
    const { success, stdout, stderr } = await new Deno.Command("fish", {
      args: [
        ...(asked.home === undefined ? ["--no-config"] : []),
        "-c",
        `${setUp}\nset LINES $argv${FISH_ANSWERS}`,
        ...lines,
      ],
      cwd: asked.cwd,
      env: homeOnly(asked.home ?? dir),
    }).output();
    const text = new TextDecoder();
    assert.ok(success, text.decode(stderr));
    assert.equal(text.decode(stderr), "");
    records = recordsIn(text.decode(stdout));
  });
  return records.map((matches, i) => bare(matches, lines[i].split(" ").at(-1)!));
}

/** A line, and what is offered at its end. */
export type Case = [line: string, offered: string[]];

/** Holds what a shell offers against the cases, where the shell is here. */
export async function check(shell: Shell, cases: Case[], asked: Asked): Promise<void> {
  const found = await offered(shell, cases.map(([line]) => line), asked);
  for (const [i, [line, expected]] of cases.entries()) {
    if (found !== undefined) assert.deepEqual(found[i], [...expected].sort(), `${shell}: ${line}`);
  }
}
