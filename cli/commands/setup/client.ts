// `shieldfive setup client`: puts our entry into the configuration of assistants, and takes it out again.
// Everything is read and decided here; how it is agreed to and written is a matter of its own.

import "../../../containment/native_path.ts";
import { asToolError, nativeRules, realDisk, ToolError } from "../../../containment/mod.ts";
import {
  COMMON_FORM,
  look,
  parseText,
  readConfig,
  type ServerCommand,
  withEntry,
} from "../../clients/mod.ts";
import type { Environment } from "../../environment.ts";
import { type ExecutableCommand, executableCommand } from "../../executable.ts";
import { Interrupts } from "../../interrupt.ts";
import { EXIT, hint, reportFailure, say } from "../../messages.ts";
import { placesOf, realAsFarAsItExists } from "../../places.ts";
import { giveUpRights } from "../../rights.ts";
import { openTerminal, type Terminal } from "../../terminal/prompt.ts";
import { UsageError } from "../../usage.ts";
import { agreeAndWrite } from "./agree.ts";
import { chooseFolders } from "./folders.ts";
import { JOURNAL_NAME, readJournal, setUpOf } from "./journal.ts";
import { type Plan, planEntry, planRemoval } from "./plan.ts";
import { readRequest, type Request, servingWords } from "./request.ts";
import { type Failure, showList } from "./show.ts";
import { chooseLocations } from "./targets.ts";

/** Runs `shieldfive setup client ARGS` and gives the exit code. */
export async function setupClient(args: string[], environment: Environment): Promise<number> {
  const request = readRequest(args);
  using interrupts = new Interrupts(() =>
    say(environment, "stopping; the same again ends the program at once")
  );
  try {
    const executable = executableCommand(environment);
    if (request.does === "list") return list(request, environment, executable);
    const terminal = request.yes ? undefined : openTerminal(environment);
    const entry = request.does === "remove"
      ? undefined
      : await entryWanted(request, environment, executable, terminal, interrupts.signal);
    if (request.does === "print") return print(request, environment, entry!);
    const state = stateFolder(environment);
    const planned = planAll(request, environment, state, entry);
    return await agreeAndWrite({ ...planned, request, environment, interrupts, terminal, state });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const code = reportFailure(error, environment, request.json);
    return interrupts.exitCode ?? code;
  }
}

/** The command that assistants are to start, with the folders that it is to serve. */
async function entryWanted(
  request: Request,
  environment: Environment,
  { command, args }: ExecutableCommand,
  terminal: Terminal | undefined,
  signal: AbortSignal,
): Promise<ServerCommand> {
  const folders = await chooseFolders(request.roots, environment, terminal, signal);
  return { command, args: [...args, ...servingWords(request, folders)] };
}

function list(request: Request, environment: Environment, executable: ExecutableCommand): number {
  const found = chooseLocations(request, environment)
    .map((location) => look(location, realDisk, executable));
  giveUpRights();
  if (request.json) environment.stdout.write(JSON.stringify({ clients: found }, null, 2) + "\n");
  else if (found.length > 0) showList(found, environment);
  else {
    say(environment, "no assistant that is known was found here");
    hint(environment, "`shieldfive setup client --print` shows what to paste into a configuration");
  }
  return EXIT.done;
}

function print({ clients }: Request, environment: Environment, entry: ServerCommand): number {
  giveUpRights();
  const [client = COMMON_FORM] = clients;
  environment.stdout.write(withEntry(parseText("", client), client, entry).text);
  return EXIT.done;
}

function stateFolder({ variables, home }: Environment): string {
  const places = placesOf(variables, home);
  if (places !== undefined) return realAsFarAsItExists(places.state);
  throw new ToolError("not_found", "there is no home folder in the environment to keep records in");
}

/** Reads every file and plans its change. A file that fails does not keep the others from theirs. */
function planAll(
  request: Request,
  environment: Environment,
  state: string,
  entry: ServerCommand | undefined,
): { plans: Plan[]; failures: Failure[] } {
  const journal = readJournal(realDisk, nativeRules.join(state, JOURNAL_NAME));
  const ports = { disk: realDisk, now: new Date().toISOString(), uid: Deno.uid() ?? undefined };
  const plans: Plan[] = [];
  const failures: Failure[] = [];
  for (const location of chooseLocations(request, environment)) {
    try {
      const config = readConfig(location, realDisk);
      requireOwnFile(config.file, plans);
      const known = setUpOf(journal, config.file);
      plans.push(
        entry === undefined
          ? planRemoval(config, known, ports)
          : planEntry(config, entry, known, ports),
      );
    } catch (error) {
      const failure = asToolError(error, "looking", location.file);
      if (!(failure instanceof ToolError)) throw error;
      failures.push({ location, error: failure.toRecord() });
    }
  }
  return { plans, failures };
}

/** Two assistants may share a file by way of links; it cannot be changed for both at once. */
function requireOwnFile(file: string, plans: readonly Plan[]): void {
  const other = plans.find(({ config }) => config.file === file);
  if (other === undefined) return;
  const { title } = other.config.location.client;
  throw new ToolError("not_changeable", `it is the file of ${title} as well; name one of the two`);
}
