// The findings as a person reads them, and as data.

import { visible } from "../../../containment/mod.ts";
import { count } from "../../../tools/format.ts";
import type { Environment } from "../../environment.ts";
import { type Style, styleFor } from "../../terminal/style.ts";
import { widthOf } from "../../terminal/width.ts";
import { wrap } from "../../terminal/wrap.ts";
import type { Finding, State } from "./finding.ts";
import type { Looked } from "./section.ts";

/** Columns before the text of a finding. */
const INDENT = 11;

/** The whole report as text. */
export function reportText(sections: readonly Looked[], environment: Environment): string {
  const { stdout, columns } = environment;
  const style = styleFor(stdout, environment);
  const width = stdout.isTerminal ? Math.max(columns - INDENT, 20) : undefined;
  const parts = sections.map(({ title, findings }) =>
    [style.bold(title), ...findings.flatMap((finding) => findingLines(finding, style, width))]
      .join("\n")
  );
  return [...parts, verdict(sections)].join("\n\n") + "\n";
}

function findingLines(finding: Finding, style: Style, width: number | undefined): string[] {
  const { state, text, lines = [] } = finding;
  const fix = finding.state === "ok" || finding.fix === undefined ? "" : `: ${finding.fix}`;
  const sentence = visible(text + fix);
  const fitted = (text: string, less = 0) =>
    width === undefined ? [text] : wrap(text, width - less, widthOf);
  const [first, ...more] = fitted(sentence);
  const indent = " ".repeat(INDENT);
  return [
    `  ${marker(state, style)}${first}`,
    ...more.map((line) => indent + line),
    ...lines.flatMap((line) => fitted(visible(line), 2).map((part) => `${indent}  ${part}`)),
  ];
}

function marker(state: State, { dim, red, yellow }: Style): string {
  const paint = { ok: dim, note: yellow, problem: red }[state];
  return paint(state) + " ".repeat(INDENT - 2 - state.length);
}

function verdict(sections: readonly Looked[]): string {
  const [problems, notes] = [countOf("problem", sections), countOf("note", sections)];
  if (problems + notes === 0) return "All is well.";
  return `${count(problems, "problem")}, ${count(notes, "note")}.`;
}

/** How many findings have a state. */
export function countOf(state: State, sections: readonly Looked[]): number {
  return sections.flatMap(({ findings }) => findings)
    .filter((finding) => finding.state === state).length;
}

/** The whole report as data (docs/doctor.md). */
export function reportData(sections: readonly Looked[]): Record<string, unknown> {
  const problems = countOf("problem", sections);
  const last = sections.flatMap(({ findings }) => findings)
    .find(({ check }) => check === "operation");
  return {
    works: problems === 0,
    problems,
    notes: countOf("note", sections),
    sections: sections.map(({ name, title, findings }) => ({
      section: name,
      title,
      findings: findings.map(({ lines: _lines, ...finding }) => finding),
    })),
    ...(last === undefined ? {} : { last_operation: last.data }),
  };
}
