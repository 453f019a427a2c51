// A request that is refused: the status and the code are the interface (vault spec, 2 and 3), and the
// message is for a developer who looks at the answer.

import type { Json } from "../rows/row_types.ts";

/** Thrown anywhere below the router, which turns it into the answer. */
export class Refusal extends Error {
  override readonly name = "Refusal";

  constructor(
    readonly status: number,
    readonly code: string,
    message?: string,
    readonly options: {
      /** Further fields of the body, such as the missing scope. */
      fields?: Record<string, Json>;
      headers?: Record<string, string>;
      cause?: unknown;
    } = {},
  ) {
    super(message ?? code, { cause: options.cause });
  }
}

/** The one answer for what does not exist and for what is out of the caller's reach. */
export function notFound(): Refusal {
  return new Refusal(404, "not_found");
}

export function badRequest(message: string): Refusal {
  return new Refusal(400, "bad_request", message);
}

/** The row is no longer as the caller saw it, or an id is taken. */
export function conflict(message: string): Refusal {
  return new Refusal(409, "conflict", message);
}
