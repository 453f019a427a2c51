// What was asked of `shieldfive setup client`.

import { nativeRules, quote } from "../../../containment/mod.ts";
import { nearest } from "../../../tools/input.ts";
import { type Client, EVERY_CLIENT } from "../../clients/mod.ts";
import { requireToolSets } from "../../mcp/options.ts";
import { parseWords } from "../../parse.ts";
import { UsageError } from "../../usage.ts";
import { SETUP_CLIENT_OPTIONS, SETUP_COMMON } from "./options.ts";

export interface Request {
  does: "add" | "remove" | "list" | "print";
  /** The named clients; none of them stands for all that are here. */
  clients: Client[];
  /** As they were typed. */
  roots: string[];
  readOnly: boolean;
  sets: string[];
  /** As it was typed. */
  project?: string;
  json: boolean;
  yes: boolean;
  dryRun: boolean;
  showPermissions: boolean;
}

/** @throws UsageError */
export function readRequest(words: string[]): Request {
  const { values, operands } = parseWords(words, [...SETUP_CLIENT_OPTIONS, ...SETUP_COMMON]);
  const given = (name: string) => values.get(name) === true;
  const modes = (["remove", "list", "print"] as const).filter(given);
  if (modes.length > 1) throw new UsageError(`--${modes[0]} and --${modes[1]} exclude each other`);
  const request: Request = {
    does: modes[0] ?? "add",
    clients: operands.map(clientCalled),
    roots: (values.get("root") ?? []) as string[],
    readOnly: given("read-only"),
    sets: (values.get("with") ?? []) as string[],
    project: values.get("project") as string | undefined,
    json: given("json"),
    yes: given("yes"),
    dryRun: given("dry-run"),
    showPermissions: given("show-permissions"),
  };
  requireToolSets(request.sets);
  requireSense(request);
  return request;
}

function clientCalled(name: string): Client {
  const found = EVERY_CLIENT.find(({ id }) => id === name);
  if (found !== undefined) return found;
  const known = EVERY_CLIENT.map(({ id }) => id);
  const near = nearest(name, known);
  throw new UsageError(
    `no assistant is known as ${quote(name, 60)}` +
      (near === undefined ? "" : `; did you mean ${near}?`),
    `the names are ${known.join(", ")}`,
  );
}

function requireSense({ does, clients, roots, readOnly, sets, project, json }: Request): void {
  const about = [
    ...roots.length > 0 ? ["--root"] : [],
    ...readOnly ? ["--read-only"] : [],
    ...sets.length > 0 ? ["--with"] : [],
  ];
  if ((does === "remove" || does === "list") && about.length > 0) {
    throw new UsageError(`${about[0]} says what an entry starts, and --${does} writes none`);
  }
  if (does !== "print") return;
  if (clients.length > 1) throw new UsageError("--print is for one assistant at a time");
  if (project !== undefined) throw new UsageError("what --print prints is the same for a project");
  if (json) throw new UsageError("--print prints the entry itself, and --json has nothing to add");
}

/** The words after the program's own that make it serve these folders. */
export function servingWords({ readOnly, sets }: Request, folders: readonly string[]): string[] {
  return [
    "mcp",
    ...readOnly ? ["--read-only"] : [],
    ...sets.length > 0 ? ["--with", sets.join(",")] : [],
    // White space around an operand is dropped there, and is part of a name here.
    ...folders.map((folder) => folder.trim() === folder ? folder : folder + nativeRules.sep),
  ];
}
