// What runs here: the version, the runtime, how it was started and with which rights.

import { entryName, errnoOf, programFolder } from "../../../../containment/mod.ts";
import { COMMIT } from "../../../commit.ts";
import { type ExecutableCommand, executableCommand, PERMISSIONS } from "../../../executable.ts";
import { VERSION } from "../../../version.ts";
import { commitOf } from "../commit.ts";
import type { Examination } from "../examination.ts";
import { type Finding, ok, problem } from "../finding.ts";
import { programFile } from "../programs.ts";
import type { Section } from "../section.ts";

export const program: Section = {
  name: "program",
  title: "Program",
  look: (examination) => [
    version(examination),
    runtime(),
    started(examination),
    rights(examination),
  ],
};

function version({ disk }: Examination): Finding {
  const commit = COMMIT ??
    (isSources() ? commitOf(programFolder(), disk)?.slice(0, 12) : undefined);
  const text = `shieldfive ${VERSION}` +
    (commit === undefined ? "" : `, commit ${commit}`);
  return ok("program.version", text, { data: { version: VERSION, commit } });
}

function runtime(): Finding {
  const { deno, v8 } = Deno.version;
  const { target } = Deno.build;
  return ok("program.runtime", `deno ${deno}, v8 ${v8}, ${target}`, { data: { deno, v8, target } });
}

/** Whether this is a checkout, and not what was built from one. */
function isSources(): boolean {
  return !Deno.build.standalone && entryName().endsWith(".ts");
}

const WAYS = {
  sources: "started from its sources",
  bundle: "started from a bundle",
  portable: "started as the self-extracting executable",
  compiled: "started as a compiled executable",
};

function started({ environment }: Examination): Finding {
  try {
    return startedBy(executableCommand(environment));
  } catch (error) {
    const code = errnoOf(error);
    if (code === undefined) throw error;
    const text = `how it was started cannot be found out (${code})`;
    const fix = "start it with the right to read; else install it anew";
    return problem("program.started", text, fix, { data: { code } });
  }
}

function startedBy({ command, args }: ExecutableCommand): Finding {
  const how: keyof typeof WAYS = Deno.build.standalone
    ? "compiled"
    : args.length === 0
    ? "portable"
    : isSources()
    ? "sources"
    : "bundle";
  const file = args.length === 0 ? command : programFile();
  return ok("program.started", `${WAYS[how]}, ${file}`, { data: { how, file, command, args } });
}

function rights({ missingRights }: Examination): Finding {
  const data = { missing: missingRights };
  if (missingRights.length === 0) {
    return ok("program.rights", "the runtime gives it every right that its parts need", { data });
  }
  return problem(
    "program.rights",
    `the runtime withholds rights that its parts need (${missingRights.join(", ")})`,
    `start it with ${PERMISSIONS.join(" ")}`,
    { data },
  );
}
