// Reading the small text files that describe the system and the installation.

import type { Disk } from "../../../containment/mod.ts";

/** More than any of them holds. */
const LIMIT = 4 << 20;

/**
 * The text of a file, without following a link at its end and without waiting for a FIFO. Files of the
 * system say that their size is 0, so it is read to its end.
 *
 * @throws the system's error; what is no file or too long reads as empty.
 */
export function readText(disk: Disk, path: string): string {
  const fd = disk.open(path);
  try {
    if (!disk.stat(fd).isFile) return "";
    const parts: string[] = [];
    const decoder = new TextDecoder();
    const buffer = new Uint8Array(64 * 1024);
    for (let total = 0;;) {
      const read = disk.read(fd, buffer);
      if (read === 0) return parts.join("") + decoder.decode();
      if ((total += read) > LIMIT) return "";
      parts.push(decoder.decode(buffer.subarray(0, read), { stream: true }));
    }
  } finally {
    disk.close(fd);
  }
}
