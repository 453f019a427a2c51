// What may leave the server in a day and in a month (UTC), for all downloads together: looked at before
// each, counted as the bytes leave, written to the owner's row in steps.

import type { OwnerRow } from "../rows/rows.ts";
import type { Context } from "./context.ts";
import { Refusal } from "./refusal.ts";

/** The owner's counters, brought to the day and month of a time. */
function counted(owner: OwnerRow, now: number) {
  const egressDay = new Date(now).toISOString().slice(0, 10);
  const egressMonth = egressDay.slice(0, 7);
  return {
    egressDay,
    egressDayBytes: owner.egressDay === egressDay ? owner.egressDayBytes : 0,
    egressMonth,
    egressMonthBytes: owner.egressMonth === egressMonth ? owner.egressMonthBytes : 0,
  };
}

function refuseAbove(limit: number | null, bytes: number, code: string): void {
  if (limit !== null && bytes > limit) throw new Refusal(429, code);
}

/** What was promised to one download. */
export interface Passage {
  /** Bytes have left; they are written with the next {@link flush}. */
  left(bytes: number): void;
  /** Writes what left since the last time; to be called in a transaction. */
  flush(): void;
  /** Gives up what was promised and did not leave; in a transaction, and the last call. */
  end(): void;
}

/** Both counters. */
export class Egress {
  readonly #context: Context;
  /** Bytes that downloads under way may still send. */
  #promised = 0;

  constructor(context: Context) {
    this.#context = context;
  }

  /** What left today and this month. */
  totals(owner: OwnerRow): { day: number; month: number } {
    const { egressDayBytes, egressMonthBytes } = counted(owner, this.#context.now());
    return { day: egressDayBytes, month: egressMonthBytes };
  }

  /**
   * @throws Refusal 429 `egress_cap` where the day has no room for so many bytes, `transfer_limit`
   * where the month has none.
   */
  requireRoom(owner: OwnerRow, bytes: number): void {
    const { limits } = this.#context;
    const { day, month } = this.totals(owner);
    refuseAbove(limits.egressPerMonth, month + this.#promised + bytes, "transfer_limit");
    refuseAbove(limits.egressPerDay, day + this.#promised + bytes, "egress_cap");
  }

  /** Promises so many bytes to a download. */
  open(bytes: number): Passage {
    this.#promised += bytes;
    let promised = bytes;
    let unwritten = 0;
    const flush = () => {
      this.#write(unwritten);
      this.#promised -= unwritten;
      promised -= unwritten;
      unwritten = 0;
    };
    return {
      left: (sent) => unwritten += sent,
      flush,
      end: () => {
        flush();
        this.#promised -= promised;
        promised = 0;
      },
    };
  }

  #write(bytes: number): void {
    const { rows, now } = this.#context;
    const owner = rows.owner();
    if (bytes === 0 || owner === undefined) return;
    const { egressDayBytes, egressMonthBytes, ...period } = counted(owner, now());
    rows.updateOwner({
      ...period,
      egressDayBytes: egressDayBytes + bytes,
      egressMonthBytes: egressMonthBytes + bytes,
    });
  }
}
