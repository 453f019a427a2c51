// The files of a connection and what may be written beside them, as the room that keeps them is told. All
// paths are real ones.

import { nativeRules } from "../../containment/mod.ts";

/** A file that is replaced as a whole, with the names that this takes. */
export interface KeptFile {
  path: string;
  /** For the new bytes until they take the file's name. */
  temporary: string;
  /** Locked while the file is changed. */
  lock: string;
}

/** The files that a connection is kept in; absent where the user has no such place. */
export interface CredentialPlaces {
  connection?: KeptFile & {
    /** The folder, where it is for this alone and is to be closed to others. */
    folder?: string;
  };
  /** Which server a connection is for; no secret is in it. */
  servers?: KeptFile;
}

/** @param folder a real path. */
export function keptFile(folder: string, name: string): KeptFile {
  const path = nativeRules.join(folder, name);
  return { path, temporary: `${path}.new`, lock: `${path}.lock` };
}

/** What the room has to have the right to read and write. */
export function filesGranted({ connection, servers }: CredentialPlaces): string[] {
  return [connection, servers].flatMap((file) => {
    if (file === undefined) return [];
    if ("folder" in file && file.folder !== undefined) return [file.folder as string];
    return [file.path, file.temporary, file.lock];
  });
}
