import assert from "node:assert/strict";
import { allCommands, findCommand } from "../../cli/commands.ts";
import { commandHelp, help, overview } from "../../cli/commands/help.ts";
import { catalogue } from "../../tools/catalogue.ts";
import { testEnvironment } from "./environment.ts";

Deno.test("the overview names every command with what it does, and fits the terminal", () => {
  const text = overview(testEnvironment({ columns: 80 }));
  for (const { words, brief } of allCommands()) {
    assert.ok(text.includes(`  ${words.join(" ")} `), words.join(" "));
    assert.ok(text.replaceAll(/\s+/g, " ").includes(brief), brief);
  }
  for (const line of text.split("\n")) assert.ok(line.length <= 80, line);
});

Deno.test("a command's page shows usage, examples, and every option once", async () => {
  for (const command of allCommands().filter(({ tool }) => tool !== undefined)) {
    const text = await commandHelp(command, testEnvironment({ columns: 80 }));
    assert.ok(text.includes(`Usage: shieldfive ${command.words.join(" ")} [OPTION]…`));
    for (const { line } of command.tool!.terminal.examples) assert.ok(text.includes(line), line);
    const { own, common } = await command.options();
    for (const { name } of [...own, ...common]) {
      assert.equal(
        text.match(new RegExp(`^  (-\\w, |    )--(no-)?${name}( |$)`, "gm"))?.length,
        1,
        name,
      );
    }
    for (const line of text.split("\n")) {
      assert.ok(line.length <= 80 || line.includes("shieldfive "), line);
    }
  }
});

Deno.test("a page says nothing of tokens: a terminal asks instead", async () => {
  for (const command of allCommands().filter(({ tool }) => tool?.effect === "change")) {
    const text = await commandHelp(command, testEnvironment());
    assert.doesNotMatch(text, /token|confirm:/i, command.words[0]);
    assert.match(text, /--yes/);
    assert.match(text, /--dry-run/);
  }
});

Deno.test("help explains the program or the command that is named", async () => {
  const environment = testEnvironment();
  assert.equal(await help([], environment), 0);
  assert.equal(environment.stdout.text, overview(environment));
  const named = testEnvironment();
  assert.equal(await help(["trash"], named), 0);
  assert.match(named.stdout.text, /Usage: shieldfive trash/);
  await assert.rejects(() => help(["trsh"], named), /no command "trsh"; did you mean trash\?/);
  await assert.rejects(() => help(["--all"], named), /there is no option "--all"/);
});

Deno.test("every tool is a command, and a mistyped one is refused with the one that was meant", () => {
  for (const tool of catalogue) {
    const { command, rest } = findCommand([...tool.command, "x"]);
    if (tool.effect === "connect") assert.deepEqual(command.words, ["login"]);
    else assert.equal(command.tool, tool);
    assert.deepEqual(rest, ["x"]);
  }
  assert.throws(
    () => findCommand(["sumary"]),
    /there is no command "sumary"; did you mean summary\?/,
  );
  assert.throws(() => findCommand(["rm"]), /there is no command "rm"/);
});
