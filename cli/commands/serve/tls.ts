// The certificate and its key, read once at the start: the room that uses them can read no file.

import { asToolError, ToolError } from "../../../containment/mod.ts";
import type { Tls } from "../../../vault/server/http/server.ts";

/** More than any chain of certificates has. */
const MAX_BYTES = 1024 * 1024;

/** @throws ToolError `tls_unusable`, `io_error`. */
export function readTls(files: { cert: string; key: string } | undefined): Tls | undefined {
  if (files === undefined) return undefined;
  return {
    cert: readPem(files.cert, "CERTIFICATE"),
    key: readPem(files.key, "PRIVATE KEY"),
  };
}

function readPem(path: string, what: string): string {
  const text = readText(path);
  if (new RegExp(`^-----BEGIN ([A-Z]+ )?${what}-----`, "m").test(text)) return text;
  throw new ToolError("tls_unusable", `${path} holds no ${what.toLowerCase()} in PEM form`);
}

function readText(path: string): string {
  try {
    const { isFile, size } = Deno.statSync(path);
    if (isFile && size <= MAX_BYTES) return Deno.readTextFileSync(path);
  } catch (error) {
    throw asToolError(error, "reading it", path);
  }
  throw new ToolError("tls_unusable", `${path} is not a file with a certificate or a key`);
}
