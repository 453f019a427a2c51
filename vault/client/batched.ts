// Many small things at a time, but never all of a long list at once: each that is under way takes memory.

const AT_A_TIME = 500;

/** Does something for each entry, in batches. */
export async function batched<T>(
  entries: readonly T[],
  body: (entry: T) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < entries.length; start += AT_A_TIME) {
    await Promise.all(entries.slice(start, start + AT_A_TIME).map(body));
  }
}
