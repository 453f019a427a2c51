// The man page says all that the commands say, and comes out of the formatters as it was meant.

import { strict as assert } from "node:assert";
import fc from "fast-check";
import { optionEntry } from "../../cli/commands/help.ts";
import { allCommands } from "../../cli/commands.ts";
import { VARIABLES } from "../../cli/environment.ts";
import { EXIT } from "../../cli/messages.ts";
import { type Option, spelling } from "../../cli/options.ts";
import { manual } from "../../scripts/release/manual.ts";
import { bold, lines, literal, prose } from "../../scripts/release/roff.ts";
import { inTempDir } from "../support.ts";
import { has, TIME } from "./release.ts";

/** Runs a formatter on a page; `plain` is its output without overstrikes, in one line. */
async function formatted(
  command: string[],
  page: string,
): Promise<{ plain: string; said: string }> {
  let result = { plain: "", said: "" };
  await inTempDir((dir) => {
    Deno.writeTextFileSync(`${dir}/page.1`, page);
    const [program, ...args] = command;
    const { stdout, stderr } = new Deno.Command(program, {
      args: [...args, `${dir}/page.1`],
      env: { LC_ALL: "C.UTF-8", MANWIDTH: "1000", MANPAGER: "cat", GROFF_NO_SGR: "1" },
    }).outputSync();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    const plain = text(stdout).replaceAll(/.\x08/gu, "").replaceAll(/\s+/g, " ");
    result = { plain, said: text(stderr) };
  });
  return result;
}

const MANDOC = ["mandoc", "-T", "utf8", "-O", "width=1000"];
const GROFF = ["groff", "-man", "-Tutf8", "-P-cbou", "-rLL=1000n", "-ww"];

/** Whether a part of the page has the option's tag with what the option does below it. */
function explains(part: string, option: Option): boolean {
  const [, does] = optionEntry(option);
  const parts = [bold(spelling(option)), prose(`${does}.`).join("\n")].map(RegExp.escape);
  return new RegExp(`^\\.TP\n.*${parts[0]}.*\n${parts[1]}$`, "m").test(part);
}

Deno.test("the man page has every command with all of its options", async () => {
  const page = await manual("1.2.3", TIME);
  const shared = page.split('\n.SH "COMMON OPTIONS"\n')[1].split("\n.SH ")[0];
  for (const command of allCommands()) {
    const name = command.words.join(" ");
    const part = page.split(`\n.SS "${literal(name)} `)[1]?.split(/\n\.S[SH] /)[0];
    assert.ok(part, `the page has nothing about ${name}`);
    const { own, common } = await command.options();
    for (const option of own) assert.ok(explains(part, option), `${name}, ${option.name}`);
    for (const option of common) {
      assert.ok(part.includes(bold(spelling(option))), `${name}, ${option.name}`);
      assert.ok([part, shared].some((text) => explains(text, option)), `${name}, ${option.name}`);
    }
  }
});

Deno.test("the man page has its sections in the usual order, and its tables are whole", async () => {
  const page = await manual("1.2.3", TIME);
  const titles = [...page.matchAll(/^\.SH "?([^"\n]+)"?$/gm)].map((match) => match[1]);
  assert.deepEqual(titles, [
    "NAME",
    "SYNOPSIS",
    "DESCRIPTION",
    "COMMANDS",
    "COMMON OPTIONS",
    "EXIT STATUS",
    "ENVIRONMENT",
    "FILES",
    "EXAMPLES",
    "SECURITY",
  ]);
  assert.match(page, /^\.TH SHIELDFIVE 1 2026-03-29 "shieldfive 1\.2\.3" /m);
  for (const code of Object.values(EXIT)) assert.ok(page.includes(`\n.TP\n\\fB${code}\\fR\n`));
  for (const name of VARIABLES) assert.ok(page.includes(`\n.TP\n\\fB${name}\\fR\n`), name);
  for (const { examples, tool } of allCommands()) {
    for (const { line } of examples ?? tool?.terminal.examples ?? []) {
      assert.ok(page.includes(`\n.TP\n${bold(line)}\n`), line);
    }
  }
  assert.equal(page, await manual("1.2.3", TIME));
  // deno-lint-ignore no-control-regex
  assert.match(page, /^[\x20-\x7e\n]*$/, "a man page is ASCII, so that every formatter takes it");
});

Deno.test("mandoc finds nothing to say about the man page", async () => {
  if (!has("mandoc")) return;
  const { plain } = await formatted(
    ["mandoc", "-T", "lint", "-W", "all"],
    await manual("1.2.3", TIME),
  );
  assert.equal(plain, "");
});

Deno.test("man and groff show the man page without a warning", async () => {
  const page = await manual("1.2.3", TIME);
  // Only the man of Linux takes a file and warns.
  const man = Deno.build.os === "linux" ? [["man", "--warnings", "-l"]] : [];
  for (const command of [...man, GROFF]) {
    if (!has(command[0])) continue;
    const { plain, said } = await formatted(command, page);
    assert.equal(said, "", command[0]);
    for (const text of ["--sort-by path|size|modified", "~/.config/shieldfive", "2026-03-29"]) {
      assert.ok(plain.includes(text), `${command[0]}: ${text}`);
    }
  }
});

/** Characters with a meaning in roff, and others. */
const TEXT = fc.array(
  fc.oneof(
    fc.constantFrom(
      "\\",
      ".",
      "'",
      "-",
      '"',
      "`",
      "^",
      "~",
      "%",
      "#",
      "…",
      "é",
      "a",
      "B",
      "1",
      " ",
    ),
    fc.constantFrom("\\fB", "\\(rs", ".SH", "''", "\\&", "--", '\\"', "\\n(.$"),
  ),
  { minLength: 1, maxLength: 12 },
).map((parts) => parts.join("").replaceAll(/\s+/g, " ").trim()).filter((text) => text !== "");

Deno.test("escaped text comes out of the formatters to the letter", async () => {
  const texts = fc.sample(TEXT, { seed: 5, numRuns: 150 });
  const body = texts.flatMap((text) => [".sp", ...lines(literal(`${text} END`))]);
  const pages: [string[], string[]][] = [
    [MANDOC, [".TH A 1 2026-01-01 a b", ".SH NAME", "a \\- b", ".SH START"]],
    // Without the macros for man pages, which some systems change to undo groff's typography. Only
    // these macros turn the minus into the character that is typed.
    [["groff", "-Tutf8", "-P-cbou", "-ww"], [".ll 1000n", ".nr HY 0", "START"]],
  ];
  for (const [command, head] of pages) {
    if (!has(command[0])) continue;
    const { plain } = await formatted(command, [...head, ...body].join("\n") + "\n");
    const shown = plain.replaceAll("\u2212", "-").split("START ")[1].split(" END ").slice(
      0,
      texts.length,
    );
    assert.deepEqual(shown.map((text) => text.replace(/ END$/, "").trim()), texts, command[0]);
  }
});

Deno.test("running text keeps its hyphens, and has its dashes and code to the letter", () => {
  assert.deepEqual(prose("A self-made `--dry-run` - or none. Next: `a\\b`."), [
    "A self-made \\fB\\-\\-dry\\-run\\fR \\- or none.",
    "Next: \\fBa\\(rsb\\fR.",
  ]);
  assert.equal(literal("~/.config ^"), "\\(ti/.config \\(ha");
  assert.deepEqual(prose(".hidden isn't"), ["\\&.hidden isn't"]);
  assert.ok(prose("word ".repeat(60)).every((line) => line.length <= 78));
});
