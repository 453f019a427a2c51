// Colours and weights, on a terminal that wants them and nowhere else (https://no-color.org).

import type { Environment } from "../environment.ts";
import type { Output } from "./streams.ts";

export type Paint = (text: string) => string;

export interface Style {
  bold: Paint;
  dim: Paint;
  red: Paint;
  yellow: Paint;
}

/** The style for one of the environment's outputs. */
export function styleFor(output: Output, { variables }: Environment): Style {
  const colours = output.isTerminal && variables.NO_COLOR === undefined &&
    variables.TERM !== "dumb";
  const paint = (on: number, off: number): Paint =>
    colours ? (text) => `\x1b[${on}m${text}\x1b[${off}m` : (text) => text;
  return { bold: paint(1, 22), dim: paint(2, 22), red: paint(31, 39), yellow: paint(33, 39) };
}
