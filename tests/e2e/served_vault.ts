// A data folder with an owner and one file in it, made without any cryptography: the server cannot tell.

import { FileObjects } from "../../vault/server/objects/files.ts";
import { openDataFolder } from "../../vault/server/rows/data_folder.ts";
import { openRows } from "../../vault/server/rows/sqlite.ts";
import { beginSession } from "../../vault/server/service/owner/sessions.ts";
import {
  columnsOf,
  fileRow,
  OWNER,
  putObject,
  rowId,
  setUp,
} from "../vault/server/rows_support.ts";

export interface PlantedVault {
  /** Of the owner, signed in. */
  token: string;
  fileId: string;
  storageKey: string;
  /** The file's object. */
  object: string;
}

/** What the file's content is, byte by byte. */
export function contentByte(at: number): number {
  return (at * 31 >> 5) & 255;
}

/** Makes the data folder with a file of so many bytes. */
export function plantVault(dir: string, size: number): PlantedVault {
  const folder = openDataFolder(dir);
  const rows = openRows(dir, Date.now);
  const objects = new FileObjects(dir, Date.now);
  try {
    setUp(rows);
    const kept = putObject(objects, new Uint8Array(size).map((_, at) => contentByte(at)));
    const fileId = rowId(1);
    const token = rows.transaction(() => {
      rows.insertFile(fileRow(fileId, columnsOf(kept)));
      return beginSession(rows, OWNER, Date.now()).token;
    });
    const key = kept.storageKey;
    const object = `${dir}/objects/${key.slice(0, 2)}/${key.slice(2, 4)}/${key}`;
    return { token, fileId, storageKey: key, object };
  } finally {
    rows.close();
    folder.close();
  }
}

/** The request for the file's content. */
export function contentOf(origin: string, { token, fileId }: PlantedVault): Request {
  return new Request(`${origin}/api/owner/v1/files/${fileId}/content`, {
    headers: { authorization: `Bearer ${token}` },
  });
}
