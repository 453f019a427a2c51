// The text of a configuration file, apart from how it is stored: the byte order mark is put aside and
// put back, and what is not UTF-8 is not read at all, since writing it again would change it.

import { ToolError } from "../../containment/mod.ts";

/** A file's text, without its byte order mark. */
export interface FileText {
  mark: boolean;
  text: string;
}

const MARK = "\ufeff";

/** @throws ToolError `invalid_config` for what is not UTF-8. */
export function decodeText(bytes: Uint8Array): FileText {
  let whole: string;
  try {
    whole = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ToolError("invalid_config", "it is not UTF-8 text");
  }
  const mark = whole.startsWith(MARK);
  return { mark, text: mark ? whole.slice(1) : whole };
}

/** The bytes of a file with this text. */
export function encodeText({ mark, text }: FileText): Uint8Array {
  return new TextEncoder().encode(mark ? MARK + text : text);
}

/** The line break that a text uses first; a line feed when it has none. */
export function lineBreakOf(text: string): string {
  return /\r\n|\n/.exec(text)?.[0] ?? "\n";
}

/** Number of the line, from 1, that holds a position. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** A refusal to read a text any further, with the place in it. */
export function unreadableAt(text: string, offset: number, problem: string): ToolError {
  const line = lineAt(text, offset);
  const column = offset - text.slice(0, offset).lastIndexOf("\n");
  return new ToolError("invalid_config", `line ${line}, column ${column}: ${problem}`, {
    detail: { line, column },
  });
}

/** The spaces and tabs with which the line of a position begins. */
export function indentAt(text: string, offset: number): string {
  const start = text.slice(0, offset).lastIndexOf("\n") + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))![0];
}
