// The assistants on this machine: whether each starts this program, and whether what it would start is
// there and would find its folders.

import { nativeRules, openRoots, quote } from "../../../../containment/mod.ts";
import { findClients, type FoundClient } from "../../../clients/mod.ts";
import { executableCommand } from "../../../executable.ts";
import type { Option } from "../../../options.ts";
import { parseWords } from "../../../parse.ts";
import { UsageError } from "../../../usage.ts";
import type { Examination } from "../examination.ts";
import { type Finding, note, ok, problem } from "../finding.ts";
import { findProgram, isFile, lacksRights, programFile } from "../programs.ts";
import { isNested } from "../folders.ts";
import type { Section } from "../section.ts";

export const assistants: Section = {
  name: "assistants",
  title: "Assistants",
  async look(examination) {
    const { environment, disk, missingRights } = examination;
    if (missingRights.includes("read")) {
      return [
        note("assistant.none", "they cannot be looked for without the right to read anywhere"),
      ];
    }
    const clients = findClients(environment, disk, executableCommand(environment));
    if (clients.length === 0) return [ok("assistant.none", "none was found")];
    // Not loaded with the rest: beside it lies the server.
    const { MCP_OPTIONS } = await import("../../../mcp/options.ts");
    return clients.flatMap((client) => assistant(client, MCP_OPTIONS, examination));
  },
};

function assistant(
  client: FoundClient,
  options: readonly Option[],
  examination: Examination,
): Finding[] {
  const { id, title, file, state, entry } = client;
  const about = { id, title, file, configuration: state };
  if (state === "unreadable") {
    const text = `${title}: its configuration cannot be understood: ${client.problem}`;
    return [problem("assistant", text, `mend ${file}`, { data: about })];
  }
  const setup = `run \`shieldfive setup client ${id}\``;
  if (entry === undefined) {
    return [note("assistant", `${title} does not start shieldfive`, { fix: setup, data: about })];
  }
  const { command, args } = entry;
  const data = { ...about, command, args, points_here: client.pointsHere };
  const ours = client.pointsHere === true || args.includes(programFile());
  const { faults, none } = entryFaults(entry, ours, options, examination);
  if (faults.length > 0) {
    return faults.map((fault) => problem("assistant", `${title}: ${fault}`, setup, { data }));
  }
  if (!ours) {
    const other = `${title} starts another shieldfive, by way of ${command}`;
    return [note("assistant", other, { fix: `${setup} to have it start this one`, data })];
  }
  const starts = `${title} starts this shieldfive`;
  if (!none) return [ok("assistant", starts, { data })];
  const fix = "name folders behind `mcp`";
  return [note("assistant", `${starts}, and grants it no folder`, { fix, data })];
}

type Entry = NonNullable<FoundClient["entry"]>;

/** What is wrong with an entry, and whether it grants no folder. */
function entryFaults(
  entry: Entry,
  ours: boolean,
  options: readonly Option[],
  examination: Examination,
): { faults: string[]; none: boolean } {
  const start = startFaults(entry, examination);
  const server = serverOf(entry);
  if (server === undefined) {
    const idle = ours ? ["it does not start the server, which is `mcp`"] : [];
    return { faults: [...start, ...idle], none: false };
  }
  const { faults, none, refused } = foldersOf(server, entry, options, examination);
  // Another version may take what this one does not.
  const unknown = ours && refused !== undefined
    ? [`its server would refuse its arguments: ${refused}`]
    : [];
  return { faults: [...start, ...faults, ...unknown], none };
}

/** The words for the server, where an entry starts one. */
function serverOf({ args }: Entry): string[] | undefined {
  const at = args.indexOf("mcp");
  return at < 0 ? undefined : args.slice(at + 1);
}

/** What would keep an assistant from starting the program. */
function startFaults(
  { command, args, env }: Entry,
  { disk, environment: { variables } }: Examination,
): string[] {
  const program = findProgram(command, env?.PATH ?? variables.PATH ?? "", disk);
  const served = args.indexOf("mcp");
  const words = served < 0 ? args : args.slice(0, served);
  const scripts = words.filter((word) =>
    nativeRules.isAbsolute(word) && /\.[cm]?[jt]s$/.test(word)
  );
  const gone = scripts.filter((script) => !isFile(script, disk));
  const lacking = scripts.includes(programFile()) ? lacksRights(words) : undefined;
  return [
    ...(program.problem === undefined ? [] : [`its command ${quote(command)} ${program.problem}`]),
    ...gone.map((script) => `the program ${quote(script)} is not there`),
    ...(lacking === undefined ? [] : [`it starts this shieldfive without ${lacking}`]),
  ];
}

/** What is wrong with the folders that an entry grants. */
function foldersOf(
  words: string[],
  entry: Entry,
  options: readonly Option[],
  { environment: { home, variables }, disk }: Examination,
): { faults: string[]; none: boolean; refused?: string } {
  const listed = entry.env?.SHIELDFIVE_MCP_ROOTS ?? variables.SHIELDFIVE_MCP_ROOTS ?? "";
  try {
    const { operands } = parseWords(words, options);
    const candidates = [...operands, ...listed.split(nativeRules.delimiter)];
    const { rejected, roots } = openRoots(candidates, { home, disk });
    const faults = rejected.filter((bad) => !isNested(bad)).map(({ candidate, reason }) =>
      `it cannot work in its root ${quote(candidate)}: ${reason}`
    );
    return { faults, none: roots.length === 0 };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { faults: [], none: false, refused: error.message };
  }
}
