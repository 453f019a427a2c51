// The program against its peers: each measurement with the figure that we hold ourselves to.

import { COMMAND, shellLine } from "../program.ts";
import { installed, median, type Row, Skipped, table } from "./scripts.ts";
import { cacheFolder, millionFiles, tree } from "./trees.ts";

/** One figure beside its target: at most that, or for how many times as fast at least that. */
export interface Figure {
  what: string;
  against: string;
  measured: number;
  target: number;
  unit: "times" | "MiB" | "times as fast";
}

/** Measures and reports figures one by one, so that what came before a failure is kept. */
export type Measurement = (report: (figure: Figure) => void) => Promise<void>;

// The runtime by its full path, since PATH may hold a launcher that costs time of its own.
const PROGRAM = shellLine([Deno.execPath(), ...COMMAND.slice(1)]);
const ROUNDS = { N: Deno.env.get("N") ?? "5" };

function product(rows: Row[]): Row {
  const row = rows.find((row) => Object.values(row)[0] === "product");
  if (row === undefined) throw new Error("the table has no row for the program");
  if (row.exit !== undefined && row.exit !== "0") {
    throw new Error(`the program ended with exit code ${row.exit}`);
  }
  return row;
}

/** The program's time as a multiple of a peer's. */
function ratio(rows: Row[], peer: string, column = "A / this"): number {
  product(rows);
  return median(rows.find((row) => Object.values(row)[0] === peer), column);
}

/** Peak memory of the program in MiB. */
function peak(rows: Row[]): number {
  return median(product(rows), "peak MiB");
}

// Not by the ready-made script: it has rmlint write to /dev/null, which rmlint, run as root, replaces
// by a regular file, for the whole machine.
const DUPLICATE_FINDERS: Record<string, string> = {
  jdupes: "jdupes -r -q",
  rmlint: "rmlint -a sha256 -T df -o json:stdout",
};

async function duplicates(kind: "home" | "wide"): Promise<Row[]> {
  const folder = shellLine([await tree(kind)]);
  const commands = [`product=${PROGRAM} dupes --json ${folder}`];
  for (const [peer, command] of Object.entries(DUPLICATE_FINDERS)) {
    if (installed(peer)) commands.push(`${peer}=${command} ${folder}`);
    else console.log(`skipped: ${peer} is not on PATH`);
  }
  return await table("pair.py", ["-n", ROUNDS.N, ...commands]);
}

const dupes: Measurement = async (report) => {
  const jdupes = { home: 1.2, wide: 1.3 };
  for (const kind of ["home", "wide"] as const) {
    const what = `dupes, ${kind}`;
    const rows = await duplicates(kind);
    if (installed("jdupes")) {
      const measured = ratio(rows, "jdupes");
      report({ what, against: "jdupes", measured, target: jdupes[kind], unit: "times" });
    }
    if (installed("rmlint")) {
      const measured = ratio(rows, "rmlint");
      report({ what, against: "rmlint -a sha256", measured, target: 0.3, unit: "times" });
    }
    if (kind === "wide") {
      report({ what, against: "peak memory", measured: peak(rows), target: 260, unit: "MiB" });
    }
  }
};

const walk: Measurement = async (report) => {
  for (const command of ["list", "summary"]) {
    const rows = await table("walk.sh", [`${PROGRAM} ${command}`, await tree("wide")], ROUNDS);
    const measured = ratio(rows, "find-printf");
    report({
      what: `${command}, wide`,
      against: "find -printf",
      measured,
      target: 3.6,
      unit: "times",
    });
  }
};

const mcp: Measurement = async (report) => {
  if (!installed("npm")) throw new Skipped("npm is not on PATH, which the other servers need");
  const folder = await tree("deep");
  const column = "A / this (init)";
  const rows = await table("mcp.sh", [
    `${PROGRAM} mcp ${shellLine([folder])}`,
    folder,
    `${cacheFolder()}/servers`,
    "--tool",
    "product=list_local",
  ], ROUNDS);
  report({
    what: "mcp, reply to initialize",
    against: "@modelcontextprotocol/server-filesystem",
    measured: ratio(rows, "official", column),
    target: 0.5,
    unit: "times",
  });
};

const startup: Measurement = async (report) => {
  const rows = await table("startup.sh", [`${PROGRAM} --help`], { N: "15" });
  const measured = ratio(rows, "deno-hello");
  report({ what: "--help", against: "deno, one line", measured, target: 2.5, unit: "times" });
};

const memory: Measurement = async (report) => {
  const command = `product=${PROGRAM} summary ${shellLine([millionFiles()])}`;
  const rows = await table("pair.py", ["-n", "1", "--warmup", "0", command]);
  report({
    what: "summary, a million files",
    against: "peak memory",
    measured: peak(rows),
    target: 700,
    unit: "MiB",
  });
};

/** Loaded late, since its peers take a while. */
const crypto: Measurement = async (report) => {
  await (await import("./crypto.ts")).cryptography(report);
};

/** Every comparison by the name under which it can be asked for. */
export const comparisons: Record<string, Measurement> = {
  dupes,
  walk,
  mcp,
  startup,
  memory,
  crypto,
};
