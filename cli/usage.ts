// A command line that cannot be understood.

/** The command line is wrong; nothing was done. The message is one lower-case sentence. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  /** What to type instead. */
  hint?: string;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}
