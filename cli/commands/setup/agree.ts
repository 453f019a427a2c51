// The second half of a setup: the main thread opens the room that may write just these files and gives up
// its own rights; then the person sees the change and agrees, and only then is anything written.

import { errnoOf, lookAt, nativeRules, realDisk } from "../../../containment/mod.ts";
import { Room } from "../../../containment/rooms/host.ts";
import { roomModule } from "../../../containment/rooms/modules.ts";
import type { Environment } from "../../environment.ts";
import type { Interrupts } from "../../interrupt.ts";
import { EXIT, hint, say } from "../../messages.ts";
import { permissionLines } from "../../permissions.ts";
import { giveUpRights } from "../../rights.ts";
import type { Terminal } from "../../terminal/prompt.ts";
import type { Orders, Outcome } from "./carry_out.ts";
import { JOURNAL_NAME } from "./journal.ts";
import { TEMPORARY } from "./keeping.ts";
import type { Plan, Step } from "./plan.ts";
import type { Request } from "./request.ts";
import { asData, type Done, type Failure, showDone, showFailures, showPlans } from "./show.ts";

/** A setup that is planned. */
export interface Planned {
  plans: Plan[];
  failures: Failure[];
  request: Request;
  environment: Environment;
  interrupts: Interrupts;
  /** The person who can be asked. */
  terminal?: Terminal;
  /** The state folder, with its links resolved. */
  state: string;
}

/** Shows the change, asks, and has it made. Gives the exit code. */
export async function agreeAndWrite(planned: Planned): Promise<number> {
  const { request, environment, interrupts } = planned;
  const orders = ordersFor(planned);
  const paths = pathsOf(orders);
  if (request.showPermissions) {
    environment.stdout.write(permissionLines(["settings"], paths).join("\n") + "\n");
    return EXIT.done;
  }
  if (orders.steps.length === 0 || request.dryRun) {
    giveUpRights();
    finish(planned);
    return exitCode(planned.plans, planned.failures);
  }
  const folders = openFolders(paths);
  const room = new Room({
    kind: "settings",
    module: roomModule("settings"),
    folders: paths,
    log: (line) => say(environment, line),
  });
  try {
    await room.ready;
    giveUpRights();
    const code = await inRoom(room, orders, planned);
    for (const folder of folders) whereAllowed(() => folder.syncSync());
    return interrupts.exitCode ?? code;
  } finally {
    room.close();
    for (const folder of folders) folder.close();
  }
}

function ordersFor({ plans, state }: Planned): Orders {
  const missing: string[] = [];
  for (let at = state; lookAt(realDisk, at) === undefined; at = nativeRules.dirname(at)) {
    missing.unshift(at);
  }
  const path = nativeRules.join(state, JOURNAL_NAME);
  const lock = nativeRules.join(state, `.${JOURNAL_NAME}.lock`);
  return {
    journal: { path, temporary: path + TEMPORARY, lock, missing },
    steps: plans.map(({ step }) => step).filter((step) => step !== undefined),
  };
}

/** Every path that the room touches. */
function pathsOf({ journal: { path, temporary, lock, missing }, steps }: Orders): string[] {
  const ofStep = ({ file, leftovers, backup, aside }: Step) =>
    [file, ...leftovers, backup?.path, aside].filter((each) => each !== undefined);
  if (steps.length === 0) return [];
  return [...missing.slice(0, 1), path, temporary, lock, ...steps.flatMap(ofStep)];
}

/**
 * The folders of the files, open to be flushed at the end. The room cannot do that: to open a folder it
 * would need the right to read everything in it. Where it cannot be done, it is left undone: the changes
 * are whole without it.
 */
function openFolders(paths: readonly string[]): Deno.FsFile[] {
  if (Deno.build.os === "windows") return [];
  const folders = new Set(paths.map((path) => nativeRules.dirname(path)));
  return [...folders].map((folder) => whereAllowed(() => Deno.openSync(folder)))
    .filter((folder) => folder !== undefined);
}

/** What the call gives, or undefined where the system does not let it. */
function whereAllowed<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

async function inRoom(room: Room, orders: Orders, planned: Planned): Promise<number> {
  const { plans, failures, request, environment, interrupts, terminal } = planned;
  if (!request.yes && terminal === undefined) {
    finish(planned);
    say(environment, "nothing was changed: there is no terminal to ask for a confirmation");
    hint(environment, "--yes proceeds without asking");
    return EXIT.needsConfirmation;
  }
  if (!await agreed(planned)) {
    say(environment, "nothing was changed");
    return EXIT.failed;
  }
  const outcomes = await room.call("carryOut", orders, {
    name: "setup client",
    signal: interrupts.signal,
  }) as Outcome[];
  const done: Done[] = [];
  const failed: Failure[] = [];
  plans.filter(({ step }) => step !== undefined).forEach((plan, at) => {
    const outcome = outcomes[at];
    if ("notKept" in outcome) done.push({ ...outcome, plan });
    else failed.push({ location: plan.config.location, error: outcome.error });
  });
  finish(planned, { done, failed });
  return exitCode(plans, [...failures, ...failed]);
}

/** Shows the plans and waits for a yes, where one is needed. */
async function agreed(planned: Planned): Promise<boolean> {
  const { plans, failures, request, environment, interrupts, terminal } = planned;
  const { stdout } = environment;
  if (request.yes || terminal === undefined) {
    if (!request.json) showPlans(plans, stdout, environment);
    showFailures(failures, environment);
    return true;
  }
  // Whoever is asked must have seen the change, wherever the output goes.
  const output = stdout.isTerminal && !request.json ? stdout : terminal;
  showPlans(plans, output, environment);
  showFailures(failures, environment);
  return await terminal.confirm("Proceed?", interrupts.signal);
}

/** Prints what would be done or, after everybody saw that, what became of it. */
function finish(
  { plans, failures, request: { json }, environment, interrupts }: Planned,
  outcome?: { done: Done[]; failed: Failure[] },
): void {
  interrupts[Symbol.dispose]();
  const { done, failed } = outcome ?? {};
  if (json) {
    const data = asData(plans, [...failures, ...failed ?? []], done);
    environment.stdout.write(JSON.stringify(data, null, 2) + "\n");
  } else if (done === undefined) {
    showPlans(plans, environment.stdout, environment);
  } else {
    showDone(done, environment);
  }
  showFailures(failed ?? failures, environment);
  if (done !== undefined && done.length > 0 && !json) {
    say(environment, "an assistant that is running takes notice when it is started again");
  }
}

/** Nothing failed, all of it did, or a part. */
function exitCode(plans: readonly Plan[], failures: readonly Failure[]): number {
  if (failures.length === 0) return EXIT.done;
  const failed = new Set(failures.map(({ location }) => location));
  return plans.some(({ config }) => !failed.has(config.location)) ? EXIT.partly : EXIT.failed;
}
