// Edits of a client's configuration. An edit is only made to a text that was parsed in full, and only given
// out when the new text, parsed again, says the same as the old one but for our entry (field case F67).

import { isDeepStrictEqual } from "node:util";
import {
  commandIn,
  objectIn,
  type ParsedText,
  SERVER,
  type ServerCommand,
  serversIn,
} from "./entry.ts";
import { readJson } from "./json.ts";
import type { Client, Json } from "./locations.ts";
import { readToml } from "./toml.ts";

/**
 * Parses the text of a client's file.
 *
 * @throws ToolError `invalid_config`, with line and column, when it cannot be understood in full, when
 * our name or the container stands there twice, or when the container is something else.
 */
export function parseText(text: string, client: Client): ParsedText {
  return client.format === "toml" ? readToml(text, client) : readJson(text, client);
}

/** The text with our entry in it, starting this command; the same text when it does so already. */
export function withEntry(parsed: ParsedText, client: Client, entry: ServerCommand): ParsedText {
  const after = parseText(parsed.put(entry), client);
  const { command, args } = commandIn(after, client) ?? {};
  if (!isDeepStrictEqual([command, args], [entry.command, entry.args])) throw spoiled(client);
  requireSameRest(parsed, after, client);
  return after;
}

/** The text without our entry; without an empty container too, where it was made for the entry. */
export function withoutEntry(
  parsed: ParsedText,
  client: Client,
  ownContainer: boolean,
): ParsedText {
  let after = parseText(parsed.take(), client);
  const left = serversIn(after, client);
  if (ownContainer && left !== undefined && Object.keys(left).length === 0) {
    after = parseText(after.takeContainer(), client);
  }
  if (after.at !== undefined) throw spoiled(client);
  requireSameRest(parsed, after, client);
  return after;
}

/**
 * Makes sure that two texts say the same, our entry aside. An empty container says what none says.
 *
 * @throws Error for a mistake in the editing, before anything of it is written.
 */
export function requireSameRest(before: ParsedText, after: ParsedText, client: Client): void {
  if (!isDeepStrictEqual(restOf(before, client), restOf(after, client))) throw spoiled(client);
}

function restOf(parsed: ParsedText, client: Client): Json {
  const { [client.container]: _container, ...rest } = objectIn(parsed.value) ?? {};
  const { [SERVER]: _ours, ...others } = serversIn(parsed, client) ?? {};
  return { rest, others };
}

function spoiled({ title }: Client): Error {
  return new Error(`the edited configuration of ${title} does not read back as it should`);
}
