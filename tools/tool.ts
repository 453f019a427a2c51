// What a tool is. One definition gives the command at the terminal, the tool over MCP, the help
// texts and the reference, so all of them say the same (architecture, "One catalogue").
//
// Schemas are functions of zod, so that starting the program, or a room, loads no schema library.

import type { z as Zod, ZodObject } from "zod";
import type {
  CancelFlag,
  Disk,
  PathRules,
  Progress,
  Root,
  SharedFlag,
} from "../containment/mod.ts";
import type { RoomKind } from "../containment/rooms/permissions.ts";

/** The schema library, handed to a tool's schema functions. */
export type Schemas = typeof Zod;

/** Another room of the same kind that can take a share of long reading work. */
export interface Peer {
  port: MessagePort;
  /** Raised when the other room is no more, and with it whatever it had begun. */
  gone: SharedFlag;
}

/** Everything that a tool may use. Tools read no environment, argv or global, so tests call them. */
export interface ToolContext {
  roots: Root[];
  disk: Disk;
  rules?: PathRules;
  signal: CancelFlag;
  /** Milliseconds since 1970. */
  now(): number;
  progress(progress: Progress): void;
  /** A line for the log on stderr. */
  log(line: string): void;
  peer?: Peer;
  /** The user's numeric id where the platform has one. */
  uid?: number;
  /** Real paths of folders and files that no tool may change (decisions 4). */
  protectedPaths: readonly string[];
  version: string;
}

/** JSON-like values that a plan is compared by. */
export type Bound = string | number | boolean | null | undefined | Bound[] | {
  [key: string]: Bound;
};

/**
 * What a change would do, made from the world as it is and without changing anything.
 */
export interface Plan {
  /** What the person is shown: the tool's output with `performed: false`, without the token. */
  output: Record<string, unknown>;
  /**
   * What the approval is bound to. A change of any field between preview and confirmation stops the
   * call. Under `items` the keys are paths; elsewhere the path of a change is `source`, `path` or `from`.
   */
  binding: { [field: string]: Bound };
  /** True when there is nothing to do: the output is final and no approval is needed. */
  settled?: boolean;
}

/** How a terminal shows one column. Sizes are bytes, dates RFC 3339 text, counts numbers. */
export type ColumnKind = "text" | "path" | "size" | "date" | "count";

export interface Table {
  /** A line above the table. */
  title?: string;
  columns: { title: string; kind: ColumnKind }[];
  rows: (string | number | undefined)[][];
}

/** A result as a terminal shows it: tables, then plain lines. Names in it are exact, not escaped. */
export interface View {
  tables?: Table[];
  lines?: string[];
  /** Text that is the result itself: it alone goes to standard output. */
  body?: string;
}

/** How a flag's text becomes the argument. Without an entry the schema's type decides. */
export type FlagKind = "size" | "days";

/** What a terminal needs beyond the schema. */
export interface TerminalForm {
  /**
   * Arguments given by position. `folders` are the folders of a reading command, which become its
   * roots; a name ending in `…` takes all that is left.
   */
  positionals: string[];
  /** How the usage line shows the positionals: "[DIR…]", "SRC DEST". */
  usage: string;
  flags?: Record<string, FlagKind>;
  /** Options that are typed otherwise than the argument is called: `{ folder_id: "in" }`. */
  optionNames?: Record<string, string>;
  /** Arguments that are ids of the vault; at the terminal a path in the vault may stand for one. */
  vaultItems?: readonly string[];
  /** Arguments from what was given by position, where the names in `positionals` do not say it all. */
  fromOperands?(operands: string[]): Record<string, unknown>;
  /** Values that a terminal uses where the flag is absent: a person sees the progress and can stop it. */
  defaults?: Record<string, unknown>;
  /** Whole command lines with what they do. */
  examples: { line: string; does: string }[];
}

/** MCP's hints about a tool (local-tools spec, section 9). */
export interface Hints {
  readOnlyHint: boolean;
  destructiveHint?: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** A tool that only looks. */
export const READS: Hints = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
/** A change that takes nothing away from where it was put. */
export const ADDS: Hints = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};
/** A change after which something is not where it was. */
export const TAKES_AWAY: Hints = { ...ADDS, destructiveHint: true };

/** What belongs together: a set is there, or it is not. */
export type ToolSet = "local" | "vault";

interface Common<I extends ZodObject, O extends ZodObject> {
  /** Name over MCP. */
  name: string;
  set: ToolSet;
  /** Words typed at the terminal. */
  command: string[];
  title: string;
  /** One line for help, no full stop. */
  brief: string;
  /** For a model that decides whether to call it: what it does and its key limits. */
  description: string;
  hints: Hints;
  terminal: TerminalForm;
  input(z: Schemas): I;
  output(z: Schemas): O;
  /** The one line that both a model and a person quote. Names in it must be made visible. */
  summary(output: Zod.output<O>): string;
  /** How a terminal shows the result below or instead of the summary. */
  view?(output: Zod.output<O>): View;
  /**
   * A long text of the result that an MCP client gets by itself, with the result that is left without it;
   * undefined where there is none.
   */
  textOf?(
    output: Zod.output<O>,
  ): { text: string; rest: Record<string, unknown> } | undefined;
  /** True when less was done than asked for, for the exit code. */
  partial?(output: Zod.output<O>): boolean;
}

/** A tool that changes nothing. `C` is what the room that carries it out lets it use. */
export interface ReadTool<
  I extends ZodObject = ZodObject,
  O extends ZodObject = ZodObject,
  C = ToolContext,
> extends Common<I, O> {
  effect: "read";
  room: RoomKind;
  /** True when a second room may take a share of the work. */
  parallel?: boolean;
  run(context: C, input: Zod.output<I>): Zod.output<O> | Promise<Zod.output<O>>;
}

export interface ChangeTool<
  I extends ZodObject = ZodObject,
  O extends ZodObject = ZodObject,
  P extends Plan = Plan,
  C = ToolContext,
> extends Common<I, O> {
  effect: "change";
  room: RoomKind;
  /** True for a tool of another room that takes files from the granted folders, through the room for changes. */
  usesFolders?: boolean;
  plan(context: C, input: Zod.output<I>): P | Promise<P>;
  /** Carries out the plan. `input` is what the plan was made from. */
  apply(context: C, input: Zod.output<I>, plan: P): Zod.output<O> | Promise<Zod.output<O>>;
}

/** A tool that is carried out where the server runs, and not in a room; at a terminal a command does it. */
export interface ServerTool<I extends ZodObject = ZodObject, O extends ZodObject = ZodObject>
  extends Common<I, O> {
  effect: "connect";
}

/** A tool that a room carries out. */
export type Tool<C = ToolContext> =
  | ReadTool<ZodObject, ZodObject, C>
  | ChangeTool<ZodObject, ZodObject, Plan, C>;

/** Any tool of the catalogue: all but what its room lets it use. */
export type AnyTool = Tool<never> | ServerTool;

/** Keeps a reading tool's types together; the catalogue holds tools of any input. */
export function defineRead<I extends ZodObject, O extends ZodObject, C = ToolContext>(
  tool: ReadTool<I, O, C>,
): Tool<C> {
  return tool as unknown as Tool<C>;
}

/** Keeps a changing tool's types together. */
export function defineChange<
  I extends ZodObject,
  O extends ZodObject,
  P extends Plan,
  C = ToolContext,
>(tool: ChangeTool<I, O, P, C>): Tool<C> {
  return tool as unknown as Tool<C>;
}

/** Keeps the types of a tool of the server together. */
export function defineServer<I extends ZodObject, O extends ZodObject>(
  tool: ServerTool<I, O>,
): ServerTool {
  return tool as unknown as ServerTool;
}

/** Whether a tool of another room takes files from the granted folders. */
export function usesFolders(tool: AnyTool): boolean {
  return tool.effect === "change" && tool.usesFolders === true;
}
