import assert from "node:assert/strict";
import { z } from "zod";
import { optionsOf, spelling } from "../../cli/options.ts";
import { type Argument, argumentsOf } from "../../cli/schema_notes.ts";
import { checkInput } from "../../tools/input.ts";
import { catalogue } from "../../tools/catalogue.ts";
import { list } from "../../tools/local/list.ts";

interface Property {
  type?: string;
  enum?: string[];
  default?: unknown;
  description?: string;
  items?: Property;
  anyOf?: Property[];
}

/** The kind that the real schema of an argument has, told from its JSON Schema. */
function kindIn(property: Property): Argument["kind"] {
  if (property.enum !== undefined) return { type: "choice", choices: property.enum };
  if (property.type === "string") return { type: "text" };
  if (property.type === "integer" || property.type === "number") return { type: "number" };
  if (property.type === "boolean") return { type: "switch" };
  const listed = property.anyOf?.find(({ type }) => type === "array") ?? property;
  const words = property.anyOf?.find((each) => each.enum !== undefined)?.enum ?? [];
  if (listed.type === "array" && listed.items?.type === "string") {
    return { type: "list", words, choices: listed.items.enum ?? [] };
  }
  if (words.length > 0) return { type: "choice", choices: words };
  return { type: "data" };
}

for (const tool of catalogue) {
  Deno.test(`what is noted of ${tool.name}'s arguments is what its schema says`, () => {
    const schema = z.toJSONSchema(tool.input(z), { io: "input" });
    const properties = schema.properties as Record<string, Property>;
    const noted = argumentsOf(tool);
    assert.deepEqual(noted.map(({ name }) => name), Object.keys(properties));
    for (const argument of noted) {
      const real = properties[argument.name];
      assert.deepEqual(argument.kind, kindIn(real), argument.name);
      assert.deepEqual(argument.default, real.default, argument.name);
      assert.equal(argument.description, real.description ?? "", argument.name);
      assert.equal(argument.required, schema.required?.includes(argument.name) ?? false);
    }
  });

  Deno.test(`every option of ${tool.name} is told apart from every other`, () => {
    const { own, common } = optionsOf(tool);
    const names = [...own, ...common].map(({ name }) => name);
    assert.deepEqual(names, [...new Set(names)]);
    const letters = [...own, ...common].flatMap(({ short }) => short ?? []);
    assert.deepEqual(letters, [...new Set(letters)]);
    assert.ok(names.every((name) => /^[a-z]+(-[a-z]+)*$/.test(name)), names.join(" "));
  });

  Deno.test(`what a terminal starts ${tool.name} from passes its schema`, () => {
    const { defaults } = tool.terminal;
    const input = tool.input(z).partial().safeParse(defaults ?? {});
    assert.equal(input.error, undefined);
  });

  Deno.test(`the examples of ${tool.name} are commands of it`, () => {
    const command = ["shieldfive", ...tool.command].join(" ");
    for (const { line } of tool.terminal.examples) assert.ok(line.includes(command), line);
  });
}

Deno.test("a reading tool has no option for its folder, and no tool one for its token", () => {
  for (const tool of catalogue) {
    const names = optionsOf(tool).own.map(({ name }) => name);
    assert.ok(!names.includes("confirm") && !names.includes("plan-token"), tool.name);
    if (tool.effect === "read") assert.ok(!names.includes("path"), tool.name);
  }
});

Deno.test("an option shows the default that a terminal uses", () => {
  const option = optionsOf(list).own.find(({ name }) => name === "max-files");
  assert.equal(option?.default, 1_000_000);
  assert.equal(checkInput(list, z, {}).max_files, 200_000);
});

Deno.test("a switch that is on by default is offered as the way to turn it off", () => {
  const option = { name: "colour", kind: { type: "switch" as const }, does: "" };
  assert.equal(spelling({ ...option, default: true }), "--no-colour");
  assert.equal(spelling({ ...option, default: false }), "--colour");
});
