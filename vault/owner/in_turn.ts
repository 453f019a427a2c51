// Many things of one kind, a few at a time.

/** Does something for each entry, several at a time, and begins nothing after the first failure. */
export async function inTurn<T>(
  entries: Iterable<T>,
  atATime: number,
  body: (entry: T) => Promise<void>,
): Promise<void> {
  const queue = Iterator.from(entries);
  let failed = false;
  const workers = Array.from({ length: atATime }, async () => {
    for (const entry of queue) {
      try {
        await body(entry);
      } catch (error) {
        failed = true;
        throw error;
      }
      if (failed) return;
    }
  });
  await Promise.all(workers);
}
