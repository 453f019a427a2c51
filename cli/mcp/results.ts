// From what a tool gave to what the client gets (local-tools spec, 1.0.5; decisions 5): the summary,
// the payload as JSON text, and the same payload as structured content. A refusal has the same form,
// so that a model can read its code and its reason.

import type { ToolError } from "../../containment/mod.ts";
import { cutToFit, jsonBytes, OMITTED_FIELD, type Structured } from "./fit.ts";
import { MAX_OUTGOING } from "./wire.ts";

/** A result of `tools/call`. */
export interface CallResult {
  [field: string]: unknown;
  content: { type: "text"; text: string }[];
  structuredContent: Structured;
  isError?: true;
}

/** What a line holds beside the result: the request's id and the server's name. */
const ENVELOPE = 64 * 1024;
const LIMIT = MAX_OUTGOING - ENVELOPE;

/** What a result has beside its summary and its data. */
export interface Beside {
  /** Said of what follows it: that it is data. */
  note?: string;
  /** A text by itself, with the result that is left without it. */
  text?: { text: string; rest: Structured };
}

/** The result of a call that did what it was asked for, or showed what it would do. */
export function success(summary: string, output: Structured, beside: Beside = {}): CallResult {
  return fitted(summary, output, output, beside);
}

/** The result of a call that was refused or failed. */
export function failure(error: ToolError, beside: Beside = {}): CallResult {
  const record = error.toRecord();
  const said = `[${error.code}] ${error.message}`;
  return { ...fitted(said, record.detail, { error: record }, beside), isError: true };
}

function fitted(
  summary: string,
  shown: Structured | undefined,
  structuredContent: Structured,
  { note, text: long }: Beside,
): CallResult {
  const data = long?.rest ?? shown;
  const json = data === undefined ? "" : JSON.stringify(data, null, 2);
  const head = [summary, ...(note === undefined ? [] : [note])].map(text);
  const body = [...(long === undefined ? [] : [long.text]), ...(json === "" ? [] : [json])];
  const content = [...head, ...body.map(text)];
  // A UTF-16 unit of the JSON text takes at most three bytes in the line, and once more in the
  // structured content; one of the summary at most six. Small results need no measuring.
  const bound = 6 * (json.length + 2 * (summary.length + (long?.text.length ?? 0)));
  if (bound < LIMIT || jsonBytes({ content, structuredContent }) <= LIMIT) {
    return { content, structuredContent };
  }
  const cut = cutToFit(structuredContent, LIMIT - jsonBytes(summary) - 1024);
  const why = OMITTED_FIELD in cut
    ? `${cut[OMITTED_FIELD]} list items were left out because the result was too large ` +
      `(${OMITTED_FIELD}): ask for fewer`
    : "The result is too large to repeat as text: it is in the structured content";
  return {
    content: [text(`${summary} ${why}.`), ...head.slice(1)],
    structuredContent: cut,
  };
}

function text(text: string): CallResult["content"][number] {
  return { type: "text", text };
}
