// Where the published test vectors are, beside the project, when somebody has put them there.

import { unhex } from "./second/primitives.ts";

const FOLDER = new URL("../../../../shared/vectors/", import.meta.url);

/** Hexadecimal in a vector file, as text or as one of its {hex, base64, length}. */
export type Hex = string | { hex: string };

export function bytesOf(value: Hex): Uint8Array<ArrayBuffer> {
  return unhex(typeof value === "string" ? value : value.hex);
}

/** A file of vectors; undefined, after saying so, where it is not there. */
export function published<Vectors>(name: string): Vectors | undefined {
  try {
    return JSON.parse(Deno.readTextFileSync(new URL(name, FOLDER)));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    console.log(`skipped: the published ${name} is not beside the project`);
    return undefined;
  }
}
