// A process that dies at one exact moment: from then on nothing that it does reaches rows or objects. What
// was committed stays, what was not is rolled back, as after kill -9.

import type { Objects } from "../../../../vault/server/objects/objects.ts";
import type { Rows } from "../../../../vault/server/rows/rows.ts";

export class Crash extends Error {
  override readonly name = "Crash";
}

/** What writes: two moments with nothing but reading between them are one. */
const WRITES = /^(transaction|remove|insert|add|change|update|put|mark|touch|create)/;

/** Counts the moments before and after each write of what it watches, and dies at one of them. */
export class Life {
  moments = 0;
  #begun = false;
  readonly #last: number;

  /** @param last the moment at which it dies. */
  constructor(last = Infinity) {
    this.#last = last;
  }

  /** Counts from now on. */
  begin(): void {
    this.#begun = true;
  }

  watch<T extends Rows | Objects>(target: T): T {
    return new Proxy(target, {
      get: (_, name) => {
        const member = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        const pass = () => this.#pass(WRITES.test(String(name)));
        return (...given: unknown[]) => {
          pass();
          const result = member.apply(target, given);
          pass();
          return result;
        };
      },
    });
  }

  #pass(counts: boolean): void {
    if (counts && this.#begun) this.moments++;
    if (this.moments >= this.#last) throw new Crash();
  }
}
