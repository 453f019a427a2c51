// The connection in a file, for a machine without a keychain: written only when somebody asked for that,
// readable by this user alone (vault spec, 12).

import { type Disk, lookAt } from "../../containment/mod.ts";
import { changeKept, close, readKept } from "./kept_file.ts";
import type { CredentialPlaces } from "./places.ts";

type Place = NonNullable<CredentialPlaces["connection"]>;

/** What the file says, and what whoever uses it should know. */
export interface ConnectionFile {
  /** Without the space around it; absent where there is no file. */
  text?: string;
  warnings: string[];
}

/**
 * Reads the file. One that others may read is closed to them first.
 *
 * @throws ToolError `not_a_file`, `file_too_large`, `file_changed`; system errors as they are.
 */
export function readConnection(disk: Disk, place: Place): ConnectionFile {
  const read = readKept(disk, place);
  if (read === undefined) return { warnings: [] };
  const warnings = [close(disk, place.path, read.info, 0o600), closeFolder(disk, place)]
    .filter((warning) => warning !== undefined);
  return { text: new TextDecoder().decode(read.bytes).trim(), warnings };
}

/**
 * Writes the file, all at once.
 *
 * @throws as {@link readConnection}; ToolError `busy`.
 */
export function writeConnection(disk: Disk, place: Place, text: string): void {
  closeFolder(disk, place);
  changeKept(disk, place, () => new TextEncoder().encode(`${text}\n`));
}

function closeFolder(disk: Disk, { folder }: Place): string | undefined {
  const info = folder === undefined ? undefined : lookAt(disk, folder);
  return info?.isDirectory ? close(disk, folder!, info, 0o700) : undefined;
}
