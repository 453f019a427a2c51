// How much memory code asks for at once: a length that came from outside must be bounded before it is
// believed.

/**
 * Runs a body and says the most bytes that it asked one array for. What else runs meanwhile counts too.
 */
export async function largestAllocation(body: () => Promise<void> | void): Promise<number> {
  const original = globalThis.Uint8Array;
  let largest = 0;
  // Arrays made from others, and views of a buffer, are no larger than what is there already.
  globalThis.Uint8Array = new Proxy(original, {
    construct(target, args) {
      if (typeof args[0] === "number") largest = Math.max(largest, args[0]);
      return Reflect.construct(target, args);
    },
  });
  try {
    await body();
  } finally {
    globalThis.Uint8Array = original;
  }
  return largest;
}
