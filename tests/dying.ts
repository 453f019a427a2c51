// Rooms that are lost in the middle of their work, for tests of what becomes of it.

import type { Disk, RoomKind } from "../containment/mod.ts";

/** Which room is lost, and when. */
export interface Death {
  kind: RoomKind;
  /** Which of the rooms of this kind, in the order in which they are opened; absent: the first. */
  nth?: number;
  operation: keyof Disk;
  /** Calls of the operation that are carried out before the one in which the room ends. */
  after: number;
}

/** Makes the room in question one that will be lost, until this is disposed of. */
export function letDie({ kind, nth = 0, operation, after }: Death): Disposable {
  const { Worker } = globalThis;
  const module = new URL("./dying_room.ts", import.meta.url);
  let opened = 0;
  globalThis.Worker = class extends Worker {
    constructor(wanted: string | URL, options?: WorkerOptions) {
      const dies = options?.name === kind && opened++ === nth;
      const name = dies ? `${kind} ${operation} ${after}` : options?.name;
      super(dies ? module : wanted, { ...options, name });
    }
  };
  return { [Symbol.dispose]: () => void (globalThis.Worker = Worker) };
}
