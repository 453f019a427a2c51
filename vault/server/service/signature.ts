// The address that takes an upload's bytes: signed for one object, its exact length and type, and a time.
// Whoever has it needs no token, and it opens nothing else.

import { macOf, sameText } from "@shieldfive/crypto/extra/server_values.ts";
import type { UploadRow } from "../rows/rows.ts";

const PATH = "/storage/v1/";
/** The pattern of the route that takes the bytes. */
export const STORAGE_PATTERN = `${PATH}:key`;

/** What is signed. */
export interface SignedUpload extends Pick<UploadRow, "storageKey" | "sizeBytes"> {
  contentType: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

function signatureOf(signingKey: string, upload: SignedUpload): string {
  const { storageKey, sizeBytes, contentType, expiresAt } = upload;
  return macOf(signingKey, ["PUT", storageKey, sizeBytes, contentType, expiresAt]);
}

/** @param origin without a slash at its end. */
export function uploadUrl(origin: string, signingKey: string, upload: SignedUpload): string {
  const signature = signatureOf(signingKey, upload);
  return `${origin}${PATH}${upload.storageKey}?expires=${upload.expiresAt}&signature=${signature}`;
}

const QUERY = /^expires=(0|[1-9]\d{0,15})&signature=([A-Za-z0-9_-]{43})$/;

/** Whether a query is that of an upload's address, and its time has not come. */
export function isSigned(
  signingKey: string,
  upload: Omit<SignedUpload, "expiresAt">,
  query: string,
  now: number,
): boolean {
  const match = QUERY.exec(query);
  if (match === null) return false;
  const expiresAt = Number(match[1]);
  const expected = signatureOf(signingKey, { ...upload, expiresAt });
  return sameText(expected, match[2]) && now < expiresAt;
}
