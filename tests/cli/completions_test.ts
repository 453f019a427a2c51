import assert from "node:assert/strict";
import { completions } from "../../cli/commands/completions.ts";
import { allCommands } from "../../cli/commands.ts";
import { UsageError } from "../../cli/usage.ts";
import { inTempDir } from "../support.ts";
import { testEnvironment } from "./environment.ts";

async function script(shell: string): Promise<string> {
  const environment = testEnvironment();
  assert.equal(await completions([shell], environment), 0);
  return environment.stdout.text;
}

/** What bash offers when the last of these words is being typed. */
async function offered(...words: string[]): Promise<string[]> {
  let found: string[] = [];
  const source = await script("bash");
  await inTempDir((dir) => {
    Deno.writeTextFileSync(`${dir}/completion.bash`, source);
    const line = `source ${dir}/completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); ` +
      `_shieldfive; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = new Deno.Command("bash", {
      args: ["-c", line, "bash", "shieldfive", ...words],
    }).outputSync();
    assert.equal(new TextDecoder().decode(stderr), "");
    found = new TextDecoder().decode(stdout).split("\n").filter((word) => word !== "");
  });
  return found;
}

Deno.test("bash offers commands, options, choices and operands", async () => {
  assert.deepEqual(await offered("tra"), ["trash", "trashed"]);
  assert.deepEqual(await offered("list", "--sort"), ["--sort-by"]);
  assert.deepEqual(await offered("list", "--sort-by", ""), ["path", "size", "modified"]);
  assert.deepEqual(await offered("trash", "--re"), ["--report"]);
  assert.deepEqual(await offered("completions", ""), ["bash", "zsh", "fish"]);
  assert.deepEqual(await offered("help", "mov"), ["move"]);
});

Deno.test("bash leaves files to its own completion", async () => {
  assert.deepEqual(await offered("list", "some"), []);
  assert.deepEqual(await offered("list", "--root", ""), []);
});

Deno.test("every script knows every command and option", async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    const text = await script(shell);
    for (const command of allCommands()) {
      assert.ok(text.includes(command.words[0]), `${shell}: ${command.words[0]}`);
      const { own, common } = await command.options();
      for (const { name } of [...own, ...common]) {
        assert.ok(
          text.includes(shell === "fish" ? `-l ${name} ` : `--${name}`),
          `${shell}: ${name}`,
        );
      }
    }
  }
});

Deno.test("zsh and fish take their scripts, where they are installed", async () => {
  for (const shell of ["zsh", "fish"]) {
    const text = await script(shell);
    await inTempDir((dir) => {
      Deno.writeTextFileSync(`${dir}/script`, text);
      try {
        const { success, stderr } = new Deno.Command(shell, { args: ["-n", `${dir}/script`] })
          .outputSync();
        assert.ok(success, new TextDecoder().decode(stderr));
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
        console.log(`skipped: there is no ${shell} here`);
      }
    });
  }
});

Deno.test("an unknown shell is refused with the one that was meant", async () => {
  const asked = (...args: string[]) => completions(args, testEnvironment());
  await assert.rejects(() => asked("bsh"), /not "bsh"; did you mean bash\?/);
  await assert.rejects(() => asked(), UsageError);
  await assert.rejects(() => asked("bash", "zsh"), UsageError);
});
