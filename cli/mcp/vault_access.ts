// The server's way to the user's vault: finds the connection that there is, has the rooms for it opened, and
// makes a new one when vault_connect is called. Nothing here waits for the keychain or a browser in a way that
// keeps other calls waiting (vault spec, 5, 9 and 12).

import { ToolError } from "../../containment/mod.ts";
import type { Session } from "../../tools/session.ts";
import type { VaultRooms } from "../../tools/vault_rooms.ts";
import { type Connected, Connector, Handoff } from "../../vault/connect/mod.ts";
import {
  type CredentialStore,
  type Found,
  type Kept,
  serverFor,
  type Servers,
  type Source,
} from "../../vault/credential/mod.ts";
import { findOpener } from "../connection/opener.ts";
import { credentialPlaces, makeFolders } from "../connection/places.ts";
import { openStore, type StoreRooms } from "../connection/rooms.ts";
import { serverSaid } from "../connection/server.ts";
import { shortId } from "../connection/show.ts";
import type { Environment } from "../environment.ts";
import { Connecting, type ConnectScope, type Place } from "./connecting.ts";
import type { Structured } from "./fit.ts";

export interface VaultAccessOptions {
  environment: Environment;
  session: Pick<Session, "openVault" | "vault">;
  log(line: string): void;
}

export class VaultAccess {
  readonly #options: VaultAccessOptions;
  readonly #known = Promise.withResolvers<void>();
  readonly #opened = Promise.withResolvers<void>();
  readonly #first = Promise.withResolvers<void>();
  readonly #open = new DisposableStack();
  /** Where the connection in use is kept; absent where there is none. */
  #stored?: Place;
  #store?: StoreRooms;
  #connecting?: Connecting;

  constructor(options: VaultAccessOptions) {
    this.#options = options;
  }

  /** Settles when it is known whether a connection is configured. */
  get known(): Promise<void> {
    return this.#known.promise;
  }

  /** Settles when the rooms can take calls, or cannot be opened. */
  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  /** Settles when there is a connection for the first time. */
  get firstConnection(): Promise<void> {
    return this.#first.promise;
  }

  get connected(): boolean {
    return this.#stored !== undefined;
  }

  /** Opens the rooms that find a connection. When it settles, the right to write is not needed any more. */
  async openStore(): Promise<void> {
    const { environment, log } = this.#options;
    const places = credentialPlaces(environment);
    try {
      makeFolders({ servers: places.servers });
    } catch (error) {
      log(`which server a new connection is for cannot be remembered: ${(error as Error).message}`);
    }
    try {
      const rooms = await openStore(environment, places);
      this.#store = this.#open.adopt(rooms, () => rooms.close());
    } catch (error) {
      log(`no connection to a vault can be looked for: ${(error as Error).message}`);
    }
  }

  /**
   * Finds the connection and opens the rooms for it, and for making another. When it settles, no right is
   * needed any more. What goes wrong is logged: the tools for the vault say then that there is no room.
   */
  async open(): Promise<void> {
    const { log } = this.#options;
    try {
      if (this.#store === undefined) return; // it was said why
      const { store, files } = this.#store;
      const found = await this.#find(store);
      const kept = found.state === "connected" ? found.kept : undefined;
      if (kept !== undefined) this.#use(kept.source);
      this.#known.resolve();
      await this.#openFor(kept, await files.servers(), store);
    } catch (error) {
      log(`there is no way to a vault: ${(error as Error).message}`);
    } finally {
      this.#known.resolve();
      this.#opened.resolve();
    }
  }

  async #openFor(kept: Kept | undefined, servers: Servers, store: CredentialStore): Promise<void> {
    const { environment, session, log } = this.#options;
    const origin = serverFor({
      said: serverSaid(environment),
      servers,
      grantId: kept?.credential.grantId,
      isNew: kept === undefined,
    });
    session.openVault(origin);
    const opener = findOpener(environment);
    const handoff = this.#open.adopt(new Handoff(opener, log), (room) => room.close());
    const [vault] = await Promise.all([session.vault(), handoff.ready]);
    let adopted = Promise.resolve();
    const connector = new Connector({
      handoff,
      store,
      where: "keychain",
      check: ({ connection }) => vault.check(connection),
      onConnected: (connected) => adopted = this.#adopt(vault, connected),
    });
    this.#connecting = new Connecting({
      connector,
      vault,
      store,
      origin,
      inUse: () => this.#stored,
      adopted: () => adopted,
    });
    if (kept !== undefined) await vault.adopt(kept.text);
  }

  /** What is configured; nothing where it cannot be found out, which is said. */
  async #find(store: CredentialStore): Promise<Found> {
    const { log } = this.#options;
    try {
      const found = await store.find();
      for (const warning of found.warnings) log(`warning: ${warning}`);
      if (found.state === "connected") {
        log(
          `connection ${shortId(found.kept.credential.grantId)} to a vault, from ${
            NAMES[found.kept.source]
          }`,
        );
      }
      return found;
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      log(`no connection to a vault could be read: ${error.message}`);
      return { state: "none", warnings: [] };
    }
  }

  async #adopt(vault: VaultRooms, { connection, stored }: Connected): Promise<void> {
    await vault.adopt(connection);
    this.#use(stored);
  }

  #use(stored: Place): void {
    this.#stored = stored;
    this.#first.resolve();
  }

  /** Does what vault_connect is for. @throws ToolError as `Connecting.connect` */
  async connect(input: { reconnect?: boolean }, scope: ConnectScope): Promise<Structured> {
    if (this.#connecting !== undefined) return await this.#connecting.connect(input, scope);
    throw new ToolError("internal", "the rooms for the vault could not be opened; see the log");
  }

  /** Closes what was opened here; the vault's rooms belong to the session. */
  close(): void {
    this.#open.dispose();
  }
}

const NAMES: Record<Source, string> = {
  env: "SHIELDFIVE_GRANT",
  keychain: "the system keychain",
  file: "the connection file",
};
