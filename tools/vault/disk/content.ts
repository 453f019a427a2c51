// A file's content on its way into the vault. The last bytes are handed out only when the file is still the
// one that was looked at, so that whoever has all of them has the file.

import { type Disk, isMissing, mtimeOf, quote, ToolError } from "../../../containment/mod.ts";
import { PIECE } from "../../../containment/rooms/bodies/protocol.ts";
import { OpenedFile, refusalOf, type WalkedFile } from "../../../containment/walked_file.ts";
import type { Source } from "../disk_gateway.ts";
import { changed, lookAgain, type Place } from "./look.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** @throws ToolError as `DiskGateway.open` */
export function contentOf(place: Place, source: Source): ReadableStream<Bytes> {
  const { path, info } = lookAgain(place, source);
  const { dev, ino, size } = info;
  const content = new Content(place.disk, { path, dev, ino: ino ?? 0, size, mtime: mtimeOf(info) });
  return new ReadableStream({
    pull(controller) {
      const { piece, isLast } = content.next();
      controller.enqueue(piece);
      if (isLast) controller.close();
    },
    cancel: () => content.close(),
  }, { highWaterMark: 0 });
}

/** An open file, given out piece by piece. */
class Content {
  readonly #disk: Disk;
  readonly #file: WalkedFile;
  readonly #opened: OpenedFile;
  #left: number;
  #isOpen = true;

  constructor(disk: Disk, file: WalkedFile) {
    this.#disk = disk;
    this.#file = file;
    this.#left = file.size;
    this.#opened = this.#told(() => OpenedFile.checked(disk, file));
  }

  next(): { piece: Bytes; isLast: boolean } {
    return this.#told(() => {
      const piece = new Uint8Array(Math.min(PIECE, this.#left));
      this.#opened.readExactly(piece);
      this.#left -= piece.length;
      const isLast = this.#left === 0;
      if (isLast) {
        this.#opened.confirm();
        this.close();
      }
      return { piece, isLast };
    });
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#opened.close();
  }

  /** Does something; what fails closes the file and says what that means for it. */
  #told<T>(body: () => T): T {
    try {
      return body();
    } catch (error) {
      if (this.#opened !== undefined) this.close();
      throw meaningOf(error, this.#disk, this.#file);
    }
  }
}

/** What a failed reading is told as. */
function meaningOf(error: unknown, disk: Disk, file: WalkedFile): ToolError {
  const refusal = refusalOf(error, disk, file);
  if (refusal.kind === "changed" || isMissing(error)) return changed(file.path, error);
  return new ToolError(
    "unreadable",
    `${quote(file.path)} cannot be read (${refusal.code}); it was left as it is`,
    { detail: { errno: refusal.code, path: file.path }, cause: error },
  );
}
