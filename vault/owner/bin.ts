// Into the Bin, out of it, and from there away for good. The server remembers where each item lay; its
// name and keys are sealed here for where it goes.

import type { Answer } from "./answer.ts";
import type { JsonBody } from "./api.ts";
import { moved, precondition, requireMovable, requireOutsideItself, sealedItem } from "./change.ts";
import { OwnerError } from "./error.ts";
import { inTurn } from "./in_turn.ts";
import { Outcome } from "./outcome.ts";
import { parentOf, type Row } from "./rows.ts";
import { type Destination, requireTrusted, type Workplace } from "./sealing.ts";
import type { BulkResult, Item } from "./types.ts";

/** Items of one request (vault spec, 3). */
const AT_ONCE = 50;

/** Puts items into the Bin, from where they can be restored. */
export async function toBin(place: Workplace, items: readonly Item[]): Promise<BulkResult> {
  const { contents } = place;
  const outcome = new Outcome(place);
  await inBatches(items, async (batch) => {
    const sealed = await sealEach(place, batch, outcome, ({ id }) => {
      requireMovable(place, id);
      if (contents.tree.item(id)?.inBin) {
        throw new OwnerError("invalid_destination", "it lies in the Bin already");
      }
      return { folderId: contents.binId, proven: false };
    });
    await sendBatch(place, "/bin", sealed, outcome, (entry) => ({
      kind: entry.before.kind,
      id: entry.before.id,
      ...entry.fields,
      ...precondition(entry.before),
    }));
  });
  return outcome.result;
}

/** Back to where each came from; to the top when that is gone, in the Bin, or does not open. */
export async function restore(place: Workplace, items: readonly Item[]): Promise<BulkResult> {
  const outcome = new Outcome(place);
  await restoreTo(place, items, (item) => originOf(place, item), outcome);
  return outcome.result;
}

function originOf({ contents, keyring }: Workplace, { id }: Item): string | null {
  const { originId } = contents.row(id);
  const origin = originId && contents.tree.folders.get(originId);
  if (!origin || origin.inBin || origin.role === "bin" || !keyring.holds(origin.id)) return null;
  return origin.id;
}

/** Takes items out of the Bin to where each of them should go. */
export async function restoreTo(
  place: Workplace,
  items: readonly Item[],
  destinationOf: (item: Item) => string | null,
  outcome: Outcome,
): Promise<void> {
  await inBatches(items, async (batch) => {
    const sealed = await sealEach(place, batch, outcome, async (item) => {
      requireMovable(place, item.id);
      const folderId = destinationOf(item);
      await requireTrusted(place, folderId);
      requireOutsideItself(place, item.id, folderId);
      return { folderId, proven: true };
    });
    await sendBatch(place, "/restore", sealed, outcome, (entry) => ({
      kind: entry.before.kind,
      id: entry.before.id,
      parentId: parentOf(entry.after),
      ...entry.fields,
      ...precondition(entry.before),
    }));
  });
}

/** Deletes for good what lies in the Bin. */
export async function purge(place: Workplace, items: readonly Item[]): Promise<BulkResult> {
  const outcome = new Outcome(place);
  await inBatches(items, async (batch) => {
    const entries = batch.flatMap((item) => {
      const row = place.contents.tree.item(item.id) && place.contents.row(item.id);
      if (row === undefined) outcome.failed(item, "not_found");
      return row === undefined ? [] : [{ item, before: row, after: row, fields: {} }];
    });
    const ask = ({ before: { kind, id } }: Entry) => ({ kind, id });
    await sendBatch(place, "/purge", entries, outcome, ask, ({ before }) => {
      place.contents.drop([before.id, ...below(place, before.id)]);
    });
  });
  return outcome.result;
}

/** The ids of everything in a folder. */
function below({ contents }: Workplace, folderId: string): string[] {
  const found: string[] = [];
  const folders = [folderId];
  for (let id = folders.pop(); id !== undefined; id = folders.pop()) {
    for (const item of contents.tree.children(id)) {
      found.push(item.id);
      if (item.kind === "folder") folders.push(item.id);
    }
  }
  return found;
}

/** One item of a batch, sealed. */
interface Entry {
  item: Item;
  before: Row;
  after: Row;
  fields: Record<string, string>;
}

async function inBatches<T>(
  items: readonly T[],
  body: (batch: T[]) => Promise<void>,
): Promise<void> {
  for (let i = 0; i < items.length; i += AT_ONCE) await body(items.slice(i, i + AT_ONCE));
}

async function sealEach(
  place: Workplace,
  items: readonly Item[],
  outcome: Outcome,
  destinationOf: (item: Item) => Destination | Promise<Destination>,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  await inTurn(items, place.keyring.kdf.concurrency, async (item) => {
    await outcome.attempt(item, async () => {
      const destination = await destinationOf(item);
      const before = place.contents.row(item.id);
      const { fields, row: after } = await sealedItem(place, before, destination);
      entries.push({ item, before, after, fields });
    });
  });
  return entries;
}

/** Sends a batch and notes what became of each of its items. */
async function sendBatch(
  place: Workplace,
  path: string,
  entries: readonly Entry[],
  outcome: Outcome,
  ask: (entry: Entry) => JsonBody,
  onDone = (entry: Entry, answer: Answer) => moved(place, entry.before, entry.after, answer),
): Promise<void> {
  if (entries.length === 0) return;
  const answer = await outcome.all(
    entries.map(({ item }) => item),
    () => place.api.call("POST", path, { items: entries.map(ask) }),
  );
  if (answer === undefined) return;
  const results = new Map(answer.list("results").map((result) => [result.id("id"), result]));
  for (const entry of entries) {
    const result = results.get(entry.before.id);
    if (result?.flag("ok")) {
      onDone(entry, result);
      outcome.done(entry.item);
    } else outcome.failed(entry.item, result?.textOrNull("code") ?? "bad_answer");
  }
}
