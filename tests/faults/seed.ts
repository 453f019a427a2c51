// Choices that look random and are the same on every run.

/** A source of choices that depends on the seed alone. */
export function seeded(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return {
    /** A whole number from 0 to below the bound. */
    below(bound: number): number {
      return Math.floor(next() * bound);
    },
    /** So many members of the list, in the list's order; all when there are not more. */
    pick<T>(list: readonly T[], count: number): T[] {
      const marked = list.map((member, index) => ({ member, index, key: next() }));
      marked.sort((a, b) => a.key - b.key);
      return marked.slice(0, count).sort((a, b) => a.index - b.index).map(({ member }) => member);
    },
  };
}
