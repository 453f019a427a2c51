// What can be told from the words of a command line before anything is parsed.

/** The words before a `--`, after which everything is an operand. */
function optionWords(words: string[]): string[] {
  const end = words.indexOf("--");
  return end < 0 ? words : words.slice(0, end);
}

/** Whether help was asked for, wherever that stands. */
export function asksForHelp(words: string[]): boolean {
  return optionWords(words).some((word) => word === "--help" || word === "-h");
}

/** Whether the result, and so a failure too, is wanted as JSON. */
export function asksForJson(words: string[]): boolean {
  return optionWords(words).includes("--json");
}
