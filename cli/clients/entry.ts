// Our entry in a client's configuration, and what can be asked of a parsed one, whatever its format.

import type { Client, Json } from "./locations.ts";

/** The name of our entry everywhere. */
export const SERVER = "shieldfive";

/** How a server is started. */
export interface ServerCommand {
  command: string;
  args: string[];
  env?: Record<string, string>;
}

/** A text that was parsed in full. */
export interface ParsedText {
  text: string;
  /** Everything that the text says. */
  value: Json;
  /** Names of other servers that stand there twice. */
  doubled: string[];
  /** Whether there is a place for servers, be it empty. */
  hasContainer: boolean;
  /** Where our entry begins, when there is something of that name. */
  at?: number;
  /** Where what is shown of our entry begins, and its lines; of the whole container on demand. */
  shown(container: boolean): { at: number; lines: string[] };
  /** The text with the entry put in, or brought up to date. */
  put(entry: ServerCommand): string;
  /** The text without our entry. */
  take(): string;
  /** The text without a container that holds nothing. */
  takeContainer(): string;
}

export type JsonObject = { [key: string]: Json };

/** The entry as a client wants it, with its own keys around the command. */
export function entryFor(client: Client, { command, args }: ServerCommand): JsonObject {
  const { type, ...others } = client.extra;
  return { ...(type === undefined ? {} : { type }), command, args, ...others };
}

/** The value as an object, or undefined when it is none. */
export function objectIn(value: Json | undefined): JsonObject | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return value;
}

/** The servers by name, or undefined when there is no place for them yet. */
export function serversIn({ value }: ParsedText, client: Client): JsonObject | undefined {
  return objectIn(objectIn(value)?.[client.container]);
}

/** How our entry starts its server; undefined when there is none, or one that starts nothing here. */
export function commandIn(parsed: ParsedText, client: Client): ServerCommand | undefined {
  return readCommand(serversIn(parsed, client)?.[SERVER]);
}

/** What an entry starts, as far as it is in the form that all clients share. */
export function readCommand(value: Json | undefined): ServerCommand | undefined {
  const { command, args = [], env } = objectIn(value) ?? {};
  if (typeof command !== "string" || !Array.isArray(args)) return undefined;
  const words = args.filter((each) => typeof each === "string");
  if (words.length < args.length) return undefined;
  const variables = Object.entries(objectIn(env) ?? {})
    .map(([name, setting]): [string, string] => [
      name,
      typeof setting === "string" ? setting : JSON.stringify(setting),
    ]);
  return {
    command,
    args: words,
    ...(variables.length === 0 ? {} : { env: Object.fromEntries(variables) }),
  };
}

/** Why a name that stands twice cannot be worked with. */
export function twice(name: string): string {
  return `${
    JSON.stringify(name)
  } stands there a second time, and it is not sure which one counts; ` +
    "remove one of them first";
}

/** The names that occur more than once. */
export function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))];
}
