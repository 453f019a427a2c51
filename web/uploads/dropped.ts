// What was dropped on the page, or picked: files, and folders with all that is in them.

/** A file and the folders that it is to lie in, the outermost first. */
export interface Incoming {
  file: File;
  folders: string[];
}

/** What came, and the empty folders among it, which hold no file that would bring them along. */
export interface IncomingTree {
  files: Incoming[];
  emptyFolders: string[][];
}

/** The files of an input; those of a picked folder know their path. */
export function fromInput(list: FileList): IncomingTree {
  const files = Array.from(list, (file) => ({
    file,
    folders: file.webkitRelativePath.split("/").slice(0, -1),
  }));
  return { files, emptyFolders: [] };
}

function readBatch(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  return new Promise((resolve, reject) => reader.readEntries(resolve, reject));
}

/** All entries of a folder: a browser gives a hundred at a time. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const batch = await readBatch(reader);
    if (batch.length === 0) return all;
    all.push(...batch);
  }
}

async function read(entry: FileSystemEntry, folders: string[], into: IncomingTree): Promise<void> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject)
    );
    into.files.push({ file, folders });
    return;
  }
  const path = [...folders, entry.name];
  const entries = await entriesOf(entry as FileSystemDirectoryEntry);
  if (entries.length === 0) into.emptyFolders.push(path);
  for (const each of entries) await read(each, path, into);
}

/**
 * What was dropped. To be called while the drop is handled, since what was dropped is gone after that.
 *
 * @throws DOMException for a file that the browser may not read.
 */
export async function fromDrop(transfer: DataTransfer): Promise<IncomingTree> {
  const into: IncomingTree = { files: [], emptyFolders: [] };
  const entries: FileSystemEntry[] = [];
  for (const item of transfer.items) {
    const entry = item.webkitGetAsEntry();
    const file = entry === null ? item.getAsFile() : null;
    if (entry !== null) entries.push(entry);
    else if (file !== null) into.files.push({ file, folders: [] }); // it comes from no disk
  }
  for (const entry of entries) await read(entry, [], into);
  return into;
}
