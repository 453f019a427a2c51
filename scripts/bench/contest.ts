// Two ways to do one thing, in one process and in turns, so that a slow moment of the machine meets both.

import type { Figure } from "./compare.ts";

/** A measurement of ours beside a peer's. */
export interface Contest {
  what: string;
  against: string;
  /** How many times as fast as the peer ours is to be. */
  target: number;
  /** What one run of either gets through, and what it is counted in. */
  amount: { count: number; unit: "MB" | "names" };
  ours(): unknown;
  peer(): unknown;
}

const ROUNDS = Number(Deno.env.get("N") ?? 7);

async function milliseconds(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

function shown(ms: number, { count, unit }: Contest["amount"]): string {
  const figure = unit === "MB"
    ? `${(count / ms * 1000).toFixed(0)} MB/s`
    : `${(ms / count).toFixed(1)} ms`;
  return figure.padStart(9);
}

/**
 * Runs both in turns, after a round that does not count, and reports how many times as fast ours is by
 * the medians. Who begins changes with each round, since the second finds the memory as the first left it.
 */
export async function hold(contest: Contest, report: (figure: Figure) => void): Promise<void> {
  const times = { ours: [] as number[], peer: [] as number[] };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const side of round % 2 === 0 ? ["ours", "peer"] as const : ["peer", "ours"] as const) {
      const ms = await milliseconds(() => contest[side]());
      if (round > 0) times[side].push(ms);
    }
  }
  const [ours, peer] = [median(times.ours), median(times.peer)];
  const { what, against, target, amount } = contest;
  console.log(
    `${what.padEnd(34)} ${shown(ours, amount)}   ${against.padEnd(28)} ${shown(peer, amount)}   ` +
      `${(peer / ours).toFixed(2)} times as fast`,
  );
  report({ what, against, measured: peer / ours, target, unit: "times as fast" });
}
