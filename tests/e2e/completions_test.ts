// Completion in the real shells, with one table for all of them: what is offered is the same everywhere.

import assert from "node:assert/strict";
import { allCommands, type Command } from "../../cli/commands.ts";
import { HELP } from "../../cli/options.ts";
import { TRASH_NAME } from "../../containment/mod.ts";
import { batchName } from "../../containment/trash_batch.ts";
import { inTempDir, plant } from "../support.ts";
import { type Case, check, offered, reading, scriptFor, SHELLS, typed } from "./completing.ts";

const COMMANDS = allCommands().filter(({ words }) => words.length === 1).map(({ words }) =>
  words[0]
);
const FOLDERS = ["photos", "plans"];
const ENTRIES = [...FOLDERS, "notes.txt", "prices.csv"].sort();

const CASES: Case[] = [
  ["shieldfive tra", ["trash", "trashed"]],
  ["shieldfive mov", ["move", "move-in"]],
  ["shieldfive bogus ", []],
  ["shieldfive setup cl", ["client"]],
  ["shieldfive setup client claude-d", ["claude-desktop"]],
  ["shieldfive -", ["--help", "--version", "-V", "-h"]],
  ["shieldfive list ", FOLDERS],
  ["shieldfive list ph", ["photos"]],
  ["shieldfive list photos pl", ["plans"]],
  ["shieldfive mkdir ", FOLDERS],
  ["shieldfive trash ", ENTRIES],
  ["shieldfive trash plans n", ["notes.txt"]],
  ["shieldfive move notes.txt ", ENTRIES],
  ["shieldfive rename notes.txt ", []],
  ["shieldfive completions ", ["bash", "fish", "zsh"]],
  ["shieldfive help mk", ["mkdir"]],
  ["shieldfive help mkdir ", []],
  ["shieldfive list --root ", FOLDERS],
  ["shieldfive list --root=", FOLDERS],
  ["shieldfive list --root=pl", ["plans"]],
  ["shieldfive list --root plans --root ", FOLDERS],
  ["shieldfive list --root=plans ph", ["photos"]],
  ["shieldfive trash --report ", ENTRIES],
  ["shieldfive trash --report=n", ["notes.txt"]],
  ["shieldfive list --sort-by ", ["modified", "path", "size"]],
  ["shieldfive list --sort-by=", ["modified", "path", "size"]],
  ["shieldfive list --sort-by=s", ["size"]],
  ["shieldfive list --min-bytes ", []],
  ["shieldfive list --min-bytes=", []],
  ["shieldfive list --limit 5 ph", ["photos"]],
  ["shieldfive list --name-contains ", []],
  ["shieldfive list --so", ["--sort-by"]],
  ["shieldfive list --sort-by size --so", []],
  ["shieldfive list --sort-by=size --so", []],
  ["shieldfive list --root plans --ro", ["--root"]],
  [
    "shieldfive rename -",
    ["--dry-run", "--help", "--json", "--root", "--show-permissions"]
      .concat("--yes", "-h", "-n", "-y"),
  ],
  [
    "shieldfive rename -y --json notes.txt -",
    ["--dry-run", "--help", "--root"]
      .concat("--show-permissions", "-h", "-n"),
  ],
  ["shieldfive rename -yn --", ["--help", "--json", "--root", "--show-permissions"]],
  ["shieldfive rename -y -- --", []],
  ["shieldfive list -- ", FOLDERS],
  ["shieldfive list -- --root ", FOLDERS],
];

Deno.test("every shell offers commands, options, values and operands in their places", () =>
  inTempDir(async (dir) => {
    plant(dir, { "photos/": "", "plans/": "", "notes.txt": "", "prices.csv": "" });
    for (const shell of SHELLS) await check(shell, CASES, { cwd: dir });
  }));

Deno.test("where no operand is left nothing is offered, but for options in zsh", () =>
  inTempDir(async (dir) => {
    plant(dir, { "photos/": "", "notes.txt": "" });
    const lines = ["mkdir photos ", "move notes.txt photos ", "completions zsh ", "doctor "];
    for (const shell of SHELLS) {
      const found = await offered(shell, lines.map((line) => `shieldfive ${line}`), { cwd: dir });
      for (const words of found ?? []) {
        if (shell === "zsh") assert.ok(words.every((word) => word.startsWith("-")), words.join());
        else assert.deepEqual(words, [], shell);
      }
    }
  }));

Deno.test("every shell offers all commands, as the first word and to help", () =>
  inTempDir(async (dir) => {
    for (const shell of SHELLS) {
      const found = await offered(shell, ["shieldfive ", "shieldfive help "], { cwd: dir });
      for (const words of found ?? []) {
        for (const command of COMMANDS) assert.ok(words.includes(command), `${shell}: ${command}`);
      }
    }
  }));

/** Commands of more than one word, and options of every kind that a definition can have. */
function madeUp(): Command[] {
  const command = (words: string[], over: Partial<Command> = {}): Command => ({
    words,
    usage: "",
    brief: `It's "${words.join(" ")}": $HOME \\ [x] %s`,
    group: "more",
    options: () => ({ own: [], common: [HELP] }),
    run: () => Promise.resolve(0),
    ...over,
  });
  return [
    command(["guard"], { usage: "[DIR…]" }),
    command(["guard", "pins", "list"]),
    command(["guard", "pins", "approve"]),
    command(["setup", "client"], {
      operands: () => [
        { name: "CLIENT", takes: ["desktop", "code"] },
        { name: "NAME", takes: [] },
        { name: "FILE", takes: "path", many: true },
      ],
    }),
    command(["setup", "server"], {
      options: () => ({
        own: [
          {
            name: "with",
            short: "w",
            kind: { type: "list", words: [], choices: ["files", "shell", "vault"] },
            placeholder: "SET:x,…",
            repeatable: true,
            does: 'It\'s [some] "sets": `$(touch run)` \\ %s. More',
          },
          {
            name: "level",
            short: "l",
            kind: { type: "choice", choices: ["low", "high"] },
            does: "",
          },
          { name: "quiet", short: "q", kind: { type: "switch" }, default: true, does: "Say less" },
        ],
        common: [HELP],
      }),
    }),
    command(["help"], { operands: () => [{ name: "COMMAND", takes: "command" }] }),
  ];
}

const MADE_UP_CASES: Case[] = [
  ["shieldfive ", ["guard", "setup", "help"]],
  ["shieldfive setup ", ["client", "server"]],
  ["shieldfive setup -", []],
  ["shieldfive setup cl", ["client"]],
  ["shieldfive setup bogus ", []],
  ["shieldfive setup client ", ["desktop", "code"]],
  ["shieldfive setup client desktop ", []],
  ["shieldfive setup client desktop x no", ["notes.txt"]],
  ["shieldfive setup client desktop x y no", ["notes.txt"]],
  ["shieldfive help setup ", ["client", "server"]],
  ["shieldfive help guard pins ", ["list", "approve"]],
  ["shieldfive guard ", ["pins", "photos"]],
  ["shieldfive guard pi", ["pins"]],
  ["shieldfive guard ph", ["photos"]],
  ["shieldfive guard photos ph", ["photos"]],
  ["shieldfive guard pins ", ["list", "approve"]],
  ["shieldfive guard pins list --", ["--help"]],
  ["shieldfive setup server --with ", ["files", "shell", "vault"]],
  ["shieldfive setup server --with=s", ["shell"]],
  ["shieldfive setup server --with shell,", ["shell,files", "shell,vault"]],
  ["shieldfive setup server --with=shell,files,", ["shell,files,vault"]],
  ["shieldfive setup server --with shell --level ", ["low", "high"]],
  ["shieldfive setup server --level=", ["low", "high"]],
  ["shieldfive setup server -l ", ["low", "high"]],
  ["shieldfive setup server -ql ", ["low", "high"]],
  ["shieldfive setup server -ql low --", ["--help", "--with"]],
  ["shieldfive setup server -llow --", ["--help", "--no-quiet", "--with"]],
  ["shieldfive setup server --with files -q --", ["--help", "--level", "--with"]],
];

Deno.test("names of several words, lists, letters with values and choices are offered everywhere", () =>
  inTempDir(async (dir) => {
    plant(dir, { "here/photos/": "", "here/notes.txt": "" });
    for (const shell of SHELLS) {
      Deno.writeTextFileSync(`${dir}/script`, await scriptFor(shell, madeUp()));
      const setUp = reading(shell, `${dir}/script`);
      await check(shell, MADE_UP_CASES, { cwd: `${dir}/here`, setUp });
    }
    assert.deepEqual([...Deno.readDirSync(`${dir}/here`)].map(({ name }) => name).sort(), [
      "notes.txt",
      "photos",
    ]);
  }));

Deno.test("the batches of the nearest trash are offered, and nothing else that lies there", () =>
  inTempDir(async (dir) => {
    const batches = [1, 2].map((day) => batchName(Date.UTC(2026, 0, day)));
    for (const name of [...batches, "2026-01-03T$(touch ran)", "other"]) {
      plant(dir, { [`${TRASH_NAME}/${name}/`]: "" });
    }
    plant(dir, { "below/deep/": "", "below/2026 plan": "", "below/deep/2026 file": "" });
    const cases: Case[] = [
      ["shieldfive restore --batch ", batches],
      ["shieldfive restore --batch=20", batches],
      ["shieldfive restore x 20", ["2026 file"]],
    ];
    for (const shell of SHELLS) {
      await check(shell, cases, { cwd: `${dir}/below/deep` });
      const [operands] = await offered(shell, ["shieldfive restore 20"], {
        cwd: `${dir}/below/deep`,
      }) ?? [batches];
      // Where there are batches bash offers no files beside them.
      assert.deepEqual(operands.filter((name) => name !== "2026 file"), batches, shell);
    }
    const nowhere = await offered("bash", ["shieldfive restore "], { cwd: "/" });
    assert.ok(nowhere === undefined || nowhere[0].length > 0);
  }));

Deno.test("zsh and fish show what a command and an option are for, in its own words", () =>
  inTempDir(async (dir) => {
    plant(dir, { "here/": "" });
    const setUp: Record<string, string> = {};
    for (const shell of ["zsh", "fish"] as const) {
      Deno.writeTextFileSync(`${dir}/${shell}`, await scriptFor(shell, madeUp()));
      setUp[shell] = reading(shell, `${dir}/${shell}`);
    }
    const asked = { cwd: `${dir}/here` };
    const LIST = "\x04";
    const shown = [
      (await typed("zsh", ["setup s", "setup server --w"].map((l) => `shieldfive ${l}${LIST}`), {
        ...asked,
        setUp: setUp.zsh,
      }))?.screen,
      (await typed("fish", [
        "complete -C 'shieldfive setup s'; shieldfive",
        "complete -C 'shieldfive setup server --w'; shieldfive",
      ], { ...asked, setUp: setUp.fish }))?.screen,
    ];
    for (const screen of shown.filter((screen) => screen !== undefined)) {
      assert.ok(screen.includes(`It's "setup server": $HOME \\ [x] %s`), screen);
      assert.ok(screen.includes('It\'s [some] "sets": `$(touch run)` \\ %s'), screen);
      assert.ok(!screen.includes("More"), screen);
    }
    assert.deepEqual([...Deno.readDirSync(asked.cwd)], []);
  }));
