// Which tools a client is told of, and which of them can be called (decisions 8). Tools for a vault come when
// there is a connection, and clients that have seen the list without them are told that it changed.

import type { AnyTool } from "../../tools/tool.ts";
import type { VaultAccess } from "./vault_access.ts";

/** Milliseconds that a client waits for the list while a connection is looked for. */
const PATIENCE = 2000;

export interface RegistrationOptions {
  tools: readonly AnyTool[];
  readOnly: boolean;
  /** Whether any folder was granted. */
  hasRoots: boolean;
  /** The way to the vault; absent where there is to be none. */
  vault?: Pick<VaultAccess, "connected" | "known" | "firstConnection">;
}

export class Registration {
  readonly #options: RegistrationOptions;
  readonly #tools: readonly AnyTool[];
  readonly #listeners: (() => void)[] = [];
  /** Whether a list was given without the tools for the vault. */
  #announce = false;
  /** Whether the local tools are listed; undefined while that is not decided. */
  #local?: boolean;

  constructor(options: RegistrationOptions) {
    this.#options = options;
    this.#tools = options.tools.filter((tool) => isAllowed(tool, options));
    options.vault?.firstConnection.then(() => this.#changed());
  }

  /** Whether the list can change. */
  get changes(): boolean {
    return this.#options.vault !== undefined;
  }

  /**
   * The tools that can be called: a tool for the vault says better than the protocol could that there is no
   * connection.
   */
  get callable(): readonly AnyTool[] {
    return this.#tools;
  }

  /** The tools that are listed now. */
  async listed(): Promise<readonly AnyTool[]> {
    const { vault, hasRoots } = this.#options;
    if (vault === undefined) return this.#tools;
    await inTime(vault.known);
    // What was there at the start stays: a list that loses tools confuses whoever uses it.
    this.#local ??= hasRoots || !vault.connected;
    this.#announce ||= !vault.connected;
    return this.#tools.filter(({ set, effect }) =>
      set === "local" ? this.#local : effect === "connect" || vault.connected
    );
  }

  /** Has a function called when the list changes. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #changed(): void {
    if (!this.#announce) return;
    for (const listener of this.#listeners) listener();
  }
}

function isAllowed(
  { set, effect }: AnyTool,
  { readOnly, vault }: RegistrationOptions,
): boolean {
  return (set !== "vault" || vault !== undefined) && (!readOnly || effect !== "change");
}

async function inTime(known: Promise<void>): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, PATIENCE);
  await Promise.race([known, over]);
  clearTimeout(timer);
}
