// Texts of every shape that a person or a program might have written: whatever it is, our entry goes in
// and comes out, and nothing of anybody else changes.

import assert from "node:assert/strict";
import fc from "fast-check";
import { parseText, SERVER, withEntry, withoutEntry } from "../../cli/clients/mod.ts";
import { spliceBetween, undone } from "../../cli/commands/setup/journal.ts";
import { ENTRY, JSON_CLIENTS, readCommented } from "./clients.ts";

const SEED = 20261130;
const RUNS = 300;

type Text = fc.Arbitrary<string>;
type Pair = [name: string, value: string];

/** Space and comments between two tokens; a comment to the end of its line ends there. */
function gaps(lineBreak: string): Text {
  const parts = [
    " ",
    "\t",
    lineBreak,
    `${lineBreak}  `,
    `${lineBreak}\t\t`,
    '/* a } , " b */',
    `/* two${lineBreak}lines */`,
    `// to the end, { " ${lineBreak}`,
    ` // shieldfive${lineBreak}    `,
  ];
  return fc.array(fc.constantFrom(...parts), { maxLength: 3 }).map((each) => each.join(""));
}

const NAME = fc.oneof(
  fc.string({ maxLength: 6 }).filter((text) => text.isWellFormed()),
  fc.constantFrom("a", "s", "shield", "mcpServers2", "__proto__", "command", "args", "é\u{1f600}"),
);

const SCALAR = fc.constantFrom(
  "null",
  "true",
  "0",
  "-1.5e3",
  '"x"',
  '"a\\"\\u00e9//b"',
  "[]",
  "{}",
);

/** Items with commas between them, and perhaps behind the last one, in brackets. */
function listed(items: fc.Arbitrary<string[]>, gap: Text, brackets: string): Text {
  return fc.tuple(items, fc.array(gap, { minLength: 9, maxLength: 9 }), fc.boolean())
    .map(([texts, [end, ...gaps], closing]) => {
      const inner = texts.map((text, at) => gaps[at % 8] + text + gaps[(at + 3) % 8]).join(",");
      const comma = closing && texts.length > 0 ? "," : "";
      return brackets[0] + inner + comma + end + brackets[1];
    });
}

function object(pairs: fc.Arbitrary<Pair[]>, gap: Text): Text {
  const texts = fc.tuple(pairs, gap, gap).map(([pairs, before, after]) =>
    pairs.map(([name, value]) => `${JSON.stringify(name)}${before}:${after}${value}`)
  );
  return listed(texts, gap, "{}");
}

function value(gap: Text, depth = 2): Text {
  if (depth === 0) return SCALAR;
  const inner = value(gap, depth - 1);
  return fc.oneof(
    SCALAR,
    listed(fc.array(inner, { maxLength: 3 }), gap, "[]"),
    object(fc.array(fc.tuple(NAME, inner), { maxLength: 3 }), gap),
  );
}

/** Pairs with one more somewhere among them. */
function among(pairs: fc.Arbitrary<Pair[]>, one: fc.Arbitrary<Pair>): fc.Arbitrary<Pair[]> {
  return fc.tuple(pairs, one, fc.nat())
    .map(([all, added, at]) => all.toSpliced(at % (all.length + 1), 0, added));
}

/** A configuration: with our entry, of any shape, or with a place for it, or with neither. */
function configuration(container: string, ours: boolean): Text {
  return fc.constantFrom("\n", "\r\n").map(gaps).chain((gap) => {
    const pairs = fc.array(fc.tuple(NAME, value(gap)), { maxLength: 3 });
    const entry = fc.tuple(
      fc.constant(SERVER),
      fc.oneof(
        value(gap),
        object(among(pairs, fc.constant(["url", '"https://x"'])), gap),
        object(among(fc.constant([["env", "{}"]]), fc.constant(["command", '"old"'])), gap),
      ),
    );
    const servers = ours
      ? object(among(pairs, entry), gap)
      : fc.oneof(fc.constantFrom("null", "{}"), object(pairs, gap));
    const placed = among(pairs, servers.map((text): Pair => [container, text]));
    const whole = object(ours ? placed : fc.oneof(pairs, placed), gap);
    return fc.tuple(gap, whole, gap).map((parts) => parts.join(""));
  });
}

function commentsIn(text: string): string[] {
  return [...text.matchAll(/"(?:[^"\\]|\\.)*"|\/\/[^\n\r]*|\/\*[^]*?\*\//g)]
    .map(([token]) => token).filter((token) => token.startsWith("/"));
}

/** What a text says of everything but us; no container says what an empty one says. */
function restOf(text: string, container: string): unknown {
  const { [container]: servers, ...rest } = readCommented(text) as Record<string, unknown>;
  const { [SERVER]: _ours, ...others } = (servers ?? {}) as Record<string, unknown>;
  return { rest, others };
}

function forAny(ours: boolean, body: (client: typeof JSON_CLIENTS[number], text: string) => void) {
  const any = fc.constantFrom(...JSON_CLIENTS).chain((client) =>
    configuration(client.container, ours).map((text) => ({ client, text }))
  );
  fc.assert(fc.property(any, ({ client, text }) => body(client, text)), {
    seed: SEED,
    numRuns: RUNS,
  });
}

Deno.test("into any JSON text the entry goes as one insertion, and comes out of it again", () => {
  forAny(false, (client, text) => {
    const { container } = client;
    const before = parseText(text, client);
    const after = withEntry(before, client, ENTRY);
    const read = readCommented(after.text) as Record<string, Record<string, unknown>>;
    const { command, args } = ENTRY;
    assert.deepEqual(read[container][SERVER], { ...client.extra, command, args });
    assert.deepEqual(restOf(after.text, container), restOf(text, container));
    assert.equal(withEntry(after, client, ENTRY).text, after.text, "a second time");

    const splice = spliceBetween(text, after.text, after.at!);
    assert.ok("null".includes(splice.removed), `more than an insertion: ${splice.removed}`);
    assert.equal(undone(after.text, splice, splice.at), text);

    const out = withoutEntry(after, client, !before.hasContainer);
    assert.deepEqual(restOf(out.text, container), restOf(text, container));
    assert.deepEqual(commentsIn(out.text), commentsIn(text));
  });
});

Deno.test("an entry that stands in any JSON text is brought up to date or taken out, and nothing else", () => {
  forAny(true, (client, text) => {
    const { container } = client;
    const parsed = parseText(text, client);
    const after = withEntry(parsed, client, ENTRY);
    const read = readCommented(after.text) as Record<string, Record<string, unknown>>;
    const { command, args } = read[container][SERVER] as Record<string, unknown>;
    assert.deepEqual({ command, args }, ENTRY);
    assert.deepEqual(restOf(after.text, container), restOf(text, container));

    const out = withoutEntry(parsed, client, false);
    assert.deepEqual(restOf(out.text, container), restOf(text, container));
    const ours = commentsIn(parsed.shown(false).lines.join("\n"));
    assert.equal(commentsIn(out.text).length + ours.length, commentsIn(text).length);
  });
});
