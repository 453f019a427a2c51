import assert from "node:assert/strict";
import { allCommands, type Command } from "../../cli/commands.ts";
import { completions } from "../../cli/commands/completions.ts";
import { grammarOf } from "../../cli/commands/completions/grammar.ts";
import { commandHelp } from "../../cli/commands/help.ts";
import { UsageError } from "../../cli/usage.ts";
import { inTempDir } from "../support.ts";
import { testEnvironment } from "./environment.ts";

async function script(shell: string): Promise<string> {
  const environment = testEnvironment();
  assert.equal(await completions([shell], environment), 0);
  return environment.stdout.text;
}

/** A command of which only the words and the usage line matter. */
function command(words: string, usage: string): Command {
  return {
    words: words.split(" "),
    usage,
    brief: `What ${words} does`,
    group: "more",
    options: () => ({ own: [], common: [] }),
    run: () => Promise.resolve(0),
  };
}

Deno.test("the words of a usage line say what its operands are", async () => {
  const operands = async (usage: string) => {
    const { commands } = await grammarOf([command("x", usage)]);
    return commands[0].operands.map(({ name, offers, many }) =>
      `${name}: ${offers.map(({ kind }) => kind).join("+") || "any"}${many ? ", many" : ""}`
    );
  };
  assert.deepEqual(await operands(""), []);
  assert.deepEqual(await operands("[DIR…]"), ["DIR: folder, many"]);
  assert.deepEqual(await operands("SRC DEST"), ["SRC: path", "DEST: path"]);
  assert.deepEqual(await operands("PATH NAME"), ["PATH: path", "NAME: any"]);
  assert.deepEqual(await operands("[BATCH|PATH…]"), [
    "BATCH|PATH: batch+path",
    "PATH: path, many",
  ]);
});

Deno.test("a word that only begins names says which words follow it", async () => {
  const { steps } = await grammarOf([
    command("run", ""),
    command("setup client", ""),
    command("setup mcp", ""),
    command("run all", ""),
  ]);
  assert.deepEqual(steps, [
    {
      after: "",
      next: [{ word: "run", does: "What run does" }, { word: "setup", does: "client, mcp" }],
    },
    {
      after: "setup",
      next: [
        { word: "client", does: "What setup client does" },
        { word: "mcp", does: "What setup mcp does" },
      ],
    },
    { after: "run", next: [{ word: "all", does: "What run all does" }] },
  ]);
});

/** What stands for text that no shell can look up: ITEM, WHERE and PLACE are in a vault. */
const ANY_TEXT = new Set(
  "NAME TEXT N SIZE AGE LIST SET,… ADDRESS URL ITEM ITEM… WHERE PLACE".split(" "),
);

Deno.test("every place of a command is looked up, or known to take any text", async () => {
  const { commands } = await grammarOf(allCommands());
  for (const { name, options, operands } of commands) {
    const places = [...operands, ...options.flatMap(({ value }) => value ?? [])];
    for (const place of places.filter(({ offers }) => offers.length === 0)) {
      const why = `${name}: say in completions/grammar.ts what ${place.name} is, or here`;
      assert.ok(ANY_TEXT.has(place.name), why);
    }
  }
});

Deno.test("nothing that is offered needs quoting", async () => {
  const { steps, commands } = await grammarOf(allCommands());
  const offers = commands.flatMap(({ options, operands }) => [
    ...operands.flatMap(({ offers }) => offers),
    ...options.flatMap(({ value }) => value?.offers ?? []),
  ]);
  const words = [
    ...steps.flatMap(({ next }) => next.map(({ word }) => word)),
    ...offers.flatMap((offer) => "words" in offer ? offer.words : []),
  ];
  for (const word of words) assert.match(word, /^[a-z0-9][a-z0-9_.-]*$/i);
});

Deno.test("every script knows every command and option", async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    const text = await script(shell);
    for (const command of allCommands()) {
      for (const word of command.words) assert.ok(text.includes(word), `${shell}: ${word}`);
      const { own, common } = await command.options();
      for (const { name } of [...own, ...common]) {
        const spelled = new RegExp(shell === "fish" ? `-l (no-)?${name} ` : `--(no-)?${name}\\b`);
        assert.match(text, spelled, `${shell}: ${name}`);
      }
    }
  }
});

Deno.test("each shell takes its script, and shellcheck finds nothing in the one for bash", async () => {
  const checks: [shell: string, ...checker: string[]][] = [
    ["bash", "bash", "-n"],
    ["bash", "shellcheck", "--shell=bash"],
    ["zsh", "zsh", "-n"],
    ["fish", "fish", "--no-config", "-n"],
  ];
  for (const [shell, checker, ...options] of checks) {
    const text = await script(shell);
    await inTempDir((dir) => {
      Deno.writeTextFileSync(`${dir}/script`, text);
      try {
        const { success, stdout, stderr } = new Deno.Command(checker, {
          args: [...options, `${dir}/script`],
        }).outputSync();
        const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
        assert.ok(success, said);
        assert.equal(said, "");
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
        console.log(`skipped: there is no ${checker} here`);
      }
    });
  }
});

Deno.test("the script for bash keeps to bash 3.2, and runs no program", async () => {
  const text = await script("bash");
  const newer = /\bmapfile\b|readarray|\b(declare|local|typeset) -[Angl]|coproc|\|&|&>>|;&|\[\[ -v/;
  assert.doesNotMatch(text, newer);
  assert.doesNotMatch(text, /\$\{[^}]*(\^|,,|@[A-Za-z]\})|\$\{\w+\[-|\{\w+\.\.\w+\.\./);
  assert.doesNotMatch(text, /\$\((?!\()|<\(|^[^#]*`/m);
});

Deno.test("an unknown shell is refused with the one that was meant", async () => {
  const asked = (...args: string[]) => completions(args, testEnvironment());
  await assert.rejects(() => asked("bsh"), /not "bsh"; did you mean bash\?/);
  await assert.rejects(() => asked("bash", "zsh"), /needs one of bash, zsh, fish, not "bash zsh"$/);
  await assert.rejects(() => asked(), UsageError);
});

Deno.test("help says where each shell looks for its script", async () => {
  const command = allCommands().find(({ words }) => words[0] === "completions")!;
  const page = await commandHelp(command, testEnvironment());
  for (const place of ["bash-completion/completions/shieldfive", ".bashrc", "$fpath", ".zshrc"]) {
    assert.ok(page.includes(place), place);
  }
  assert.ok(page.includes(".config/fish/completions/shieldfive.fish"));
});
