// The record of what was done, and undoing it. Most changes the server takes back by itself; what was made
// goes to the Bin, and has to be sealed for it here.

import type { JsonBody } from "./api.ts";
import { sealedItem } from "./change.ts";
import { OwnerError } from "./error.ts";
import { activityEntry } from "./records.ts";
import type { Workplace } from "./sealing.ts";
import type { ActivityEntry } from "./types.ts";

const MADE = new Set(["create_folder", "upload_file"]);

/** The record, page by page; it remembers what it showed. */
export class Activity {
  readonly #place: Workplace;
  readonly #shown = new Map<string, ActivityEntry>();

  constructor(place: Workplace) {
    this.#place = place;
  }

  async page(after?: string): Promise<{ entries: ActivityEntry[]; next: string | null }> {
    const query = after === undefined ? "" : `?after=${encodeURIComponent(after)}`;
    const answer = await this.#place.api.call("GET", `/activity${query}`);
    const entries = answer.list("entries").map(activityEntry);
    for (const entry of entries) this.#shown.set(entry.id, entry);
    return { entries, next: answer.textOrNull("next") };
  }

  /** @throws OwnerError `not_found` for an entry that no page showed; the server's codes. */
  async undo(entryId: string): Promise<void> {
    const entry = this.#shown.get(entryId);
    if (entry === undefined) throw new OwnerError("not_found", "there is no such record");
    const body = MADE.has(entry.action) ? { item: await this.#forTheBin(entry) } : {};
    await this.#place.api.call("POST", `/activity/${entryId}/undo`, body);
  }

  async #forTheBin({ objectId }: ActivityEntry): Promise<JsonBody> {
    const { contents } = this.#place;
    const row = contents.row(objectId ?? "");
    const { fields } = await sealedItem(this.#place, row, {
      folderId: contents.binId,
      proven: false,
    });
    return { kind: row.kind, id: row.id, ...fields };
  }
}
