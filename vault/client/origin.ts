// Where requests may go to. The token goes to the API's origin alone, which is encrypted or this machine
// itself; ciphertext goes to whatever storage the API names, under the same condition (vault spec, 2, 3).

import { ToolError } from "../../containment/error.ts";

const LOOPBACK = ["localhost", "127.0.0.1"];

function parsed(text: string): URL | undefined {
  const url = URL.parse(text);
  return url === null || url.username !== "" || url.password !== "" ? undefined : url;
}

/**
 * The origin in an address.
 *
 * @throws ToolError `invalid_origin` for what is neither https, nor http on this machine.
 */
export function checkedOrigin(text: string): string {
  const url = parsed(text);
  const here = url?.protocol === "http:" && LOOPBACK.includes(url.hostname);
  if (url === undefined || !(url.protocol === "https:" || here)) {
    throw new ToolError(
      "invalid_origin",
      "the address of the vault's server has to begin with https:// (http:// is for localhost and " +
        "127.0.0.1 alone); correct SHIELDFIVE_API_URL or --server",
    );
  }
  return url.origin;
}

/** An origin's address as the runtime's permissions have it: with its port. */
export function addressOf(origin: string): string {
  const { protocol, hostname, port } = new URL(origin);
  return `${hostname}:${port === "" ? protocol === "https:" ? "443" : "80" : port}`;
}

/**
 * The address that ciphertext is sent to, as the server named it.
 *
 * @param origin the API's, from {@link checkedOrigin}.
 * @throws ToolError `upload_failed` for one without encryption, unless it is the API's own, on this machine.
 */
export function checkedStorageUrl(text: string, origin: string): string {
  const url = parsed(text);
  const safe = url?.protocol === "https:" || url?.protocol === "http:" && url.origin === origin;
  if (url !== undefined && safe) return url.href;
  throw new ToolError(
    "upload_failed",
    "the server named an address to store the file at that is not encrypted, so nothing was sent; ask " +
      "whoever runs the server",
  );
}
