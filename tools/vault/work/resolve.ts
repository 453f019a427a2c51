// What a person typed at a terminal for items of the vault, an id or a path, as ids.

import { ToolError } from "../../../containment/error.ts";
import { quote } from "../../../containment/text.ts";
import type { VaultItem, VaultView } from "../../../vault/client/types.ts";
import { count } from "../../format.ts";
import type { VaultContext } from "../context.ts";
import { written } from "./rows.ts";

/** What was typed, by argument: one text, or a list of them. */
export type Typed = Record<string, string | string[]>;

/** Candidates that are listed where a path is not enough. */
const MAX_CANDIDATES = 20;

/**
 * The ids that were meant, by argument. An argument called `…folder_id` means folders, one called
 * `…file_id` files.
 *
 * @throws ToolError `not_found`; `ambiguous`, with the candidates, where several items have the path; and as
 * `VaultClient.view`.
 */
export async function resolve(
  { client, signal, progress }: VaultContext,
  typed: Typed,
): Promise<Typed> {
  const view = await client.view({ signal, progress });
  const one = (text: string, argument: string) => idOf(view, text, argument);
  return Object.fromEntries(
    Object.entries(typed).map(([argument, value]) => [
      argument,
      Array.isArray(value) ? value.map((text) => one(text, argument)) : one(value, argument),
    ]),
  );
}

function idOf(view: VaultView, text: string, argument: string): string {
  if (/^\/*$/.test(text)) {
    throw new ToolError(
      "invalid_argument",
      "the vault's own top cannot be named here; name a folder in it, such as /Documents",
    );
  }
  const found = view.resolve(text);
  const meant = found.filter((item) => isMeant(item, argument));
  if (meant.length === 1) return meant[0].id;
  if (meant.length > 1) throw ambiguous(view, text, meant);
  const [other] = found;
  if (other === undefined) {
    throw new ToolError("not_found", `nothing in the vault is at ${quote(text)}`);
  }
  const [is, wanted] = other.kind === "file" ? ["a file", "a folder"] : ["a folder", "a file"];
  throw new ToolError("invalid_argument", `${quote(text)} is ${is}, and not ${wanted}`);
}

function isMeant({ kind }: VaultItem, argument: string): boolean {
  if (argument.endsWith("folder_id")) return kind === "folder";
  return !argument.endsWith("file_id") || kind === "file";
}

function ambiguous(view: VaultView, text: string, items: readonly VaultItem[]): ToolError {
  const candidates = items.map((item) => ({
    id: item.id,
    kind: item.kind,
    path: view.path(item),
    modified: written(item.updatedAt),
    ...(item.kind === "file" ? { size: item.size } : {}),
  }));
  const listed = candidates.slice(0, MAX_CANDIDATES).map(({ id, kind, size, modified }) =>
    `${id} (${kind}${size === undefined ? "" : `, ${count(size, "byte")}`}, ${modified})`
  );
  return new ToolError(
    "ambiguous",
    `${count(items.length, "item")} have the path ${
      quote(text)
    }; give the id of one in its place: ` +
      listed.join(", ") + (candidates.length > MAX_CANDIDATES ? ", …" : ""),
    { detail: { candidates: candidates.slice(0, MAX_CANDIDATES) } },
  );
}
