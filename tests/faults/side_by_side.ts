// Running many trials on two cores.

/** Runs at the same time. */
const SIDE_BY_SIDE = 2;

/** Maps over the list with a few at a time, keeping the order. */
export async function sideBySide<T, R>(
  list: readonly T[],
  run: (member: T) => Promise<R>,
  report: (result: R) => void,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    while (next < list.length) {
      const index = next++;
      results[index] = await run(list[index]);
      report(results[index]);
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
  return results;
}
