// Reads a tool's input schema without loading the schema library. A tool's schema is a function of
// that library; called with a stand-in that writes down what is asked of it, it tells everything that
// help, completion and parsing need. Values are still checked by the real library before a tool runs,
// and a test holds the notes of every tool against the real schema.

import type { AnyTool, Schemas } from "../tools/tool.ts";

/** What one argument takes. */
export type ArgumentKind =
  | { type: "text" | "number" | "switch" }
  | { type: "choice"; choices: string[] }
  /** `words` are choices that stand alone in place of a list. */
  | { type: "list"; words: string[]; choices: string[] }
  /** Cannot be written on a command line. */
  | { type: "data" };

/** One argument of a tool. */
export interface Argument {
  name: string;
  kind: ArgumentKind;
  required: boolean;
  default?: unknown;
  description: string;
}

/** What was asked of the stand-in for one schema: its maker, and the methods called on it. */
interface Note {
  maker: string;
  made: unknown[];
  called: Map<string, unknown[]>;
}

const NOTE = Symbol("note");

/** The arguments of a tool in the order of its schema. */
export function argumentsOf(tool: AnyTool): Argument[] {
  const schema = noteOf(tool.input(standIn()));
  const shape = schema?.made[0];
  if (typeof shape !== "object" || shape === null) {
    throw new Error(`the input schema of ${tool.name} is not an object`);
  }
  return Object.entries(shape).map(([name, field]) => {
    const note = noteOf(field);
    if (note === undefined) throw new Error(`${tool.name}: ${name} is not a schema`);
    const [value] = note.called.get("default") ?? [];
    return {
      name,
      kind: kindOf(note),
      required: !note.called.has("optional") && !note.called.has("default"),
      ...(value === undefined ? {} : { default: value }),
      description: String(note.called.get("describe")?.[0] ?? ""),
    };
  });
}

function standIn(): Schemas {
  const library = new Proxy({}, {
    get: (_target, maker) => (...made: unknown[]) => noteTaker(String(maker), made),
  });
  return library as Schemas;
}

/** A schema on which every method may be called; each is written down and gives the schema back. */
function noteTaker(maker: string, made: unknown[]): unknown {
  const note: Note = { maker, made, called: new Map() };
  const taker: unknown = new Proxy({}, {
    get: (_target, method) =>
      method === NOTE ? note : (...given: unknown[]) => {
        note.called.set(String(method), given);
        return taker;
      },
  });
  return taker;
}

function noteOf(value: unknown): Note | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as { [NOTE]?: Note })[NOTE];
}

function kindOf(note: Note): ArgumentKind {
  switch (note.maker) {
    case "string":
      return { type: "text" };
    case "number":
    case "int":
      return { type: "number" };
    case "boolean":
      return { type: "switch" };
    case "enum":
      return { type: "choice", choices: choicesOf(note) };
    case "array":
      return listOf(note.made[0], []);
    case "union":
      return unionOf(note.made[0]);
    default:
      return { type: "data" };
  }
}

function choicesOf(note: Note): string[] {
  return (note.made[0] as unknown[]).map(String);
}

function listOf(element: unknown, words: string[]): ArgumentKind {
  const note = noteOf(element);
  if (note?.maker === "string") return { type: "list", words, choices: [] };
  if (note?.maker === "enum") return { type: "list", words, choices: choicesOf(note) };
  return { type: "data" };
}

/**
 * What a flag can express of a union: a list with words that may stand in its place, or the words
 * alone where the other form cannot be written on a command line.
 */
function unionOf(members: unknown): ArgumentKind {
  const notes = (members as unknown[]).map(noteOf);
  const list = notes.find((note) => note?.maker === "array");
  const words = notes.find((note) => note?.maker === "enum");
  if (words === undefined || notes.length !== 2) return { type: "data" };
  if (list === undefined) return { type: "choice", choices: choicesOf(words) };
  return listOf(list.made[0], choicesOf(words));
}
