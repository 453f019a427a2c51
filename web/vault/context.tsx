// The open vault, for the views: they ask for it with `useVault` and exist only while it is open.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Tree } from "../../vault/owner/mod.ts";
import type { CallProgress, Opened } from "./calls.ts";
import type { VaultClient, VaultMethods } from "./client.ts";

/** Why the vault was locked. */
export type LockReason = "asked" | "idle" | "ended" | "failed";

/** What a view knows of the vault. */
export interface OpenVault extends Opened {
  /** The vault's own methods; they run in a worker and throw `OwnerError`. */
  vault: VaultMethods;
  /** For what takes longer and can be stopped: uploads, downloads, exports. */
  client: Pick<VaultClient, "call">;
  /**
   * What is in the vault, names in the clear. It is there once the rows are; names that are not open yet
   * are `pending`. Every change made through `vault` shows in it by itself.
   */
  tree: Tree | undefined;
  /** A refresh is under way. */
  loading: CallProgress | undefined;
  /** The last refresh failed. */
  failure: Error | undefined;
  /** Loads the tree again: after something else than this page may have changed it. */
  refresh(): Promise<void>;
  lock(reason: LockReason): void;
}

export const VaultContext = createContext<OpenVault | undefined>(undefined);

/** The open vault. */
export function useVault(): OpenVault {
  const vault = useContext(VaultContext);
  if (vault === undefined) throw new Error("the vault is not open here");
  return vault;
}
