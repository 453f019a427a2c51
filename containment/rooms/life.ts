// How the opener of a room learns that the room's thread is no more, however it ended. The runtime tells
// an opener of a crash, but nothing of a thread that ended itself. It does release what the thread had
// locked, and a lock needs no answer, so a room in the middle of long work is never taken for a dead one.

/** The part of the Web Locks interface that is used here; the runtime's types leave it out. */
interface Locks {
  request(name: string, whileHeld: () => void | Promise<never>): Promise<unknown>;
}

const { locks } = navigator as unknown as { locks: Locks };

/** Takes the lock until the end of this thread; settles when it is taken. */
export function holdForLife(name: string): Promise<void> {
  return new Promise((held, failed) => {
    locks.request(name, () => {
      held();
      return new Promise<never>(() => {});
    }).catch(failed);
  });
}

/** Settles when the thread that has the lock is no more. */
export async function endOfLife(name: string): Promise<void> {
  await locks.request(name, () => {});
}
