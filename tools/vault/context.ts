// What a tool for the vault may use: the connection's client, and nothing of the disk or the network
// beside it. Tests make one over a server in their own process.

import type { Progress } from "../../containment/rooms/protocol.ts";
import type { VaultClient } from "../../vault/client/client.ts";
import type { DiskGateway } from "./disk_gateway.ts";

export interface VaultContext {
  client: VaultClient;
  /** Aborted when the caller no longer wants the call. */
  signal: AbortSignal;
  progress(progress: Progress): void;
  /** The user's own folders, for the tools that take files from there; absent where none were granted. */
  disk?: DiskGateway;
}
