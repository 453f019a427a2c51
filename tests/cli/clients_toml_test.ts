import assert from "node:assert/strict";
import fc from "fast-check";
import { commandIn, parseText, SERVER, withEntry, withoutEntry } from "../../cli/clients/mod.ts";
import { spliceBetween, undone } from "../../cli/commands/setup/journal.ts";
import { refusal } from "../support.ts";
import { clientCalled, ENTRY } from "./clients.ts";

const CODEX = clientCalled("codex");

/** TOML texts as an independent parser reads them; undefined, after saying why, where there is none. */
async function readToml(texts: string[]): Promise<Record<string, unknown>[] | undefined> {
  const script = "import json, sys, tomllib\n" +
    "print(json.dumps([tomllib.loads(t) for t in json.load(sys.stdin)], default=str))";
  try {
    const child = new Deno.Command("python3", {
      args: ["-c", script],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(JSON.stringify(texts)));
    await writer.close();
    const { success, stdout, stderr } = await child.output();
    const said = new TextDecoder().decode(stderr);
    if (/No module named 'tomllib'/.test(said)) throw new Deno.errors.NotFound();
    assert.ok(success, said);
    return JSON.parse(new TextDecoder().decode(stdout));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    console.log("skipped: there is no python3 with tomllib here to read TOML with");
    return undefined;
  }
}

const TEXTS: Record<string, string> = {
  "empty": "",
  "only a comment": "# nothing yet\n",
  "only space": "\n\n",
  "no final line break": 'model = "o3"',
  "line breaks of Windows": '# top\r\nmodel = "o3" # end\r\n\r\n[tui]\r\nx = 1\r\n',
  "a table of servers": '[mcp_servers]\n[mcp_servers.a]\ncommand = "x" # c\n\n# end\n',
  "an empty table of servers": "[mcp_servers]\n\n[other]\na = 1\n",
  "dotted keys": 'mcp_servers.a.command = "x"\nmcp_servers."b.c".command = "y"\n[t]\nz = 1\n',
  "dotted keys in the table": '[mcp_servers]\na.command = "x"\na.args = []\n',
  "an inline table": 'mcp_servers = { a = { command = "x" } } # inline\n[t]\n',
  "an empty inline table": "mcp_servers = {}\n",
  "quoted keys": "['mcp_servers'.\"we\\u0069rd\"]\ncommand = 'x'\n",
  "arrays of tables": '[[profiles]]\nname = "a"\n[[profiles]]\nname = "b"\n[profiles.sub]\nx = 1\n',
  "long strings":
    'a = """\n[mcp_servers.shieldfive]\ncommand = "no"\n"""\nb = \'\'\'\n# no\n\'\'\'\n',
  "all kinds of values":
    "a = 1979-05-27T07:32:00Z\nb = 07:32:00\nc = 1e5\nd = 0xff\ne = 1.5\nf = [1, [2, 3], # c\n 4]\n",
  "a table at the end with no line break": '[mcp_servers.a]\ncommand = "x"\nenv = { K = "v" }',
};

Deno.test("into every TOML text the entry goes as one insertion, and an independent parser agrees", async () => {
  const texts = Object.entries(TEXTS);
  const read = await readToml([
    ...texts.map(([, text]) => text),
    ...texts.map(([, text]) => withEntry(parseText(text, CODEX), CODEX, ENTRY).text),
  ]);
  texts.forEach(([what, text], at) => {
    const before = parseText(text, CODEX);
    const after = withEntry(before, CODEX, ENTRY);
    const splice = spliceBetween(text, after.text, after.at!);
    assert.equal(splice.removed, "", what);
    assert.equal(undone(after.text, splice, splice.at), text, what);
    assert.equal(withEntry(after, CODEX, ENTRY).text, after.text, `${what}, a second time`);
    assert.equal(
      /(?<!\r)\n/.test(after.text),
      /(?<!\r)\n/.test(text) || !text.includes("\r\n"),
      what,
    );
    if (read === undefined) return;
    const { mcp_servers: had = {}, ...rest } = read[at] as Record<string, Record<string, unknown>>;
    const { mcp_servers, ...same } = read[at + texts.length] as Record<string, unknown>;
    assert.deepEqual(same, rest, what);
    assert.deepEqual(mcp_servers, { ...had, [SERVER]: ENTRY }, what);
  });
});

const OURS: Record<string, [before: string, updated: string, without: string]> = {
  "a table": [
    '# a\n\n[mcp_servers.shieldfive]\n# why\ncommand = "old" # c\nargs = ["x"]\nenabled = true # e\n\n[t]\n',
    '# a\n\n[mcp_servers.shieldfive]\n# why\ncommand = "new" # c\nargs = ["mcp", "/a"]\nenabled = true # e\n\n[t]\n',
    "# a\n\n[t]\n",
  ],
  "a table with tables below it": [
    "[mcp_servers.shieldfive]\ncommand = 'old'\n[mcp_servers.shieldfive.env]\nA = \"1\"\n# of t\n[t]\nx = 1",
    '[mcp_servers.shieldfive]\ncommand = "new"\nargs = ["mcp", "/a"]\n[mcp_servers.shieldfive.env]\nA = "1"\n# of t\n[t]\nx = 1',
    "# of t\n[t]\nx = 1",
  ],
  "dotted keys": [
    '[mcp_servers]\r\na.command = "x"\r\n  shieldfive.command = "old"\r\nb.command = "y"\r\n',
    '[mcp_servers]\r\na.command = "x"\r\n  shieldfive.command = "new"\r\n  shieldfive.args = ["mcp", "/a"]\r\nb.command = "y"\r\n',
    '[mcp_servers]\r\na.command = "x"\r\nb.command = "y"\r\n',
  ],
  "an inline table in a table": [
    "[mcp_servers]\nshieldfive = { command = 'old', args = [ 'x', # c\n 'y' ] }\na = { command = 'x' }\n",
    '[mcp_servers]\nshieldfive = { command = "new", args = ["mcp", "/a"] }\na = { command = \'x\' }\n',
    "[mcp_servers]\na = { command = 'x' }\n",
  ],
  "first in an inline table": [
    "mcp_servers = { shieldfive = { command = 'old' }, a = { command = 'x' } }",
    'mcp_servers = { shieldfive = { command = "new", args = ["mcp", "/a"] }, a = { command = \'x\' } }',
    "mcp_servers = { a = { command = 'x' } }",
  ],
  "last in an inline table": [
    "mcp_servers = { a = { command = 'x' }, 'shieldfive'.command = 'old' }\n",
    "mcp_servers = { a = { command = 'x' }, 'shieldfive'.command = \"new\", 'shieldfive'.args = [\"mcp\", \"/a\"] }\n",
    "mcp_servers = { a = { command = 'x' } }\n",
  ],
  "a server that is reached by an address": [
    "[mcp_servers.shieldfive]\nurl = 'https://x'\n\n[t]\n",
    '\n[t]\n\n[mcp_servers.shieldfive]\ncommand = "new"\nargs = ["mcp", "/a"]\n',
    "\n[t]\n",
  ],
};

Deno.test("an entry in TOML is brought up to date where it stands, or taken out, and nothing else", async () => {
  const entry = { command: "new", args: ["mcp", "/a"] };
  for (const [what, [text, updated, without]] of Object.entries(OURS)) {
    const parsed = parseText(text, CODEX);
    assert.equal(withEntry(parsed, CODEX, entry).text, updated, what);
    assert.equal(withoutEntry(parsed, CODEX, false).text, without, what);
  }
  await readToml(Object.values(OURS).flat());
});

Deno.test("what an entry in TOML starts is read from every form of it", () => {
  for (const [what, [text]] of Object.entries(OURS)) {
    const command = commandIn(parseText(text, CODEX), CODEX)?.command;
    assert.equal(command, what.startsWith("a server") ? undefined : "old", what);
  }
  const text = "[mcp_servers.shieldfive]\ncommand='c'\nargs=['a']\nenv={ K='v' }";
  assert.deepEqual(commandIn(parseText(text, CODEX), CODEX), {
    command: "c",
    args: ["a"],
    env: { K: "v" },
  });
});

Deno.test("TOML that cannot be read in full is refused with its place", () => {
  const refused: [string, RegExp][] = [
    ["a = 1\na = 2\n", /^line 2, column 1: defining a key/],
    ['x = "open\n', /^line 1, column \d+: /],
    ["[mcp_servers.a]\n[mcp_servers.a]\n", /^line 2, column \d+: defining/],
    ["a = 1\r\n[b]\rx = 1", /^line 2, column \d+: /],
    ['mcp_servers = "x"\n', /^line 1, column 1: mcp_servers should be a table/],
    ["\n[[mcp_servers]]\nname = 'x'\n", /^line 2, column 1: mcp_servers should be a table/],
    [
      '[mcp_servers]\nshieldfive.command = "x"\n[mcp_servers.shieldfive]\n',
      /^line 3, column \d+: /,
    ],
    [`a = ${"[".repeat(20_000)}`, /nested too deeply|^line 1/],
  ];
  for (const [text, message] of refused) {
    const { code, message: said } = refusal(() => parseText(text, CODEX));
    assert.equal(code, "invalid_config", text.slice(0, 40));
    assert.match(said, message);
  }
});

const LINES = fc.constantFrom(
  "# comment",
  "",
  'key = "value" # c',
  'quoted."a b".c = [ 1, 2 ]',
  "x = { y = { z = 1 } }",
  "[table]",
  "[table.sub] # s",
  "[[list]]",
  "[[list]]",
  "[mcp_servers.a]",
  "[mcp_servers.a.env]",
  'mcp_servers.b.command = "x"',
  "[mcp_servers]",
  'mcp_servers = { c = { command = "x" } }',
  "[mcp_servers.shieldfive]",
  "[mcp_servers.shieldfive.env]",
  'mcp_servers.shieldfive.command = "x"',
  'shieldfive = { command = "x", args = [] }',
  'command = "x"',
  'multi = """',
  '"""',
);

Deno.test("whatever lines a TOML text has, it is refused or edited right", async () => {
  const pairs: { before: string; after: string; out: string }[] = [];
  fc.assert(
    fc.property(
      fc.array(LINES, { maxLength: 12 }),
      fc.constantFrom("\n", "\r\n"),
      fc.boolean(),
      (lines, lineBreak, closed) => {
        const before = lines.join(lineBreak) + (closed ? lineBreak : "");
        let parsed;
        try {
          parsed = parseText(before, CODEX);
        } catch (error) {
          assert.equal((error as { code?: string }).code, "invalid_config");
          return;
        }
        const after = withEntry(parsed, CODEX, ENTRY).text;
        pairs.push({ before, after, out: withoutEntry(parsed, CODEX, false).text });
      },
    ),
    { seed: 20261130, numRuns: 3000 },
  );
  assert.ok(pairs.length > 300, `${pairs.length} could be read`);
  const read = await readToml(pairs.flatMap(({ before, after, out }) => [before, after, out]));
  if (read === undefined) return;
  pairs.forEach(({ before }, at) => {
    const [was, is, without] = read.slice(at * 3, at * 3 + 3).map((value) => {
      const { mcp_servers, ...rest } = value as Record<string, Record<string, unknown>>;
      const { [SERVER]: ours, ...others } = mcp_servers ?? {};
      return { rest, others, ours: ours as Record<string, unknown> | undefined };
    });
    for (const { rest, others } of [is, without]) {
      assert.deepEqual({ rest, others }, { rest: was.rest, others: was.others }, before);
    }
    assert.equal(without.ours, undefined, before);
    const { command, args } = is.ours!;
    assert.deepEqual({ command, args }, ENTRY, before);
  });
});
