// A file as the reading tools return it, and the best few of very many.

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

/** When a file was modified, in milliseconds since 1970; undefined when nobody knows. */
export function knownTime(info: Deno.FileInfo): number | undefined {
  const time = info.mtime?.getTime() ?? NaN;
  return Number.isNaN(time) ? undefined : time;
}

export function fileFields({ path, info }: FileRow) {
  const nlink = info.nlink ?? 1;
  const allocated = allocatedBytes(info);
  return {
    path,
    size: info.size,
    size_human: formatBytes(info.size),
    ...modifiedFields(knownTime(info)),
    kind: "file",
    ...(nlink > 1 ? { hardlinks: nlink } : {}),
    ...(allocated === undefined ? {} : { allocated_bytes: allocated }),
  };
}

/** A column that one tool adds to the table of files, with its cell for a file. */
export type FileColumn<F> = [Table["columns"][number], (file: F) => string | number | undefined];

/** A table of files, with one more column before the path where a tool has one. */
export function fileTable<F extends { path: string; size: number; modified_at?: string }>(
  files: F[],
  more?: FileColumn<F>,
): Table {
  const columns: FileColumn<F>[] = [
    [{ title: "Size", kind: "size" }, (file) => file.size],
    [{ title: "Modified", kind: "date" }, (file) => file.modified_at],
    ...(more === undefined ? [] : [more]),
    [{ title: "Path", kind: "path" }, (file) => file.path],
  ];
  return {
    columns: columns.map(([column]) => column),
    rows: files.map((file) => columns.map(([, cell]) => cell(file))),
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
