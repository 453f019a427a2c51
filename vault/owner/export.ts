// The whole vault as files with paths that any file system can hold: names that one cannot are changed as
// little as it takes, and what would be one file after that is numbered.

import type { Contents } from "./contents.ts";
import { OwnerError } from "./error.ts";
import type { ExportedFile, ExportFailure, File, Item } from "./types.ts";
import { MAX_DEPTH } from "./tree.ts";

/** Bytes of one part of a path; a few less than file systems take, for a number behind the name. */
const MAX_PART_BYTES = 240;
/** What Windows keeps for devices, with any extension. */
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=$|\.)/i;
/** What some file system refuses, and what does not show. */
// deno-lint-ignore no-control-regex
const FORBIDDEN =
  /[\u0000-\u001f\u007f-\u009f<>:"/\\|?*\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** A name as a part of a path that any file system can hold. */
export function safePart(name: string): string {
  const shown = name.toWellFormed().replace(FORBIDDEN, "_").replace(
    /[. ]+$/,
    (end) => "_".repeat(end.length),
  ).replace(/^ +/, (start) => "_".repeat(start.length));
  const part = shown.replace(DEVICE, (device) => `_${device}`);
  return part === "" ? "_" : shortened(part, MAX_PART_BYTES);
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Cuts the end of a name, and keeps its extension. */
function shortened(part: string, most: number): string {
  if (bytesOf(part) <= most) return part;
  const [, stem, extension] = /^(.+?)(\.[^.]{1,16})?$/su.exec(part) ?? [part, part, ""];
  const room = most - bytesOf(extension ?? "");
  let kept = "";
  for (const character of stem) {
    if (bytesOf(kept + character) > room) break;
    kept += character;
  }
  return kept + (extension ?? "");
}

/** Gives each name in one folder a spelling of its own, also where case and composition do not count. */
export class Spellings {
  readonly #taken = new Set<string>();

  of(name: string): string {
    const part = safePart(name);
    for (let number = 1;; number++) {
      const spelling = number === 1 ? part : numbered(part, number);
      const key = spelling.normalize("NFC").toLowerCase().normalize("NFC");
      if (this.#taken.has(key)) continue;
      this.#taken.add(key);
      return spelling;
    }
  }
}

function numbered(part: string, number: number): string {
  const dot = part.lastIndexOf(".");
  return dot > 0 ? `${part.slice(0, dot)} (${number})${part.slice(dot)}` : `${part} (${number})`;
}

/** A name that does not open is exported by its id. */
function nameOf({ name, kind, id }: Item): string {
  return name ?? `unnamed ${kind} ${id}`;
}

/** A file and the path that it gets. */
export interface ExportEntry {
  file: File;
  path: string;
}

/** Some items with all that is in them, folder by folder, with their paths; all outside the Bin unless said. */
export function* exportEntries(
  { tree }: Contents,
  items: readonly Item[] = tree.children(null).filter(({ id }) => id !== tree.binId),
): Generator<ExportEntry> {
  const waiting: { items: readonly Item[]; path: string; depth: number }[] = [
    { items, path: "", depth: 0 },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const spellings = new Spellings();
    const { depth } = next;
    for (const item of next.items) {
      const path = next.path + spellings.of(nameOf(item));
      if (item.kind === "file") yield { file: item, path };
      else if (depth < MAX_DEPTH) {
        waiting.push({ items: tree.children(item.id), path: `${path}/`, depth: depth + 1 });
      }
    }
  }
}

/** What to export, and who is told what was left out. */
export interface ExportOptions {
  /** These, with all that is in them; absent: everything outside the Bin. */
  items?: readonly Item[];
  signal?: AbortSignal;
  onFailure?(failure: ExportFailure): void;
}

/** See `OwnerVault.exportAll`. */
export async function* exportAll(
  contents: Contents,
  download: (file: File, signal?: AbortSignal) => Promise<ReadableStream<Uint8Array>>,
  { items, signal, onFailure }: ExportOptions = {},
): AsyncGenerator<ExportedFile, void, void> {
  for (const { file, path } of exportEntries(contents, items)) {
    try {
      const content = await download(file, signal);
      yield { path, size: file.size, modifiedAt: file.updatedAt, content };
      // Whoever did not want it lets go of it; whoever saw it fail knows.
      if (!content.locked) await content.cancel().catch(() => {});
    } catch (error) {
      if (!(error instanceof OwnerError) || !OF_ONE_FILE.has(error.code)) throw error;
      onFailure?.({ path, code: error.code });
    }
  }
}

/** What keeps one file from being exported, and no other. */
const OF_ONE_FILE = new Set(["key_unavailable", "row_mismatch", "decrypt_failed", "not_found"]);
