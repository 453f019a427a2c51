// A tool as a command: from the words on the command line to its result on the terminal. The order is
// the point: everything that needs rights happens first, then this thread gives them up, and only then
// does a room touch a file. A change is shown before it is made, and made only after a yes.

import "../../containment/native_path.ts";
import { requireSamePlan } from "../../tools/plan.ts";
import { roomKinds, type SessionCallOptions } from "../../tools/session.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Environment } from "../environment.ts";
import { Interrupts } from "../interrupt.ts";
import { EXIT, hint, reportFailure, say, warn } from "../messages.ts";
import { optionsOf } from "../options.ts";
import { type Parsed, parseWords } from "../parse.ts";
import { grantedLines, type GrantedRoom } from "../permissions.ts";
import { showJson, showResult } from "../show.ts";
import { ProgressLine } from "../terminal/progress.ts";
import { openTerminal, type Terminal } from "../terminal/prompt.ts";
import { ClosedPipe } from "../terminal/streams.ts";
import { UsageError } from "../usage.ts";
import { callFor } from "./call.ts";
import { type Opening, openRooms, type Ready } from "./rooms.ts";

/** What is said on the command line about how to run, not about what to do. */
interface Manner {
  json: boolean;
  yes: boolean;
  dryRun: boolean;
}

/** How a tool's set of rooms comes to carry it out. */
export interface Way {
  /** What is worth a line on stderr. */
  notices: readonly string[];
  /** The rooms that are opened, with what each may touch. */
  rooms(): GrantedRoom[];
  /** Opens them. When it settles, the main thread has no rights. */
  open(opening: Opening): Promise<Ready>;
}

/** A call that is under way. */
interface Running extends Ready {
  manner: Manner;
  environment: Environment;
  progress: ProgressLine;
  interrupts: Interrupts;
  /** The person who can be asked. */
  terminal?: Terminal;
}

/** Runs `shieldfive TOOL ARGS` and gives the exit code. */
export async function runTool(
  tool: Tool<never>,
  args: string[],
  environment: Environment,
): Promise<number> {
  const { own, common } = optionsOf(tool);
  const parsed = parseWords(args, [...own, ...common]);
  const way = tool.set === "vault"
    ? (await import("./vault_way.ts")).vaultWay(tool, parsed, environment)
    : localWay(tool, parsed, environment);
  for (const notice of way.notices) warn(environment, notice);
  const given = (name: string) => parsed.values.get(name) === true;
  if (given("show-permissions")) {
    environment.stdout.write(grantedLines(way.rooms()).join("\n") + "\n");
    return EXIT.done;
  }
  const manner = { json: given("json"), yes: given("yes"), dryRun: given("dry-run") };
  return await carryOut(tool, way, manner, environment);
}

function localWay(tool: Tool<never>, parsed: Parsed, environment: Environment): Way {
  const call = callFor(tool, parsed, environment);
  const { notices, roots } = call.reach;
  const granted = roots.map(({ path }) => path);
  return {
    notices,
    rooms: () => roomKinds([tool]).map((kind) => ({ kind, granted })),
    open: (opening) => openRooms(tool, call, environment, opening),
  };
}

/** Opens the rooms, runs the call in them, and reports how it ended. */
async function carryOut(
  tool: Tool<never>,
  way: Way,
  manner: Manner,
  environment: Environment,
): Promise<number> {
  const asks = tool.effect === "change" && !manner.yes && !manner.dryRun;
  const terminal = asks ? openTerminal(environment) : undefined;
  const progress = new ProgressLine(environment.stderr, environment.columns);
  const tell = (text: string) => {
    progress.erase();
    say(environment, text);
  };
  using interrupts = new Interrupts(() =>
    tell("stopping; the same again ends the program at once")
  );
  const { signal } = interrupts;
  try {
    const ready = await way.open({
      log: tell,
      signal,
      onProgress: (done) => progress.update(done),
    });
    const running = { ...ready, manner, environment, progress, interrupts, terminal };
    const code = await (tool.effect === "read" ? read(tool, running) : change(tool, running))
      .finally(() => ready.session.close());
    return interrupts.exitCode ?? code;
  } catch (error) {
    progress.erase();
    if (error instanceof UsageError) throw error;
    const code = reportFailure(error, environment, manner.json);
    return error instanceof ClosedPipe ? code : interrupts.exitCode ?? code;
  }
}

function options(tool: Tool<never>, { progress, interrupts }: Running): SessionCallOptions {
  progress.erase(); // its patience begins with the work
  return {
    name: tool.command.join(" "),
    signal: interrupts.signal,
    onProgress: (done) => progress.update(done),
  };
}

async function read(tool: Tool<never>, running: Running): Promise<number> {
  const { session, input } = running;
  const output = await session.read(tool, input, options(tool, running)) as Record<string, unknown>;
  finish(tool, output, running);
  return tool.partial?.(output) ? EXIT.partly : EXIT.done;
}

async function change(tool: Tool<never>, running: Running): Promise<number> {
  const { session, input, manner, environment, progress } = running;
  const plan = await session.preview(tool, input, options(tool, running));
  progress.erase();
  if (plan.settled || manner.dryRun) {
    finish(tool, plan.output, running);
    return EXIT.done;
  }
  if (!manner.yes && running.terminal === undefined) {
    finish(tool, plan.output, running);
    say(environment, "nothing was changed: there is no terminal to ask for a confirmation");
    hint(environment, "--yes proceeds without asking");
    return EXIT.needsConfirmation;
  }
  if (!await agreed(tool, plan.output, running)) {
    say(environment, "nothing was changed");
    return EXIT.failed;
  }
  const output = await session.perform(
    tool,
    input,
    (fresh) => requireSamePlan(plan.binding, fresh.binding, fresh.output),
    options(tool, running),
  ) as Record<string, unknown>;
  finish(tool, output, running, plan.output);
  return tool.partial?.(output) ? EXIT.partly : EXIT.done;
}

/** Shows the plan and waits for a yes, where one is needed. */
async function agreed(
  tool: Tool<never>,
  plan: Record<string, unknown>,
  { manner, environment, interrupts, terminal }: Running,
): Promise<boolean> {
  const { stdout } = environment;
  if (manner.yes || terminal === undefined) {
    if (!manner.json) showResult(tool, plan, environment);
    return true;
  }
  // Whoever is asked must have seen the plan, wherever the output goes.
  const output = stdout.isTerminal && !manner.json ? stdout : terminal;
  showResult(tool, plan, environment, { output });
  return await terminal.confirm("Proceed?", interrupts.signal);
}

/** Prints the outcome. From here on a signal may end the program as it ends any other. */
function finish(
  tool: Tool<never>,
  output: Record<string, unknown>,
  running: Running,
  plan?: Record<string, unknown>,
): void {
  const { manner, environment, progress, interrupts } = running;
  progress.erase();
  interrupts[Symbol.dispose]();
  if (manner.json) showJson(output, environment);
  else showResult(tool, output, environment, { plan });
}
