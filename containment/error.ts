// How every part of the program says that it refuses or failed: a code that belongs to the
// interface, one sentence that says what was wrong and what to do, and whether anything changed.

/** What crosses a thread boundary or goes into a result in place of a {@link ToolError}. */
export interface ErrorRecord {
  code: string;
  message: string;
  /** True when something on disk may have changed before the failure. */
  changed_anything: boolean;
  detail?: Record<string, unknown>;
}

/** A refusal or failure whose code and message are meant for the person or model that asked. */
export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly code: string;
  readonly detail?: Record<string, unknown>;
  readonly changedAnything: boolean;

  constructor(
    code: string,
    message: string,
    options: { detail?: Record<string, unknown>; changedAnything?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.detail = options.detail;
    this.changedAnything = options.changedAnything ?? false;
  }

  toRecord(): ErrorRecord {
    return {
      code: this.code,
      message: this.message,
      changed_anything: this.changedAnything,
      ...(this.detail === undefined ? {} : { detail: this.detail }),
    };
  }

  static fromRecord(record: ErrorRecord): ToolError {
    return new ToolError(record.code, record.message, {
      detail: record.detail,
      changedAnything: record.changed_anything,
    });
  }
}

/**
 * The system's name for why a file operation failed (`ENOENT`, `EXDEV`, …). Deno and its node
 * layer both put it on `code`; a permission that the runtime withheld has none and reads as
 * `NOT_CAPABLE`. Anything that is not a system error gives undefined.
 */
export function errnoOf(error: unknown): string | undefined {
  if (error instanceof Deno.errors.NotCapable) return "NOT_CAPABLE";
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && /^E[A-Z0-9]+$/.test(code) ? code : undefined;
}

/** Whether the failure means that nothing is at the path. */
export function isMissing(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno === "ENOENT" || errno === "ENOTDIR";
}

/**
 * An unexpected system error as the interface shows it: `io_error` with the operation, the path
 * and the errno (local-tools spec, 1.11). Errors that already have a code pass unchanged, and so
 * does anything that is no system error, since that is a bug and must not be dressed up.
 */
export function asToolError(
  error: unknown,
  operation: string,
  path: string,
  options: { changedAnything?: boolean } = {},
): unknown {
  const errno = errnoOf(error);
  if (error instanceof ToolError || errno === undefined) return error;
  return new ToolError("io_error", `${operation} failed: ${errno} (${(error as Error).message})`, {
    detail: { errno, operation, path },
    changedAnything: options.changedAnything,
    cause: error,
  });
}
