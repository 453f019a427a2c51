// What the program takes from the process around it: the variables that it reads, the home folder and
// the folder that it was started in. Only values that are paths are shown.

import { nativeRules } from "../../../../containment/mod.ts";
import { VARIABLES } from "../../../environment.ts";
import type { Examination } from "../examination.ts";
import { type Finding, note, ok, problem } from "../finding.ts";
import type { Section } from "../section.ts";

/** Variables whose value is no secret. */
const SHOWN: readonly string[] = [
  "SHIELDFIVE_MCP_ROOTS",
  "SHIELDFIVE_MCP_CONFIG_DIR",
  "SHIELDFIVE_EXECUTABLE",
];

export const surroundings: Section = {
  name: "environment",
  title: "Environment",
  look: (examination) => [
    home(examination),
    folder(examination),
    ...variables(examination),
    ...withheld(examination),
  ],
};

function home({ environment: { home, withheld = [] } }: Examination): Finding {
  if (home !== undefined) return ok("environment.home", `home folder ${home}`, { data: { home } });
  const name = Deno.build.os === "windows" ? "USERPROFILE" : "HOME";
  const text = "no home folder is known, so the program has no places of its own";
  const fix = withheld.includes(name) ? `let it read the variable ${name}` : `set ${name}`;
  return note("environment.home", text, { fix });
}

function folder({ environment: { cwd } }: Examination): Finding {
  if (cwd !== undefined) {
    return ok("environment.folder", `current folder ${cwd}`, { data: { cwd } });
  }
  const text = "the current folder no longer exists, and rooms cannot work without one";
  return problem("environment.folder", text, "change to another one");
}

function variables({ environment }: Examination): Finding[] {
  const { variables, withheld = [] } = environment;
  const ours = VARIABLES.filter((name) => name.startsWith("SHIELDFIVE_"));
  const set = ours.flatMap((name) => {
    const value = variables[name];
    return value === undefined ? [] : [variable(name, value)];
  });
  if (set.length > 0 || ours.some((name) => withheld.includes(name))) return set;
  return [ok("environment.variable", "no variable SHIELDFIVE_… is set")];
}

/** A variable that is set: its value only when that is known to be no secret. */
export function variable(name: string, value: string): Finding {
  if (!SHOWN.includes(name)) {
    return ok("environment.variable", `${name} is set; its value is not shown`, { data: { name } });
  }
  const data = { name, value };
  if (name === "SHIELDFIVE_MCP_CONFIG_DIR" && !nativeRules.isAbsolute(value)) {
    return note("environment.variable", `${name}=${value} means another place in every folder`, {
      fix: "set it to an absolute path",
      data,
    });
  }
  return ok("environment.variable", `${name}=${value}`, { data });
}

function withheld({ environment: { withheld: names = [] } }: Examination): Finding[] {
  if (names.length === 0) return [];
  return [problem(
    "environment.withheld",
    `the runtime does not let it read ${names.length} of its variables`,
    "start it with the rights named under Program",
    { lines: [...names], data: { names } },
  )];
}
