// What the service keeps in memory between requests: how fast each connection asks, what is on its way
// out and in, and the key of what it signs. A restart forgets all of it but the key, and harms nothing.

import { randomKeyText } from "@shieldfive/crypto/extra/server_values.ts";
import type { Rows } from "../rows/rows.ts";
import type { Context } from "./context.ts";
import { Egress } from "./egress.ts";
import { RequestRate } from "./request_rate.ts";

const SIGNING_KEY = "signing_key";

export interface State {
  rate: RequestRate;
  egress: Egress;
  /** The ids of uploads whose bytes are coming in. */
  incoming: Set<string>;
  /** For `macOf`; made once and kept with the rows. */
  signingKey: string;
}

function signingKey(rows: Rows): string {
  return rows.transaction(() => {
    const kept = rows.setting(SIGNING_KEY);
    if (kept !== undefined) return kept;
    const made = randomKeyText();
    rows.putSetting(SIGNING_KEY, made);
    return made;
  });
}

export function newState(context: Context): State {
  return {
    rate: new RequestRate(context.limits.requestsPerMinute),
    egress: new Egress(context),
    incoming: new Set(),
    signingKey: signingKey(context.rows),
  };
}
