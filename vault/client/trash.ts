// Items into the connection's trash: one request for all, an answer for each. What the answer leaves out, or
// what is lost with it, is looked for in the vault.

import { auditIdIn, type Fields, isFields } from "./answers.ts";
import { seenAt } from "./changes.ts";
import type { Loaded, Workplace } from "./load.ts";
import { type Fate, fatesOf, notDone, outcomeUnknown } from "./read_back.ts";
import { badAnswer, CODE, Lost } from "./refusals.ts";
import { checkTrash } from "./rules.ts";
import { type SealedFields, sealedFor } from "./seal.ts";
import { throwIfCancelled } from "./timing.ts";
import type { CallOptions, TrashResult, VaultFolder, VaultItem } from "./types.ts";

const WHAT = "anything was put into the trash";

/** An item on its way, sealed for the trash. */
interface Sent {
  item: VaultItem;
  fields: SealedFields;
}

/** @throws ToolError as `VaultClient.trash` */
export async function trash(
  place: Workplace,
  loaded: Loaded,
  items: readonly VaultItem[],
  { signal }: CallOptions,
): Promise<TrashResult[]> {
  const destination = checkTrash(loaded.view, items);
  const sent: Sent[] = [];
  for (const item of items) {
    const fields = await sealedFor(loaded, place.names, { item, destination, signal });
    sent.push({ item, fields });
  }
  throwIfCancelled(signal);
  try {
    return await resultsOf(place, sent, { destination, signal });
  } catch (error) {
    if (!(error instanceof Lost)) throw error;
    const fates = await fatesIn(place, error, sent, destination);
    if (fates.every((fate) => fate === "not done")) throw notDone(error, WHAT);
    if (fates.every((fate) => fate === "unknown")) throw outcomeUnknown(error, WHAT);
    return sent.map(({ item }, index) => resultFor(item, fates[index], error));
  }
}

/** Asks, and looks for what the answer leaves out. @throws Lost where there is none that makes sense. */
async function resultsOf(
  place: Workplace,
  sent: readonly Sent[],
  { destination, signal }: { destination: VaultFolder; signal: AbortSignal | undefined },
): Promise<TrashResult[]> {
  const { value } = await place.api.json({
    method: "POST",
    path: "/trash",
    body: { items: sent.map(wireItem) },
    idempotencyKey: crypto.randomUUID(),
    acts: true,
    signal,
  });
  const answers = answersIn(value);
  const told = sent.map(({ item }) => resultIn(answers, item));
  const untold = sent.filter((_, index) => told[index] === undefined);
  const lost = badAnswer("what became of an item");
  const fates = untold.length === 0 ? [] : await fatesIn(place, lost, untold, destination);
  return sent.map(({ item }, index) => told[index] ?? resultFor(item, fates.shift()!, lost));
}

function wireItem({ item: { kind, id, updatedAt }, fields }: Sent) {
  return { kind, id, ...fields, ifUpdatedAt: updatedAt };
}

function answersIn(value: unknown): Fields[] {
  const results = isFields(value) ? value.results : undefined;
  if (!Array.isArray(results)) throw badAnswer("what became of the items");
  return results.filter(isFields);
}

/** What an answer says of an item; undefined where it says nothing that makes sense. */
function resultIn(answers: readonly Fields[], { id, kind }: VaultItem): TrashResult | undefined {
  const answer = answers.find((each) => each.id === id && each.kind === kind);
  if (answer?.ok === true) return { id, kind, ok: true, ...auditIdIn(answer) };
  if (answer?.ok !== false) return undefined;
  const { code } = answer;
  return {
    id,
    kind,
    ok: false,
    code: typeof code === "string" && CODE.test(code) ? code : "refused",
  };
}

/** What the vault says became of items. */
async function fatesIn(
  place: Workplace,
  lost: Lost,
  sent: readonly Sent[],
  destination: VaultFolder,
): Promise<Fate[]> {
  const parentId = destination.id;
  const look = (now: Loaded) =>
    sent.map(({ item, fields: { name } }) => seenAt(now, item, { name, parentId }));
  const fates = await fatesOf(place, lost, look);
  return sent.map((_, index) => fates[index] ?? "unknown");
}

function resultFor({ id, kind }: VaultItem, fate: Fate, lost: Lost): TrashResult {
  if (fate === "done") return { id, kind, ok: true };
  return { id, kind, ok: false, code: fate === "not done" ? lost.code : "outcome_unknown" };
}
