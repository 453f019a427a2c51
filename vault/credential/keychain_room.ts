// The worker that the `keychain` room runs: it speaks with the system's keychain through the one native
// addon that it may load, and has no other right. A call can take as long as the system likes; whoever
// asks keeps the time (keychain.ts).

import { ToolError } from "../../containment/error.ts";
import { type ProofRequest, PROVE, tryFiles, tryRights } from "../../containment/rooms/proof.ts";
import { serveRoom } from "../../containment/rooms/worker.ts";
import { keychainError, troubleIn } from "./trouble.ts";

/** What the main thread tells the room at its start. */
export interface KeychainRoomInit {
  /** The addon's file, for which the room has the right to load it; absent where there is none. */
  addon?: string;
}

/** What the entries are called: one service, and an account for each. */
const SERVICE = "shieldfive-mcp";
const GRANT = "grant";
/** An entry that is written and removed again, to see whether that can be done. */
const TRIAL = "trial";

/**
 * On Linux the addon would otherwise fall back to the kernel's keyring, which forgets everything at the
 * next start of the machine: a connection must not be lost that way.
 */
const OPTIONS = { linux: { store: "secret-service" } };

/** What is used here of the addon's interface. Its calls work in threads of their own. */
interface Addon {
  AsyncEntry: new (service: string, account: string, options: typeof OPTIONS) => Entry;
}

interface Entry {
  getPassword(): Promise<string | null>;
  setPassword(text: string): Promise<void>;
  deletePassword(): Promise<boolean>;
}

/** The part of node's `process` by which an addon is loaded without reading its folder. */
interface Loader {
  dlopen(module: { exports: unknown }, file: string): void;
}

function load(addon: string | undefined): Addon {
  if (addon === undefined) {
    throw keychainError("absent", "there is no native addon that may be loaded here");
  }
  const module = { exports: {} };
  try {
    const { process } = globalThis as unknown as { process: Loader };
    process.dlopen(module, addon);
  } catch (error) {
    throw keychainError("absent", `its addon does not load: ${(error as Error).message}`);
  }
  return module.exports as Addon;
}

serveRoom((init) => {
  const { addon } = init as KeychainRoomInit;
  let loaded: Addon | undefined;

  /** Does something with an entry; what the keychain fails with becomes a refusal. */
  async function withEntry<T>(account: string, act: (entry: Entry) => Promise<T>): Promise<T> {
    loaded ??= load(addon);
    try {
      return await act(new loaded.AsyncEntry(SERVICE, account, OPTIONS));
    } catch (error) {
      if (error instanceof ToolError) throw error;
      const { message } = error as Error;
      throw keychainError(troubleIn(message), message);
    }
  }

  return {
    read: () => withEntry(GRANT, async (entry) => await entry.getPassword() ?? undefined),
    /** What was written is read again: there are keychains that take everything and keep nothing. */
    write: (text) => withEntry(GRANT, (entry) => writeAndRead(entry, text as string)),
    /** Whether there was one. */
    remove: () => withEntry(GRANT, (entry) => entry.deletePassword()),
    /** Writes, reads and removes an entry of its own. */
    tryOut: () =>
      withEntry(TRIAL, async (entry) => {
        await writeAndRead(entry, crypto.randomUUID());
        await entry.deletePassword();
      }),
    [PROVE]: (args) => [
      ...tryRights(args as ProofRequest),
      ...tryFiles(["ffi"], addon === undefined ? [] : [addon]),
    ],
  };
});

async function writeAndRead(entry: Entry, text: string): Promise<void> {
  await entry.setPassword(text);
  if (await entry.getPassword() === text) return;
  throw keychainError("failed", "it took the entry and did not give it back");
}
