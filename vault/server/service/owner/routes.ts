// The routes of the owner's page.

import type { Route } from "../router.ts";
import { accessRoutes } from "./access.ts";
import { activityRoutes } from "./activity.ts";
import { binRoutes } from "./bin.ts";
import { grantRoutes } from "./grants.ts";
import { itemRoutes } from "./items.ts";
import { listingRoutes } from "./listings.ts";
import { transferRoutes } from "./transfers.ts";

/** `/api/owner/v1`. */
export const ownerRoutes: Route[] = [
  ...accessRoutes,
  ...listingRoutes,
  ...itemRoutes,
  ...binRoutes,
  ...transferRoutes,
  ...grantRoutes,
  ...activityRoutes,
];
