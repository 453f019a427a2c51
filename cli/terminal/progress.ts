// One line on a terminal that tells how far long work is. It appears only when the work lasts long
// enough to make one wonder, and is gone before anything else is printed.

import type { Progress } from "../../containment/mod.ts";
import { count, formatBytes, formatCount } from "../../tools/format.ts";
import { ClosedPipe, type Output, WriteFailed } from "./streams.ts";
import { shortenEnd } from "./width.ts";

/** Milliseconds of work before the line appears. */
const PATIENCE = 300;

/** Starts at the beginning of the work, with its first phase. */
export class ProgressLine {
  readonly #output: Output;
  readonly #columns: number;
  readonly #now: () => number;
  #start: number;
  #phase?: { label: string; start: number; first: number };
  #shown = false;
  #gone = false;

  constructor(output: Output, columns: number, now: () => number = () => performance.now()) {
    this.#output = output;
    this.#columns = columns;
    this.#now = now;
    this.#start = now();
  }

  update(progress: Progress): void {
    const now = this.#now();
    if (this.#phase?.label !== progress.label) {
      this.#phase = { label: progress.label, start: now, first: progress.done };
    }
    if (!this.#output.isTerminal || this.#gone || now - this.#start < PATIENCE) return;
    const seconds = (now - this.#phase.start) / 1000;
    const rate = seconds > 0 ? (progress.done - this.#phase.first) / seconds : 0;
    const line = shortenEnd(progressText(progress, rate), this.#columns - 1);
    this.#write(`\r${line}\x1b[K`);
    this.#shown = true;
  }

  /** Takes the line away; it appears again when the work goes on for long. */
  erase(): void {
    if (this.#shown) this.#write("\r\x1b[K");
    this.#shown = false;
    this.#start = this.#now();
  }

  /** A terminal that went away must not take the work along. */
  #write(text: string): void {
    try {
      this.#output.write(text);
    } catch (error) {
      if (!(error instanceof ClosedPipe || error instanceof WriteFailed)) throw error;
      this.#gone = true;
    }
  }
}

/** How far the work is, at so many units a second. */
export function progressText({ done, total, unit, label }: Progress, rate: number): string {
  const amount = (n: number) => unit === "bytes" ? formatBytes(n) : count(Math.round(n), "file");
  const sofar = unit === "bytes" ? formatBytes(done) : formatCount(done);
  const parts = [
    total === undefined ? amount(done) : `${sofar} of ${amount(total)}`,
    ...(rate >= 1 ? [`${amount(rate)}/s`] : []),
    ...(total !== undefined && rate >= 1 ? [`${timeLeft((total - done) / rate)} left`] : []),
  ];
  return `${label}: ${parts.join(", ")}`;
}

function timeLeft(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes} min ${whole % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
