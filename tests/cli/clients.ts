// What the tests of assistants' configuration share: an entry, an independent reading of JSON with
// comments, and a setup that is planned and carried out in this process on real files.

import { CancelFlag, type Disk, realDisk } from "../../containment/mod.ts";
import {
  type Client,
  EVERY_CLIENT,
  type Location,
  readConfig,
  type ServerCommand,
} from "../../cli/clients/mod.ts";
import { carryOut, type Orders, type Outcome } from "../../cli/commands/setup/carry_out.ts";
import { readJournal, setUpOf } from "../../cli/commands/setup/journal.ts";
import { type Plan, planEntry, planRemoval } from "../../cli/commands/setup/plan.ts";

/** What a test's entry starts. */
export const ENTRY: ServerCommand = {
  command: "/opt/shield five/shieldfive",
  args: ["mcp", '/home/me/Down"loads', "/home/me/Dökumente\\x\u007f"],
};

export function clientCalled(id: string): Client {
  return EVERY_CLIENT.find((client) => client.id === id)!;
}

export const JSON_CLIENTS: Client[] = EVERY_CLIENT.filter(({ format }) => format === "json");

/** JSON with comments and closing commas as the standard's own parser reads it without them. */
export function readCommented(text: string): unknown {
  const bare = text.replace(
    /("(?:[^"\\]|\\.)*")|\/\/[^\n\r]*|\/\*[^]*?\*\//g,
    (_, string) => string ?? " ",
  );
  const closed = bare.replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, (_, string) => string ?? "");
  return JSON.parse(closed.replace(/^\ufeff/, ""));
}

/** A folder with one file of a client in it, and a state folder. */
export interface Bench {
  location: Location;
  state: string;
}

export function benchIn(dir: string, client: Client, name = "config"): Bench {
  Deno.mkdirSync(`${dir}/state`, { recursive: true });
  return { location: { client, file: `${dir}/${name}`, sign: dir }, state: `${dir}/state` };
}

/** The plan to put an entry in, or without one to take ours out. */
export function planOn(
  { location, state }: Bench,
  entry: ServerCommand | undefined,
  disk: Disk = realDisk,
): Plan {
  const config = readConfig(location, disk);
  const known = setUpOf(readJournal(disk, `${state}/setup-journal.json`), config.file);
  const ports = { disk, now: "2026-12-01T00:00:00.000Z", uid: Deno.uid() ?? undefined };
  return entry === undefined
    ? planRemoval(config, known, ports)
    : planEntry(config, entry, known, ports);
}

export function ordersOn({ state }: Bench, plans: Plan[]): Orders {
  const path = `${state}/setup-journal.json`;
  return {
    journal: { path, temporary: `${path}.new`, lock: `${state}/lock`, missing: [] },
    steps: plans.flatMap(({ step }) => step === undefined ? [] : [step]),
  };
}

/** Plans and carries out; nothing else is at work, so the lock is not taken. */
export function runOn(
  bench: Bench,
  entry: ServerCommand | undefined,
  disk: Disk = realDisk,
): { plan: Plan; outcome?: Outcome } {
  const plan = planOn(bench, entry, disk);
  const [outcome] = carryOut(ordersOn(bench, [plan]), {
    disk,
    signal: new CancelFlag(),
    locked: (_path, body) => body(),
  });
  return { plan, outcome };
}
