// What a part of the report is, and how one is asked.

import { errnoOf, quote, ToolError } from "../../../containment/mod.ts";
import type { Examination } from "./examination.ts";
import { type Finding, problem } from "./finding.ts";

/** One part of the report. */
export interface Section {
  /** Stays the same, for programs. */
  name: string;
  title: string;
  /** Looks at one part of the installation. It changes nothing, and needs no right but to read. */
  look(examination: Examination): Finding[] | Promise<Finding[]>;
}

/** A section with what it found. */
export interface Looked extends Pick<Section, "name" | "title"> {
  findings: Finding[];
}

/** What a section found; where the system or the runtime kept it from looking, that is what it found. */
export async function lookAt(section: Section, examination: Examination): Promise<Looked> {
  const { name, title } = section;
  try {
    return { name, title, findings: await section.look(examination) };
  } catch (error) {
    return { name, title, findings: [unlooked(name, error)] };
  }
}

function unlooked(name: string, error: unknown): Finding {
  const code = error instanceof ToolError ? error.code : errnoOf(error);
  if (code === undefined) throw error;
  const fix = code === "NOT_CAPABLE"
    ? "start it with the right to read"
    : "mend that, and run `shieldfive doctor` again";
  return problem(name, `this could not be looked at (${quote((error as Error).message)})`, fix, {
    data: { code },
  });
}
