// What the checks compare with. They also run in a browser, where node's assertions are not.

/** One check: it throws when something is not as it should be. */
export interface Check {
  name: string;
  /** Takes seconds where Argon2id is WebAssembly, and shows nothing there that another does not. */
  costly?: boolean;
  run(): void | Promise<void>;
}

/** A value so that equal ones have equal texts: bytes by their digits. */
function shown(value: unknown): string {
  return value instanceof Uint8Array
    ? `bytes ${value.toHex()}`
    : JSON.stringify(value) ?? "nothing";
}

/** Fails unless the two have the same content. Bytes must be plain: not a subclass that shares memory. */
export function same(actual: unknown, expected: unknown, what: string): void {
  if (actual instanceof Uint8Array && actual.constructor !== Uint8Array) {
    throw new Error(`${what}: the bytes are a ${actual.constructor.name}`);
  }
  if (shown(actual) === shown(expected)) return;
  throw new Error(`${what}: ${shown(actual).slice(0, 400)}, not ${shown(expected).slice(0, 400)}`);
}

/**
 * Fails unless the call is refused: by an error with a code, and with this one where one is given. An
 * error of another kind is a bug that happens to refuse.
 */
export async function refused(
  call: () => unknown,
  code: string | undefined,
  what: string,
): Promise<void> {
  let result: unknown;
  try {
    result = await call();
  } catch (error) {
    requireTyped(error, code, what);
    return;
  }
  throw new Error(`${what} was not refused: ${shown(result).slice(0, 100)}`);
}

function requireTyped(error: unknown, code: string | undefined, what: string): void {
  if (error instanceof RangeError && code === "range_error") return;
  const found = error instanceof Error && "code" in error ? error.code : undefined;
  if (typeof found !== "string") throw new Error(`${what}: not a typed refusal`, { cause: error });
  if (code !== undefined && found !== code) throw new Error(`${what}: ${found}, not ${code}`);
}

/** The bytes of hexadecimal text. */
export function unhex(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.fromHex(text);
}

/** The bytes of base64 text. */
export function unbase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.fromBase64(text);
}
