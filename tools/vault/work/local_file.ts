// What uploading and moving in have in common: local files, and whether the vault can take them.

import { ToolError } from "../../../containment/error.ts";
import { quote } from "../../../containment/text.ts";
import { checkUpload } from "../../../vault/client/rules.ts";
import type { VaultFolder, VaultView } from "../../../vault/client/types.ts";
import type { VaultContext } from "../context.ts";
import type { DiskGateway, Source } from "../disk_gateway.ts";

/** @throws ToolError `no_roots` */
export function requireDisk({ disk }: VaultContext): DiskGateway {
  if (disk !== undefined) return disk;
  throw new ToolError(
    "no_roots",
    "no local folder was granted, so there is no file to take; nothing was changed. Name folders " +
      "after `shieldfive mcp`, or set SHIELDFIVE_MCP_ROOTS, and start again",
  );
}

/** The name that a file gets in the vault (vault spec, 6). */
export function vaultName(name: string): string {
  return name.trim();
}

/**
 * @throws ToolError as `checkUpload`; what is wrong with the file itself is said with its path.
 */
export function checkFile(
  view: VaultView,
  destination: VaultFolder,
  { path, bytes }: Source,
  { name, contentType }: { name: string; contentType?: string },
): void {
  try {
    checkUpload(view, destination, { name, size: bytes, contentType });
  } catch (error) {
    if (!(error instanceof ToolError) || !OWN_FAULTS.has(error.code)) throw error;
    throw aboutFile(path, error);
  }
}

/** What speaks against a file, and not against the folder, the connection or the call. */
export const OWN_FAULTS: ReadonlySet<string> = new Set(["invalid_name", "empty_file", "too_large"]);

/** A refusal with the file that it is about. */
export function aboutFile(path: string, error: ToolError): ToolError {
  const { code, message, detail, changedAnything } = error;
  const said = { detail: { ...detail, path }, changedAnything, cause: error };
  return new ToolError(code, `${quote(path)}: ${message}`, said);
}
