// The rooms that find, keep and remove a connection, opened together.

import {
  CredentialFiles,
  type CredentialPlaces,
  CredentialStore,
  Keychain,
  PATIENCE_MS,
} from "../../vault/credential/mod.ts";
import type { Environment } from "../environment.ts";
import { say } from "../messages.ts";

/** Milliseconds for a person to unlock the keychain in the window that it opens. */
const PERSON_MS = 60_000;

export interface StoreRooms {
  store: CredentialStore;
  files: CredentialFiles;
  close(): void;
}

/**
 * Opens the rooms; they have loaded when it settles. A keychain that wants to be unlocked is waited for
 * where somebody sits at a terminal.
 */
export async function openStore(
  environment: Environment,
  places: CredentialPlaces,
): Promise<StoreRooms> {
  const { stdin, stderr, variables } = environment;
  const log = (line: string) => say(environment, line);
  const keychain = new Keychain({
    log,
    ...(stdin.isTerminal && stderr.isTerminal
      ? {
        patience: PERSON_MS,
        onSlow: () => log("waiting for the system keychain; unlock it if it asks for that"),
      }
      : { patience: PATIENCE_MS }),
  });
  const files = new CredentialFiles(places, log);
  const close = () => {
    keychain.close();
    files.close();
  };
  try {
    await Promise.all([keychain.ready, files.ready]);
  } catch (error) {
    close();
    throw error;
  }
  const store = new CredentialStore({ variable: variables.SHIELDFIVE_GRANT, keychain, files });
  return { store, files, close };
}
