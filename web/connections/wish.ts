// What a person asks of a new connection while filling in the form, and what is wrong with it. It starts with
// the least: nothing picked, reading alone.

import type { GrantRequest } from "../../vault/owner/mod.ts";
import type { ClientHint } from "./clients.ts";
import {
  type Access,
  type Allowance,
  allowanceBytes,
  type Lifetime,
  lifetimeMs,
  scopesOf,
} from "./terms.ts";

export interface Wish {
  label: string;
  client: ClientHint;
  reach: "some" | "all";
  folderIds: ReadonlySet<string>;
  includeMedia: boolean;
  access: Access;
  allowance: Allowance;
  lifetime: Lifetime;
}

/** What is wrong with a wish, field by field. */
export interface WishFaults {
  label?: string;
  folders?: string;
}

export const LABEL_MAX = 48;

/** What a form starts with. */
export function firstWish(label: string, client: ClientHint): Wish {
  return {
    label,
    client,
    reach: "some",
    folderIds: new Set(),
    includeMedia: false,
    access: "read",
    allowance: "1gb",
    lifetime: "7d",
  };
}

/** What is wrong; empty when nothing is. */
export function wishFaults(wish: Wish): WishFaults {
  const faults: WishFaults = {};
  if (wish.label.trim() === "") faults.label = "Give the connection a name.";
  if (wish.reach === "some" && wish.folderIds.size === 0) {
    faults.folders = "Pick at least one folder, or the whole vault.";
  }
  return faults;
}

/** The wish as the vault takes it. */
export function requestOf(wish: Wish): GrantRequest {
  const all = wish.reach === "all";
  return {
    label: wish.label.trim(),
    clientHint: wish.client,
    scopes: scopesOf(wish.access),
    folderIds: all ? "all" : [...wish.folderIds],
    ...(all ? { includeMedia: wish.includeMedia } : {}),
    expiresInMs: lifetimeMs(wish.lifetime),
    ...(wish.access === "write" ? { writeBudgetBytes: allowanceBytes(wish.allowance) } : {}),
  };
}
