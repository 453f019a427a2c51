// Whether the executable explains itself: its version, the page of every command, completions, doctor,
// and what it says to a command line that it does not understand. The commands are those of the
// catalogue, so a new one is tried without a word here.

import { fileURLToPath } from "node:url";
import { allCommands, type Command } from "../../cli/commands.ts";
import { spelling } from "../../cli/options.ts";
import { placesOf } from "../../cli/places.ts";
import { VERSION } from "../../cli/version.ts";
import { catalogue } from "../../tools/catalogue.ts";
import { roomKinds } from "../../tools/session.ts";
import { commitOf } from "../compile/commit.ts";
import { fingerprint } from "../home.ts";
import { type Area, type Check, expect, expectEqual, expectMatch } from "./check.ts";
import type { Finished, Json, Subject } from "./subject.ts";
import { expectUnchanged } from "./tree.ts";

/** The folder of this checkout, which the executable was built from. */
const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

export const help: Area = {
  name: "help",
  checks: [
    {
      name: "--version says the version, and of what was built the commit",
      run: version,
    },
    { name: "help lists the commands of the catalogue and no others", run: overview },
    ...allCommands().map(explains),
    ...allCommands().map(refusesUnknownOption),
    { name: "an unknown command is refused with exit code 2", run: unknownCommand },
    ...shells().map(completes),
    {
      name: "doctor finds nothing wrong, shows version, places and rooms, and changes nothing",
      run: doctor,
    },
  ],
};

/** @throws Unexpected unless it ended well and said nothing on stderr. */
function expectQuiet({ code, stderr }: Finished): void {
  expectEqual("exit code", code, 0);
  expectEqual("on stderr", stderr, "");
}

async function version(subject: Subject): Promise<string> {
  const run = await subject.run(["--version"]);
  expectQuiet(run);
  const form = /^shieldfive (\d+\.\d+\.\d+\S*)(?: \(([0-9a-f]{7,40})(?:, modified)?\))?\n$/;
  const [, told, commit] = form.exec(run.stdout) ?? [];
  expectMatch("a version", run.stdout, form);
  expectEqual("the version", told, VERSION);
  const { output } = await subject.json(["doctor"], subject.folder());
  const started = output.sections.flatMap(({ findings }: Json) => findings)
    .find(({ check }: Json) => check === "program.started").data.how;
  const built = started !== "sources" && commitOf(PROJECT) !== undefined;
  expect(!built || commit !== undefined, "the commit that it was built from", run.stdout);
  return run.stdout.trimEnd();
}

async function overview(subject: Subject): Promise<void> {
  const run = await subject.run(["help"]);
  expectQuiet(run);
  for (const words of [[], ["--help"], ["-h"]]) {
    expectEqual(`${words[0] ?? "no argument"}: what help says,`, await subject.run(words), run);
  }
  const [, listed] = /\n\n(Look .*)\n\nExamples:/s.exec(run.stdout) ?? [];
  const names = [...(listed ?? "").matchAll(/^ {2}(\S+(?: \S+)*)(?: {2}|$)/gm)];
  expectEqual(
    "the commands",
    names.map(([, name]) => name).sort(),
    allCommands().map(({ words }) => words.join(" ")).sort(),
  );
}

function explains(command: Command): Check {
  const words = command.words.join(" ");
  return {
    name: `${words} --help explains the command with all of its options`,
    async run(subject) {
      const page = await subject.run([...command.words, "--help"]);
      expectQuiet(page);
      expect(page.stdout.startsWith(`${command.brief}\n`), `"${command.brief}" first`, page.stdout);
      expect(page.stdout.includes(`shieldfive ${words} `), "how it is used", page.stdout);
      const { own, common } = await command.options();
      for (const option of [...own, ...common].map(spelling)) {
        expect(page.stdout.includes(` ${option} `), option, page.stdout);
      }
    },
  };
}

function refusesUnknownOption({ words }: Command): Check {
  return {
    name: `${words.join(" ")} refuses an option that it does not know with exit code 2`,
    run: async (subject) =>
      expectUsageError(await subject.run([...words, "--no-such-option"]), "--no-such-option"),
  };
}

async function unknownCommand(subject: Subject): Promise<void> {
  expectUsageError(await subject.run(["no-such-command"]), "no-such-command");
}

function expectUsageError({ code, stdout, stderr }: Finished, named: string): void {
  expectEqual("exit code", code, 2);
  expectEqual("on stdout", stdout, "");
  expectMatch("on stderr", stderr, /^shieldfive: error: [^\n]*\n(shieldfive: hint: [^\n]*\n)?$/);
  expect(stderr.includes(named), `${named} in the message`, stderr);
}

function shells(): string[] {
  const usage = allCommands().find(({ words }) => words[0] === "completions")?.usage ?? "";
  return usage.split("|");
}

function completes(shell: string): Check {
  return {
    name: `completions ${shell} is a script with every command that the shell accepts`,
    async run(subject) {
      const script = await subject.run(["completions", shell]);
      expectQuiet(script);
      for (const { words } of allCommands()) {
        expect(script.stdout.includes(words[0]), words[0], script.stdout);
      }
      const file = `${subject.folder()}/script`;
      Deno.writeTextFileSync(file, script.stdout);
      return await syntax(shell, file);
    },
  };
}

/** Lets the shell read the script without running it; says so where there is no such shell. */
async function syntax(shell: string, file: string): Promise<string | void> {
  try {
    const { code, stderr } = await new Deno.Command(shell, { args: ["-n", file] }).output();
    expectEqual(`the exit code of ${shell} -n`, [code, new TextDecoder().decode(stderr)], [0, ""]);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return `not read by ${shell}, which is not here`;
  }
}

async function doctor(subject: Subject): Promise<void> {
  const root = subject.folder();
  Deno.writeTextFileSync(`${root}/a.txt`, "a");
  const before = fingerprint(root);
  const run = await subject.run(["doctor", "--root", root]);
  expectQuiet(run);
  const places = Object.values(placesOf(subject.environment, subject.home) ?? {});
  const connecting = ["keychain", "credential", "connect"];
  const rooms = [...roomKinds(catalogue), ...connecting, "serve-front", "serve-store"];
  for (const told of [`shieldfive ${VERSION}`, ...places, root, ...rooms]) {
    expect(run.stdout.includes(told), told, run.stdout);
  }
  expectUnchanged(before, root);
}
