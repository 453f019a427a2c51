// The pickers of the File System Access API, which not every browser has. Each gives undefined when the person
// closed it without a choice.

/** What of the window is used here. */
interface Pickers {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<FileSystemFileHandle>;
  showDirectoryPicker?(
    options: { id: string; mode: "readwrite"; startIn?: string },
  ): Promise<FileSystemDirectoryHandle>;
}

const pickers = globalThis as Pickers;

/** Whether plain files can be written into a folder, and large ones as they arrive. */
export function canWriteFiles(): boolean {
  return pickers.showSaveFilePicker !== undefined && pickers.showDirectoryPicker !== undefined;
}

async function unlessClosed<Picked>(picking: Promise<Picked>): Promise<Picked | undefined> {
  try {
    return await picking;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return undefined;
    throw error;
  }
}

/** Asks where a file goes. To be called right out of a click. */
export function pickFile(suggestedName: string): Promise<FileSystemFileHandle | undefined> {
  return unlessClosed(pickers.showSaveFilePicker!({ suggestedName }));
}

/** Asks for a folder to write into. To be called right out of a click. */
export function pickFolder(): Promise<FileSystemDirectoryHandle | undefined> {
  return unlessClosed(pickers.showDirectoryPicker!({ id: "shieldfive", mode: "readwrite" }));
}
