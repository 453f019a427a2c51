// Carries out vault_read_file: fetches the chunks that are needed, and gives out text alone.

import { cut } from "../../../containment/text.ts";
import { notFound } from "../../../vault/client/refusals.ts";
import type { VaultFile, VaultView } from "../../../vault/client/types.ts";
import type { VaultContext } from "../context.ts";
import { fenced } from "../fence.ts";
import { extensionOf, fileRow } from "./rows.ts";

/** Bytes of a file that is read as text (vault spec, 8). */
const LARGEST = 25 * 1024 * 1024;

const EXTENSIONS = new Set(
  ("txt md markdown csv tsv json xml yaml yml toml ini log html htm css js mjs ts tsx jsx py rb go rs " +
    "java c h cpp sh sql rtf tex srt vtt env conf cfg").split(" "),
);
const TYPES = /^text\/|json|xml|yaml|csv|javascript/;

/** The most bytes that a UTF-16 unit takes in UTF-8. */
const BYTES_A_UNIT = 3;
/** The most bytes of a character. */
const LONGEST_CHARACTER = 4;

interface Asked {
  file_id: string;
  /** Characters. */
  max_bytes: number;
  /** Bytes. */
  offset: number;
}

type NotShown = "no_text" | "too_large" | "past_the_end";

/** Bytes of a file, from the offset that was asked for. */
interface Fetched {
  bytes: Uint8Array;
  /** Whether the file ends with them. */
  toTheEnd: boolean;
}

/** A part of a text. */
interface Part {
  text: string;
  /** The byte behind it. */
  end: number;
  /** Whether the text goes on there. */
  goesOn: boolean;
}

/** @throws ToolError `not_found`, and as `VaultClient.view` and `VaultClient.contentRange`. */
export async function read(context: VaultContext, input: Asked) {
  const { client, signal, progress } = context;
  const view = await client.view({ signal, progress });
  const file = view.files.get(input.file_id.toLowerCase());
  if (file === undefined) throw notFound();
  const details = { file: fileRow(view, file), truncated: false };
  const hindrance = hindranceOf(file, input);
  if (hindrance !== undefined) return { ...details, not_shown: hindrance };
  const part = textIn(await fetched(context, view, file, input), input);
  if (part === undefined) return { ...details, not_shown: "no_text" as const };
  const { text, end, goesOn } = part;
  return {
    ...details,
    truncated: goesOn,
    ...(goesOn ? { next_offset: end } : {}),
    content: fenced(text),
  };
}

/** Why nothing of a file is fetched. */
function hindranceOf(file: VaultFile, { offset }: Asked): NotShown | undefined {
  const { name, contentType, size } = file;
  const isText = EXTENSIONS.has(extensionOf(name) ?? "") ||
    TYPES.test(contentType?.toLowerCase() ?? "");
  if (!isText) return "no_text";
  if (size > LARGEST) return "too_large";
  return offset > 0 && offset >= size ? "past_the_end" : undefined;
}

/** Bytes enough for the characters, by the chunks that they lie in alone. */
async function fetched(
  { client, signal }: VaultContext,
  view: VaultView,
  file: VaultFile,
  { offset, max_bytes }: Asked,
): Promise<Fetched> {
  const length = max_bytes * BYTES_A_UNIT + LONGEST_CHARACTER;
  const bytes = await client.contentRange(view, file, offset, length, signal);
  return { bytes, toTheEnd: bytes.length < length };
}

/** The text that bytes are; undefined for what is no UTF-8, or has a NUL in it. */
function textIn({ bytes, toTheEnd }: Fetched, { offset, max_bytes }: Asked): Part | undefined {
  // An offset of the caller's own choice may lie within a character.
  let start = 0;
  while (offset > 0 && start < LONGEST_CHARACTER && (bytes[start] & 0xc0) === 0x80) start++;
  const whole = decoded(bytes.subarray(start), toTheEnd);
  if (whole === undefined || whole.includes("\0")) return undefined;
  // One character at least, which may have two units, or nobody would ever come to the next.
  const text = cut(whole, max_bytes) || cut(whole, 2);
  const end = offset + start + new TextEncoder().encode(text).length;
  return { text, end, goesOn: text.length < whole.length || !toTheEnd };
}

/** @param toTheEnd false: what is cut off at the end is for the next part. */
function decoded(bytes: Uint8Array, toTheEnd: boolean): string | undefined {
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return decoder.decode(bytes, { stream: !toTheEnd });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return undefined;
  }
}
