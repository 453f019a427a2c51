// The one line that sums up what a reading tool found, with what is missing from it.

import { quote } from "../../containment/text.ts";

/** @param found without a full stop. */
export function summarize(found: string, warnings: readonly string[] = []): string {
  return [`${found}.`, ...warnings.map((warning) => `Note: ${warning}.`)].join(" ");
}

/** A path, or a name, in a sentence: short, and with nothing in it that could pass for the sentence. */
export function named(path: string): string {
  return quote(path, 160);
}

/** Where a summary's sentence speaks of a folder that was asked about. */
export function within(folder: string | undefined): string {
  return folder === undefined ? "" : ` in ${named(folder)}`;
}
