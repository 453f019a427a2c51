// Text as the shells read it back unchanged.

/** A text in single quotes, for bash and zsh. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A text in single quotes, for fish, where a backslash in them is special. */
export function fishQuoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, "\\$&")}'`;
}
