// What a person, or another program, is shown of a setup: the change of every file before it is made, and
// how each of them ended.

import { type ErrorRecord, type NotKept, quote, visible } from "../../../containment/mod.ts";
import type { FoundClient, Location } from "../../clients/mod.ts";
import type { Environment } from "../../environment.ts";
import { warn } from "../../messages.ts";
import type { Output } from "../../terminal/streams.ts";
import { type Style, styleFor } from "../../terminal/style.ts";
import { tableLines } from "../../terminal/table.ts";
import type { Plan } from "./plan.ts";

/** A file that could not be dealt with, and why. */
export interface Failure {
  location: Location;
  error: ErrorRecord;
}

/** A change that was made. */
export interface Done {
  plan: Plan;
  notKept: NotKept[];
  /** Why the journal still knows of an entry that is gone. */
  unforgotten?: string;
}

/** Shows what would be done to each file. */
export function showPlans(plans: readonly Plan[], output: Output, environment: Environment): void {
  const style = styleFor(output, environment);
  const shown = plans.map((plan) => planLines(plan, style).join("\n") + "\n");
  output.write(shown.join(plans.some(({ step }) => step !== undefined) ? "\n" : ""));
}

function planLines({ config, action, line, gone, come, notes }: Plan, { bold }: Style): string[] {
  const { location: { client, file } } = config;
  const head = `${bold(client.title)}  ${visible(file)}`;
  if (action === "none") return [`${head}  ${notes.join("; ")}`];
  return [
    head,
    config.read === undefined ? "  a new file:" : `  line ${line}:`,
    ...gone.map((text) => `  - ${visible(text.replaceAll("\t", "  "))}`),
    ...come.map((text) => `  + ${visible(text.replaceAll("\t", "  "))}`),
    ...notes.map((note) => `  ${note}`),
  ];
}

const DID: Record<Plan["action"], string> = {
  add: "set up in",
  change: "brought up to date in",
  remove: "taken out of",
  none: "left as it is in",
};

/** Tells of each file that was changed, and of what was lost on the way. */
export function showDone(done: readonly Done[], environment: Environment): void {
  const { stdout } = environment;
  for (const { plan: { config, action }, notKept, unforgotten } of done) {
    const { client, file } = config.location;
    stdout.write(`${client.title}: ${DID[action]} ${visible(file)}\n`);
    for (const what of notKept.filter((what) => what !== "hard links")) {
      warn(environment, `the ${what} of ${quote(file)} could not be kept`);
    }
    if (unforgotten !== undefined) {
      warn(environment, `the record of ${quote(file)} could not be taken away: ${unforgotten}`);
    }
  }
}

/** Tells of each file that could not be dealt with. */
export function showFailures(failures: readonly Failure[], environment: Environment): void {
  for (const { location: { client, file }, error } of failures) {
    const left = error.changed_anything ? "" : " was left as it is";
    warn(environment, `${client.title}: ${quote(file)}${left}: ${error.message}`);
  }
}

/** The plans, or what became of them, as data. */
export function asData(
  plans: readonly Plan[],
  failures: readonly Failure[],
  done?: readonly Done[],
): Record<string, unknown> {
  const statusOf = (plan: Plan) => {
    if (plan.step === undefined) return "unchanged";
    return done?.some((each) => each.plan === plan) ? "done" : "planned";
  };
  const failed = new Set(failures.map(({ location }) => location));
  return {
    performed: done !== undefined && done.length > 0,
    clients: [
      ...plans.filter(({ config }) => !failed.has(config.location)).map((plan) => ({
        ...named(plan.config.location),
        status: statusOf(plan),
        ...(plan.step === undefined ? {} : {
          action: plan.action,
          line: plan.line,
          gone: plan.gone,
          come: plan.come,
          ...(plan.step.setUp?.backup === undefined ? {} : { backup: plan.step.setUp.backup }),
        }),
        notes: plan.notes,
      })),
      ...failures.map(({ location, error: { code, message } }) => ({
        ...named(location),
        status: "failed",
        error: { code, message },
      })),
    ],
  };
}

function named({ client: { id, title }, file }: Location) {
  return { id, title, file };
}

/** The clients that are here, as a table. */
export function showList(clients: readonly FoundClient[], environment: Environment): void {
  const { stdout } = environment;
  const columns = stdout.isTerminal ? environment.columns : undefined;
  const table = {
    columns: [
      { title: "Name", kind: "text" as const },
      { title: "Assistant", kind: "text" as const },
      { title: "shieldfive", kind: "text" as const },
      { title: "File", kind: "path" as const },
    ],
    rows: clients.map((each) => [each.id, each.title, stateOf(each), each.file]),
  };
  const layout = { style: styleFor(stdout, environment), columns };
  stdout.write(tableLines(table, layout).join("\n") + "\n");
}

function stateOf({ state, problem, entry, pointsHere }: FoundClient): string {
  if (state === "unreadable") return `cannot be read: ${problem}`;
  if (entry === undefined) return "not set up";
  return pointsHere ? "set up" : "starts another program";
}
