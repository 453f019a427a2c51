// The token that a request comes with, of a connection or of the owner's session: known here by its hash
// alone.

import { isKeyText } from "@shieldfive/crypto/extra/server_values.ts";
import { hashGrantToken } from "@shieldfive/crypto/vault";
import type { ServiceRequest } from "./message.ts";

const BEARER = /^Bearer ([A-Za-z0-9_-]{43})$/i;

/** The hash of a request's token; undefined without one in the one spelling of 32 bytes. */
export function bearerHash({ headers }: ServiceRequest): string | undefined {
  const token = BEARER.exec(headers.authorization ?? "")?.[1];
  return isKeyText(token) ? hashGrantToken(token) : undefined;
}
