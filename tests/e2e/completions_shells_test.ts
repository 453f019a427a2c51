// What the shells do with the scripts beside offering words: names arrive whole, and the scripts are found
// and work where people keep them and under the options that people set.

import assert from "node:assert/strict";
import { INSTALLATION } from "../../cli/commands/completions/installation.ts";
import { COMMAND } from "../cli/program.ts";
import { exists, inTempDir, plant } from "../support.ts";
import { type Case, check, reading, scriptFor, type Shell, SHELLS, typed } from "./completing.ts";

/** Names that a shell could misread, by what is typed of each in front of the TAB. */
const HARD_NAMES: [typed: string, name: string][] = [
  ["spa", "spa ce  twice"],
  ["end", "ends with space "],
  ["quo", `quo"te'and\`tick`],
  ["dol", "dol$(touch ran)lar $HOME `touch ran`"],
  ["sem", "semi;touch ran;&|<>"],
  ["glo", "glob*?[a]{b,c}"],
  ["lin", "line\nbreak"],
  ["bac", "back\\slash\\n"],
  ["ban", "bang!!#hash"],
  ["eq", "eq=ual"],
  ["col", "col:on@at"],
  ["per", "per%cent^caret"],
  ["ün", "ünïcödé 日本 🙂"],
  ["e\u0301", "e\u0301 decomposed"],
  ["\\~t", "~tilde"],
  ["-- -d", "-dash"],
];

Deno.test("a name that the shell completed arrives as it is, and nothing in it is run", () =>
  inTempDir(async (dir) => {
    for (const [, name] of HARD_NAMES) {
      plant(dir, { [`files/${name}`]: "", [`folders/${name}/`]: "" });
    }
    for (const shell of SHELLS) {
      await arrives(shell, `${dir}/files`, "trash ", HARD_NAMES);
      await arrives(shell, `${dir}/folders`, "mkdir ", HARD_NAMES);
      // After an = a dash needs no --, and zsh completes no quoted tilde.
      const afterOption = HARD_NAMES.filter(([part]) => !part.startsWith("\\~"))
        .map(([part, name]): [string, string] => [part.replace("-- ", ""), name]);
      await arrives(shell, `${dir}/folders`, "list --root=", afterOption);
    }
  }));

/** Types the beginning of each name and TAB, and looks at what the program got. */
async function arrives(
  shell: Shell,
  cwd: string,
  begun: string,
  names: [typed: string, name: string][],
): Promise<void> {
  const before = [...Deno.readDirSync(cwd)].length;
  const lines = names.map(([part]) => `shieldfive ${begun}${part}\t`);
  const outcome = await typed(shell, lines, { cwd });
  for (const [i, words] of (outcome?.records ?? []).entries()) {
    const name = words.at(-1)!.replace(/^--root=/, "").replace(/\/$/, "");
    assert.equal(name, names[i][1], `${shell}: ${lines[i]}`);
  }
  assert.equal([...Deno.readDirSync(cwd)].length, before, shell);
}

Deno.test("bash completes without what bash 3.2 lacks, and under the options that break scripts", () =>
  inTempDir(async (dir) => {
    plant(dir, { "here/photos/": "", "here/notes.txt": "" });
    Deno.writeTextFileSync(`${dir}/script`, await scriptFor("bash"));
    const source = reading("bash", `${dir}/script`);
    const cases: Case[] = [
      ["shieldfive tra", ["trash", "trashed"]],
      ["shieldfive list --sort-by=", ["modified", "path", "size"]],
      ["shieldfive list --sort-by size --so", []],
      ["shieldfive help mk", ["mkdir"]],
      ["shieldfive trash n", ["notes.txt"]],
      ["shieldfive list ph", ["photos"]],
      ["shieldfive restore n", ["notes.txt"]],
    ];
    const asked = { cwd: `${dir}/here` };
    await check("bash", cases, { ...asked, setUp: `enable -n compopt\n${source}` });
    const odd = "asked=0; set -u; shopt -s failglob nocasematch; IFS=:";
    await check("bash", cases, { ...asked, setUp: `${source}\n${odd}` });
    // Where = breaks no words, the word that is completed begins with the option.
    const whole = "COMP_WORDBREAKS=${COMP_WORDBREAKS//[=:]/}";
    await check("bash", cases, { ...asked, setUp: `${source}\n${whole}` });
  }));

Deno.test("bash completes files after a redirection, also where folders are operands", () =>
  inTempDir(async (dir) => {
    plant(dir, { "report.json": "" });
    const lines = [
      "shieldfive dupes > rep\t",
      "shieldfive dupes >rep\t",
      "shieldfive dupes 2> rep\t",
    ];
    const outcome = await typed("bash", lines, { cwd: dir });
    for (const words of outcome?.records ?? []) assert.deepEqual(words, ["dupes"]);
    // A name that was not completed would be a new file.
    assert.deepEqual([...Deno.readDirSync(dir)].map(({ name }) => name), ["report.json"]);
  }));

/** What makes a shell find the script where help says that it goes, by the line that help shows. */
const INSTALLED: { shell: Shell; part: string; needs?: string; setUp(home: string): string }[] = [
  {
    shell: "bash",
    part: "> ~/.local",
    needs: "/usr/share/bash-completion/bash_completion",
    setUp: () => "source /usr/share/bash-completion/bash_completion",
  },
  { shell: "bash", part: "eval", setUp: (home) => `source ${home}/line` },
  {
    shell: "zsh",
    part: "> ~/.zsh",
    setUp: () => "fpath=(~/.zsh/completions $fpath); autoload -Uz compinit; compinit -D -u",
  },
  {
    shell: "zsh",
    part: "source",
    setUp: (home) => `autoload -Uz compinit; compinit -D -u; source ${home}/line`,
  },
  { shell: "fish", part: "> ~/.config/fish", setUp: () => "" },
];

Deno.test("each line that help shows puts the completion in its place", () =>
  inTempDir(async (dir) => {
    // The runtime's cache stays where it is, whatever home the shell has.
    const started = `HOME='${Deno.env.get("HOME")}' exec ${COMMAND.join(" ")} "$@"`;
    plant(dir, { "bin/shieldfive": `#!/bin/sh\n${started}\n` });
    Deno.chmodSync(`${dir}/bin/shieldfive`, 0o755);
    assert.equal(INSTALLED.length, INSTALLATION.length);
    for (const [i, { shell, part, needs, setUp }] of INSTALLED.entries()) {
      const { line } = INSTALLATION.find(({ line }) =>
        line.includes(part) && line.includes(shell)
      )!;
      const home = `${dir}/home${i}`;
      plant(home, { "line": `${line}\n`, "empty/": "" });
      const [, folder] = /> ~(.*)\/[^/]*$/.exec(line) ?? [];
      if (folder !== undefined) {
        Deno.mkdirSync(home + folder, { recursive: true });
        const { success } = new Deno.Command("sh", {
          args: [`${home}/line`],
          env: { HOME: home, PATH: `${dir}/bin:${Deno.env.get("PATH")}` },
        }).outputSync();
        assert.ok(success, line);
      }
      if (needs !== undefined && !exists(needs)) {
        console.log(`skipped: there is no ${needs} here`);
        continue;
      }
      await check(shell, [["shieldfive tra", ["trash", "trashed"]]], {
        cwd: `${home}/empty`,
        setUp: `export PATH="${dir}/bin:$PATH"\n${setUp(home)}`,
        home,
      });
    }
  }));
