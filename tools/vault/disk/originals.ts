// Puts originals into the trash once their copies are in the vault. An original is read once more and must be
// what its copy is; its line in the manifest, which names the copy, is on disk before it moves; and where
// it was written to in that very moment, it goes back to its place.

import {
  asToolError,
  Batch,
  batchName,
  type BatchOrigin,
  type CancelFlag,
  type Disk,
  errnoOf,
  type Existing,
  hashFile,
  quote,
  ToolError,
  trashFolder,
  type TrashItem,
  unchanged,
} from "../../../containment/mod.ts";
import type { Source, Trashed, TrashOrder, VerifiedCopy } from "../disk_gateway.ts";
import { changed, lookAgain, type Place, usableTrash } from "./look.ts";

/** Calls whose batches may still grow; only one call at a time makes any. */
const KEPT_CALLS = 8;

/** What is to go, and on what grounds. */
export interface Going {
  source: Source;
  copy: VerifiedCopy;
  order: TrashOrder;
}

/** The batches of one call, by the folder that holds their trash. */
type CallBatches = Map<string, Batch>;

export class Originals {
  /** By the batch's name. */
  readonly #calls = new Map<string, CallBatches>();

  /** @throws ToolError as `DiskGateway.trash`; system errors as they are. */
  trash(place: Place, { source, copy, order }: Going, signal: CancelFlag): Trashed {
    const file = lookAgain(place, source);
    const base = usableTrash(place, file);
    if (trashFolder(base) !== source.trashDirectory) throw changed(source.path);
    requireContent(place, file, copy, signal);
    signal.throwIfCancelled();
    const name = order.batch ?? batchName(place.now());
    const call = this.#call(name, order.batch !== undefined);
    const known = call.get(base);
    const { batch, index } = entered(place, known, { file, copy, order, base, name });
    // A batch that something went wrong in takes on nothing more.
    call.delete(base);
    const warnings = moved(place, batch, index, file);
    call.set(base, batch);
    return {
      path: batch.destination(index),
      batch: name,
      warnings: known === undefined ? [...batch.warnings, ...warnings] : warnings,
    };
  }

  #call(name: string, isKnown: boolean): CallBatches {
    const known = this.#calls.get(name);
    if (known !== undefined) return known;
    if (isKnown) throw new Error(`no call has a batch ${name}`);
    const call: CallBatches = new Map();
    this.#calls.set(name, call);
    for (const oldest of this.#calls.keys()) {
      if (this.#calls.size <= KEPT_CALLS) break;
      this.#calls.delete(oldest);
    }
    return call;
  }
}

/** @throws ToolError `changed`, `cancelled` */
function requireContent(
  { disk }: Place,
  { path, info }: Existing,
  { sha256 }: VerifiedCopy,
  signal: CancelFlag,
): void {
  try {
    if (hashFile(path, info, { disk, signal }) === sha256) return;
  } catch (error) {
    if (error instanceof ToolError && error.code === "source_changed") throw changed(path, error);
    throw error;
  }
  throw changed(path);
}

/** An original that may go, and the call that it goes with. */
interface Entering extends Pick<BatchOrigin, "base" | "name"> {
  file: Existing;
  copy: VerifiedCopy;
  order: TrashOrder;
}

/** Writes the original into the manifest of its batch, which is made where there is none yet. */
function entered(
  place: Place,
  known: Batch | undefined,
  { file, copy, order, base, name }: Entering,
): { batch: Batch; index: number } {
  const { path, info, root } = file;
  const { sha256, ...vaultCopy } = copy;
  const item: TrashItem = { source: path, info, files: 1, bytes: info.size, sha256, vaultCopy };
  if (known !== undefined) return { batch: known, index: known.add(item) };
  const { tool, approval } = order;
  const origin = { base, root: root.path, name, tool, approval };
  return { batch: Batch.open(origin, [item], place), index: 0 };
}

/**
 * Moves the original, and gives in words what is not as it should be.
 *
 * @throws what keeps it from moving; it is where it was then.
 */
function moved(place: Place, batch: Batch, index: number, file: Existing): string[] {
  try {
    batch.move(index);
  } catch (error) {
    // It may have moved, and only the record of that failed, which is tried again below.
    if (!batch.has(index)) throw settled(batch, error, file);
  }
  if (!isWhatItWas(place.disk, batch.destination(index), file)) goBack(batch, index, file);
  try {
    batch.finish();
    return [];
  } catch (error) {
    return [staleManifest(batch, error)];
  }
}

/** Whether nobody wrote to the original while it moved. */
function isWhatItWas(disk: Disk, path: string, { info }: Existing): boolean {
  try {
    return unchanged(info, disk.lstat(path));
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return true; // it did move, and nothing speaks against it
  }
}

/** @throws ToolError `changed`, after the original went back to where it was. */
function goBack(batch: Batch, index: number, file: Existing): never {
  const to = batch.destination(index);
  try {
    batch.putBack(index);
  } catch (error) {
    throw new ToolError(
      "changed",
      `${
        quote(file.path)
      } was written to while it was put into the trash, and could not be put back: ` +
        `it is ${quote(to)} now, with something that its copy in the vault does not have`,
      { detail: { path: file.path, trashed_to: to }, changedAnything: true, cause: error },
    );
  }
  throw settled(batch, changed(file.path), file);
}

/** The failure to tell, after the batch was brought in line with what moved. */
function settled(batch: Batch, cause: unknown, { path }: Existing): unknown {
  const failure = asToolError(cause, "moving to the trash", path);
  const told = failure instanceof ToolError && failure.code === "source_changed"
    ? changed(path, failure)
    : failure;
  try {
    batch.settle();
    return told;
  } catch (error) {
    if (!(told instanceof ToolError)) return told;
    const { code, message, detail, changedAnything } = told;
    const both = `${message}; ${staleManifest(batch, error)}`;
    return new ToolError(code, both, { detail, changedAnything, cause });
  }
}

function staleManifest({ manifestPath }: Batch, error: unknown): string {
  const reason = (error as Error).message;
  return `${quote(manifestPath)} could not be brought up to date (${reason}); ` +
    "it lists the items as planned";
}
