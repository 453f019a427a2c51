// Giving up what the main thread no longer needs. After this only the rooms can touch anything, each
// what its row of the table says; a mistake or a hijack in here has nothing to work with.

const RIGHTS = ["read", "write", "net", "env", "run", "ffi", "sys", "import"] as const;

/**
 * Gives up every right of this thread for good, but for the ones to keep. Rooms that are open keep
 * theirs. Modules that are needed later must be loaded by now.
 */
export function giveUpRights(keep: readonly typeof RIGHTS[number][] = []): void {
  for (const name of RIGHTS) {
    if (!keep.includes(name)) Deno.permissions.revokeSync({ name });
  }
}
