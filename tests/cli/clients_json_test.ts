import assert from "node:assert/strict";
import { commandIn, parseText, withEntry, withoutEntry } from "../../cli/clients/mod.ts";
import { refusal } from "../support.ts";
import { clientCalled } from "./clients.ts";

const CURSOR = clientCalled("cursor");
const ENTRY = { command: "/bin/sf", args: ["mcp", "/a"] };
const OURS = '"shieldfive": {"command": "/bin/sf", "args": ["mcp", "/a"]}';

/** A text, and the same with our entry in it. */
const STYLES: Record<string, [before: string, after: string]> = {
  "nothing": [
    "",
    '{\n  "mcpServers": {\n    "shieldfive": {\n      "command": "/bin/sf",\n' +
    '      "args": ["mcp", "/a"]\n    }\n  }\n}\n',
  ],
  "a comment alone": [
    "// mine",
    '// mine\n{\n  "mcpServers": {\n    "shieldfive": {\n      "command": "/bin/sf",\n' +
    '      "args": ["mcp", "/a"]\n    }\n  }\n}\n',
  ],
  "an empty object": [
    "{}",
    '{\n  "mcpServers": {\n    "shieldfive": {\n      "command": "/bin/sf",\n' +
    '      "args": ["mcp", "/a"]\n    }\n  }\n}',
  ],
  "an empty container, four spaces": [
    '{\n    "a": 1,\n    "mcpServers": {}\n}\n',
    '{\n    "a": 1,\n    "mcpServers": {\n        "shieldfive": {\n' +
    '            "command": "/bin/sf",\n            "args": ["mcp", "/a"]\n        }\n    }\n}\n',
  ],
  "an empty container over two lines, tabs": [
    '{\n\t"mcpServers": {\n\t}\n}',
    '{\n\t"mcpServers": {\n\t\t"shieldfive": {\n\t\t\t"command": "/bin/sf",\n' +
    '\t\t\t"args": ["mcp", "/a"]\n\t\t}\n\t}\n}',
  ],
  "no container, line breaks of Windows": [
    '{\r\n  "theme": "dark"\r\n}\r\n',
    '{\r\n  "mcpServers": {\r\n    "shieldfive": {\r\n      "command": "/bin/sf",\r\n' +
    '      "args": ["mcp", "/a"]\r\n    }\r\n  },\r\n  "theme": "dark"\r\n}\r\n',
  ],
  "another server, with comments and a closing comma": [
    '{\n  "mcpServers": { // mine\n    // first\n    "x": {}, // x\n  },\n}',
    '{\n  "mcpServers": { // mine\n    "shieldfive": {\n      "command": "/bin/sf",\n' +
    '      "args": ["mcp", "/a"]\n    },\n    // first\n    "x": {}, // x\n  },\n}',
  ],
  "one line without spaces": [
    '{"a":1,"mcpServers":{"x":{}}}',
    '{"a":1,"mcpServers":{"shieldfive":{"command":"/bin/sf","args":["mcp","/a"]},"x":{}}}',
  ],
  "one line with spaces": [
    '{"a": 1, "mcpServers": {}}',
    `{"a": 1, "mcpServers": {${OURS}}}`,
  ],
  "one line with spaces within the braces": [
    '{ "a": 1 }',
    '{ "mcpServers": { "shieldfive": { "command": "/bin/sf", "args": ["mcp", "/a"] } }, "a": 1 }',
  ],
  "one server on a line": [
    '{\n  "mcpServers": { "x": {} }\n}',
    '{\n  "mcpServers": { "shieldfive": { "command": "/bin/sf", "args": ["mcp", "/a"] }, "x": {} }\n}',
  ],
  "null in place of the container": [
    '{\n  "mcpServers": null // none\n}',
    '{\n  "mcpServers": {\n    "shieldfive": {\n      "command": "/bin/sf",\n' +
    '      "args": ["mcp", "/a"]\n    }\n  } // none\n}',
  ],
  "null": [
    "null\n",
    '{\n  "mcpServers": {\n    "shieldfive": {\n      "command": "/bin/sf",\n' +
    '      "args": ["mcp", "/a"]\n    }\n  }\n}\n',
  ],
  "no indent at all": [
    '{\n"mcpServers": {\n"x": {}\n}\n}',
    '{\n"mcpServers": {\n"shieldfive": {\n"command": "/bin/sf",\n"args": ["mcp", "/a"]\n},\n"x": {}\n}\n}',
  ],
};

Deno.test("the entry is written in the style of the text that it goes into", () => {
  for (const [what, [before, after]] of Object.entries(STYLES)) {
    assert.equal(withEntry(parseText(before, CURSOR), CURSOR, ENTRY).text, after, what);
  }
});

Deno.test("each client's entry has the form that the client wants", () => {
  const forms: Record<string, string> = {
    "claude-code":
      '{"mcpServers":{"shieldfive":{"type":"stdio","command":"/bin/sf","args":["mcp","/a"]},"a":1}}',
    vscode:
      '{"servers":{"shieldfive":{"type":"stdio","command":"/bin/sf","args":["mcp","/a"]},"a":1}}',
    zed: '{"context_servers":{"shieldfive":{"command":"/bin/sf","args":["mcp","/a"]},"a":1}}',
    copilot:
      '{"mcpServers":{"shieldfive":{"type":"local","command":"/bin/sf","args":["mcp","/a"],"tools":["*"]},"a":1}}',
  };
  for (const [id, text] of Object.entries(forms)) {
    const client = clientCalled(id);
    const before = `{"${client.container}":{"a":1}}`;
    assert.equal(withEntry(parseText(before, client), client, ENTRY).text, text, id);
  }
});

/** An entry that is there, the same brought up to date, and the text without it. */
const ENTRIES: Record<string, [before: string, updated: string, without: string]> = {
  "only the command and the arguments change": [
    '{"mcpServers": {"a": {}, "shieldfive": {"env": {"K": "v"}, "args": [], "command": "old", "disabled": true}}}',
    '{"mcpServers": {"a": {}, "shieldfive": {"env": {"K": "v"}, "args": ["mcp", "/a"], "command": "/bin/sf", "disabled": true}}}',
    '{"mcpServers": {"a": {}}}',
  ],
  "arguments that are not there yet": [
    '{\n  "mcpServers": {\n    "shieldfive": {\n      "command": "old", // c\n      "env": {}\n    }, // mine\n    "b": 1\n  }\n}',
    '{\n  "mcpServers": {\n    "shieldfive": {\n      "command": "/bin/sf",\n      "args": ["mcp", "/a"], // c\n      "env": {}\n    }, // mine\n    "b": 1\n  }\n}',
    '{\n  "mcpServers": {\n    // mine\n    "b": 1\n  }\n}',
  ],
  "one that is right already": [
    `{"mcpServers": {${OURS}}}`,
    `{"mcpServers": {${OURS}}}`,
    '{"mcpServers": {}}',
  ],
  "a server that is reached by an address": [
    '{\n  "mcpServers": {\n    "shieldfive": { "url": "https://x" },\n  }\n}',
    '{\n  "mcpServers": {\n    "shieldfive": {\n      "command": "/bin/sf",\n      "args": ["mcp", "/a"]\n    },\n  }\n}',
    '{\n  "mcpServers": {\n  }\n}',
  ],
  "the last one, behind a comment": [
    '{\n  "mcpServers": {\n    "a": 1, // a\n\n    "shieldfive": 5 }\n}',
    '{\n  "mcpServers": {\n    "a": 1, // a\n\n    "shieldfive": {\n      "command": "/bin/sf",\n      "args": ["mcp", "/a"]\n    } }\n}',
    '{\n  "mcpServers": {\n    "a": 1 // a\n\n    }\n}',
  ],
  "the last one, with a closing comma": [
    '{\n  "mcpServers": {\n    "a": 1,\n    "shieldfive": null, // ours\n  }\n}',
    '{\n  "mcpServers": {\n    "a": 1,\n    "shieldfive": {\n      "command": "/bin/sf",\n      "args": ["mcp", "/a"]\n    }, // ours\n  }\n}',
    '{\n  "mcpServers": {\n    "a": 1,\n    // ours\n  }\n}',
  ],
};

Deno.test("an entry that is there is brought up to date, or taken out with its comma and its line", () => {
  for (const [what, [before, updated, without]] of Object.entries(ENTRIES)) {
    const parsed = parseText(before, CURSOR);
    assert.equal(withEntry(parsed, CURSOR, ENTRY).text, updated, what);
    assert.equal(withoutEntry(parsed, CURSOR, false).text, without, what);
  }
});

Deno.test("a container that was made for the entry goes with it, unless something else is in it by now", () => {
  const parsed = parseText('{"a": 1, "mcpServers": {"shieldfive": {}}}', CURSOR);
  assert.equal(withoutEntry(parsed, CURSOR, true).text, '{"a": 1}');
  const shared = parseText('{"a": 1, "mcpServers": {"shieldfive": {}, "b": {}}}', CURSOR);
  assert.equal(withoutEntry(shared, CURSOR, true).text, '{"a": 1, "mcpServers": {"b": {}}}');
});

Deno.test("what an entry starts is read, and what starts nothing is not taken for a command", () => {
  const read = (entry: string) =>
    commandIn(parseText(`{"mcpServers": {"shieldfive": ${entry}}}`, CURSOR), CURSOR);
  assert.deepEqual(read('{"command": "c", "args": ["a"], "env": {"K": "v", "N": 1}}'), {
    command: "c",
    args: ["a"],
    env: { K: "v", N: "1" },
  });
  assert.deepEqual(read('{"command": "c"}'), { command: "c", args: [] });
  for (const other of ["null", "5", "[]", "{}", '{"command": 5}', '{"command":"c","args":[1]}']) {
    assert.equal(read(other), undefined, other);
  }
});

Deno.test("JSON that cannot be read in full is refused with its place", () => {
  const refused: [string, RegExp][] = [
    ['{\n  "a": 1\n  "b": 2\n}', /^line 3, column 3: a comma is missing here$/],
    ['{"a": 1', /^line 1, column 8: a closing brace is missing here$/],
    ['{"a": 1}}', /^line 1, column 9: the text should end here$/],
    ['{"a": }', /^line 1, column 7: a value is missing here$/],
    ["{'a': 1}", /^line 1, column 2: /],
    ['{"a": "b\n"}', /^line 1, column 7: the text in quotes does not end$/],
    ['{"a": "\u0001"}', /^line 1, column 7: this character may not stand here$/],
    ['{"a": "\\x"}', /^line 1, column 7: this escape does not exist$/],
    ['{"a": 01}', /^line 1, column 8: /],
    ['{"a": 1} /* open', /^line 1, column 10: the comment does not end$/],
    ['{"a": NaN}', /^line 1, column 7: this is no value$/],
    ["[]", /^line 1, column 1: the text should be an object, but is a list$/],
    ['"x"', /^line 1, column 1: the text should be an object, but is a string$/],
    ['{"mcpServers": []}', /^line 1, column 16: "mcpServers" should be an object, but is a list$/],
    [
      '{"mcpServers": {"shieldfive": {},\n "shieldfive": {}}}',
      /^line 2, column 2: "shieldfive" stands there a second time, and it is not sure which/,
    ],
    [
      '{"mcpServers": {}, "mcpServers": {}}',
      /^line 1, column 20: "mcpServers" stands there a second/,
    ],
    [`{"a": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`, /^it is nested too deeply$/],
    ["\ufeff\ufeff{}", /^line 1, column 1: /],
    ["{\u00a0}", /^line 1, column 2: /],
  ];
  for (const [text, message] of refused) {
    const { code, message: said } = refusal(() => parseText(text, CURSOR));
    assert.equal(code, "invalid_config", text.slice(0, 40));
    assert.match(said, message);
  }
});

Deno.test("other names that stand twice are told and left alone", () => {
  const text = '{"mcpServers": {"a": 1, "b": 2, "a": 3, "a": 4}}';
  const parsed = parseText(text, CURSOR);
  assert.deepEqual(parsed.doubled, ["a"]);
  assert.equal(
    withEntry(parsed, CURSOR, ENTRY).text,
    `{"mcpServers": {${OURS}, "a": 1, "b": 2, "a": 3, "a": 4}}`,
  );
});
