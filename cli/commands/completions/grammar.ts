// What a command line may be, as the completion scripts need it: made from the definitions of the
// commands and nothing else, so that what help shows is what is completed.

import type { Command, Operand, Taken } from "../../commands.ts";
import { type Option, spelling } from "../../options.ts";

/** What a shell offers in one place of the line. An empty list of these is a place for any text. */
export type Offer =
  | { kind: "path" | "folder" | "batch" }
  | { kind: "words"; words: string[] }
  /** Some of the words, with commas between them. */
  | { kind: "list"; words: string[] };

/** An option as it is typed. */
export interface CompletedOption {
  /** With its dashes. */
  name: string;
  letter?: string;
  /** One short line. */
  does: string;
  /** What its value is called and may be; absent for a switch. */
  value?: { name: string; offers: Offer[] };
  repeatable: boolean;
}

/** One operand, or with `many` any number of them. */
export interface CompletedOperand {
  name: string;
  offers: Offer[];
  many: boolean;
}

export interface CompletedCommand {
  /** Its words with spaces between them. */
  name: string;
  options: CompletedOption[];
  operands: CompletedOperand[];
  /** Its operands are the words of another command's name, and `operands` is empty. */
  namesCommand: boolean;
}

/** The words that may follow some words: the beginnings of the commands' names. */
export interface Step {
  /** The words before, with spaces between them; empty for the first word. */
  after: string;
  next: { word: string; does: string }[];
}

export interface Grammar {
  steps: Step[];
  commands: CompletedCommand[];
  /** What may stand in place of a command. */
  options: CompletedOption[];
}

/** Words of usage lines and of options' values that stand for something a shell can look up. */
const LOOKED_UP: Record<string, Exclude<Taken, "command">> = {
  DIR: "folder",
  FOLDER: "folder",
  ROOT: "folder",
  PATH: "path",
  FILE: "path",
  SRC: "path",
  DEST: "path",
  BATCH: "batch",
};

const OVERALL: CompletedOption[] = [
  { name: "--help", letter: "h", does: "Show the commands", repeatable: false },
  { name: "--version", letter: "V", does: "Show the version", repeatable: false },
];

/** The grammar of these commands. */
export async function grammarOf(commands: readonly Command[]): Promise<Grammar> {
  return {
    steps: stepsOf(commands),
    commands: await Promise.all(commands.map(completedCommand)),
    options: OVERALL,
  };
}

function stepsOf(commands: readonly Command[]): Step[] {
  const steps = new Map<string, Step>();
  for (const { words, brief } of commands) {
    for (const [i, word] of words.entries()) {
      const after = words.slice(0, i).join(" ");
      const step = steps.get(after) ?? { after, next: [] };
      steps.set(after, step);
      const whole = i === words.length - 1;
      const known = step.next.find((next) => next.word === word);
      if (known === undefined) step.next.push({ word, does: whole ? brief : "" });
      else if (whole) known.does = brief;
    }
  }
  for (const step of steps.values()) {
    for (const next of step.next) next.does ||= followers(steps, `${step.after} ${next.word}`);
  }
  return [...steps.values()];
}

/** What is said of a word that is no command itself: the words that follow it. */
function followers(steps: Map<string, Step>, words: string): string {
  return steps.get(words.trim())!.next.map(({ word }) => word).join(", ");
}

async function completedCommand(command: Command): Promise<CompletedCommand> {
  const { own, common } = await command.options();
  const operands = await command.operands?.();
  return {
    name: command.words.join(" "),
    options: [...own, ...common].map(completedOption),
    operands: operands?.flatMap(completedOperand) ?? operandsIn(command.usage),
    namesCommand: operands?.some(({ takes }) => takes === "command") ?? false,
  };
}

function completedOption(option: Option): CompletedOption {
  const { kind, placeholder = "VALUE" } = option;
  return {
    name: spelling(option),
    letter: option.short,
    does: firstSentence(option.does),
    value: kind.type === "switch" ? undefined : { name: placeholder, offers: valueOffers(option) },
    repeatable: option.repeatable ?? false,
  };
}

function valueOffers({ kind, placeholder }: Option): Offer[] {
  switch (kind.type) {
    case "choice":
      return words("words", kind.choices);
    case "list":
      return kind.choices.length > 0
        ? words("list", [...kind.words, ...kind.choices])
        : words("words", kind.words);
    case "text":
      return placeholder === undefined ? [] : lookedUp(placeholder);
    default:
      return [];
  }
}

function words(kind: "words" | "list", choices: readonly string[]): Offer[] {
  return choices.length === 0 ? [] : [{ kind, words: [...choices] }];
}

function completedOperand({ name, takes, many = false }: Operand): CompletedOperand[] {
  if (takes === "command") return [];
  return [{
    name,
    offers: typeof takes === "string" ? [{ kind: takes }] : words("words", takes),
    many,
  }];
}

/** The operands of a usage line like `SRC DEST`, `[BATCH|PATH…]` or `FILE… --to WHERE`. */
function operandsIn(usage: string): CompletedOperand[] {
  const [operands] = usage.split(/(?:^| )--/);
  return operands.split(" ").filter((part) => part !== "").flatMap((part) => {
    const choices = part.replace(/^\[|\]$/g, "").split("|");
    const more = choices.filter((choice) => choice.endsWith("…"));
    const operand = (names: string[], many: boolean) => ({
      name: names.join("|").replaceAll("…", ""),
      offers: names.flatMap(lookedUp),
      many,
    });
    if (more.length === choices.length) return [operand(choices, true)];
    return [operand(choices, false), ...(more.length > 0 ? [operand(more, true)] : [])];
  });
}

function lookedUp(placeholder: string): Offer[] {
  const taken = LOOKED_UP[placeholder.replace("…", "")];
  return taken === undefined ? [] : [{ kind: taken }];
}

/** As much as one line of a list of options can show. */
function firstSentence(text: string): string {
  return text.split(/[.;] /)[0];
}
