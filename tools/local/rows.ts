// A file as the reading tools return it, and the best few of very many.

import { mtimeOf } from "../../containment/mod.ts";
import { formatBytes, modifiedFields } from "../format.ts";
import type { Schemas, Table } from "../tool.ts";

/** One file of a walk, kept small: a million of these may be looked at. */
export interface FileRow {
  path: string;
  info: Deno.FileInfo;
}

/** A file in a result. */
export function fileSchema(z: Schemas) {
  return {
    path: z.string(),
    size: z.number().describe("Bytes of content."),
    size_human: z.string(),
    modified: z.string().optional().describe("UTC date of the last modification."),
    modified_at: z.string().optional(),
    kind: z.string(),
    hardlinks: z.number().optional().describe(
      "Names of this file on its volume, when more than one.",
    ),
    allocated_bytes: z.number().optional().describe("Bytes that the file occupies on disk."),
  };
}

/** Bytes that a file occupies, where the platform says so. */
export function allocatedBytes(info: Deno.FileInfo): number | undefined {
  return info.blocks === null || info.blocks === undefined ? undefined : info.blocks * 512;
}

export function fileFields({ path, info }: FileRow) {
  const nlink = info.nlink ?? 1;
  const allocated = allocatedBytes(info);
  return {
    path,
    size: info.size,
    size_human: formatBytes(info.size),
    ...modifiedFields(mtimeOf(info)),
    kind: "file",
    ...(nlink > 1 ? { hardlinks: nlink } : {}),
    ...(allocated === undefined ? {} : { allocated_bytes: allocated }),
  };
}

/** A table of files. */
export function fileTable(
  files: { path: string; size: number; modified_at?: string }[],
): Table {
  return {
    columns: [
      { title: "Size", kind: "size" },
      { title: "Modified", kind: "date" },
      { title: "Path", kind: "path" },
    ],
    rows: files.map((file) => [file.size, file.modified_at, file.path]),
  };
}

/**
 * Keeps the first `size` of everything offered, in the given order, without holding the rest: a heap
 * whose top is the worst kept.
 */
export class Best<T> {
  readonly #size: number;
  readonly #order: (a: T, b: T) => number;
  readonly #heap: T[] = [];

  constructor(size: number, order: (a: T, b: T) => number) {
    this.#size = size;
    this.#order = order;
  }

  offer(item: T): void {
    const heap = this.#heap;
    if (heap.length < this.#size) {
      heap.push(item);
      this.#up(heap.length - 1);
    } else if (this.#order(item, heap[0]) < 0) {
      heap[0] = item;
      this.#down();
    }
  }

  /** What was kept, best first. */
  sorted(): T[] {
    return [...this.#heap].sort(this.#order);
  }

  #up(at: number): void {
    const heap = this.#heap;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#order(heap[at], heap[parent]) <= 0) return;
      [heap[at], heap[parent]] = [heap[parent], heap[at]];
      at = parent;
    }
  }

  #down(): void {
    const heap = this.#heap;
    for (let at = 0;;) {
      const left = 2 * at + 1;
      if (left >= heap.length) return;
      const right = left + 1;
      const worse = right < heap.length && this.#order(heap[right], heap[left]) > 0 ? right : left;
      if (this.#order(heap[worse], heap[at]) <= 0) return;
      [heap[at], heap[worse]] = [heap[worse], heap[at]];
      at = worse;
    }
  }
}
