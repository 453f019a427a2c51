// Files and folders of the vault as results have them and as a terminal shows them.

import type { Schemas, Table } from "../tool.ts";

/** A folder in a result. */
export interface FolderRow {
  id: string;
  path: string;
  in_trash?: boolean;
}

/** A file in a result. */
export interface FileRow extends FolderRow {
  size: number;
  modified?: string;
  created?: string;
  type: string;
  readable?: boolean;
}

export function folderSchema(z: Schemas) {
  return {
    id: z.string(),
    path: z.string().describe(
      "For people; [name unavailable] stands for a name that does not open.",
    ),
    in_trash: z.boolean().optional(),
  };
}

export function fileSchema(z: Schemas) {
  return {
    ...folderSchema(z),
    size: z.number().describe("Bytes of content."),
    modified: z.string().optional(),
    created: z.string().optional(),
    type: z.string().describe("The name's extension, else the content type, else unknown."),
    readable: z.boolean().optional().describe("False while the key for the content is missing."),
  };
}

/** Folders and then files as a terminal shows them; a folder has a slash behind its path. */
export function itemTable(folders: readonly FolderRow[], files: readonly FileRow[]): Table {
  return {
    columns: [
      { title: "Size", kind: "size" },
      { title: "Modified", kind: "date" },
      { title: "Path", kind: "path" },
    ],
    rows: [
      ...folders.map(({ path }) => [undefined, undefined, `${path}/`]),
      ...files.map(({ size, modified, path }) => [size, modified, path]),
    ],
  };
}
