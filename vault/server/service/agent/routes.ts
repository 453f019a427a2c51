// The routes of connections, and the one that takes an upload's bytes.

import type { Route } from "../router.ts";
import { STORAGE_PATTERN } from "../signature.ts";
import { receive } from "../uploads/receive.ts";
import { changeRoutes } from "./changes.ts";
import { listingRoutes } from "./listings.ts";
import { transferRoutes } from "./transfers.ts";

/** `/api/agent/v1` (vault spec, 3). */
export const agentRoutes: Route[] = [...listingRoutes, ...changeRoutes, ...transferRoutes];

/** `/storage/v1`: what upload addresses point to. */
export const storageRoutes: Route[] = [
  { method: "PUT", pattern: STORAGE_PATTERN, handle: receive },
];
