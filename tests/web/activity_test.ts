// The record as it is shown: by day, with runs as one line, and newer pages put before what is known.

import assert from "node:assert/strict";
import type { ActivityEntry } from "../../vault/owner/mod.ts";
import { byDay, merged, passes, withoutBeginnings } from "../../web/activity/rows.ts";
import { deedText, isStranger, reasonText } from "../../web/activity/words.ts";

let made = 0;

function entry(over: Partial<ActivityEntry> = {}): ActivityEntry {
  return {
    id: `entry-${made++}`,
    grantId: "grant",
    action: "list",
    objectKind: null,
    objectId: null,
    result: "ok",
    code: null,
    at: new Date(2026, 0, 2, 12).toISOString(),
    undoable: false,
    undoneAt: null,
    ...over,
  };
}

Deno.test("entries are grouped by the reader's day, and looks in a row are one line", () => {
  const days = byDay([
    entry({ action: "rename_file" }),
    entry(),
    entry(),
    entry({ grantId: "another" }),
    entry({ result: "refused", code: "rate_limited" }),
    entry({ at: new Date(2026, 0, 1, 23, 59).toISOString() }),
  ]);
  assert.deepEqual(days.map(({ start, rows }) => [start, rows.map(({ count }) => count)]), [
    [new Date(2026, 0, 2).getTime(), [1, 2, 1, 1]],
    [new Date(2026, 0, 1).getTime(), [1]],
  ]);
});

Deno.test("a newer page comes before what is known, and counts where both have an entry", () => {
  const [a, b, c, d] = [entry(), entry(), entry(), entry()];
  const changed = { ...b, undoneAt: "2026-01-02T00:00:00.000Z" };
  assert.deepEqual(merged([d, a, changed], [a, b, c]), [d, a, changed, c]);
  assert.deepEqual(merged([a], []), [a]);
  assert.equal(merged([d], [a, b]), undefined);
});

Deno.test("the beginning of an upload is left out once its end is there", () => {
  const begun = entry({ action: "reserve_upload", objectId: "a" });
  const done = entry({ action: "upload_file", objectId: "a" });
  const waiting = entry({ action: "reserve_upload", objectId: "b" });
  const refused = entry({ action: "reserve_upload", objectId: "a", result: "refused" });
  assert.deepEqual(withoutBeginnings([done, begun, waiting, refused]), [done, waiting, refused]);
  const failed = entry({ action: "upload_file", objectId: "b", result: "refused" });
  assert.deepEqual(withoutBeginnings([failed, waiting]), [failed, waiting]);
});

Deno.test("entries are chosen by who acted and by what came of it", () => {
  const own = entry({ grantId: null, action: "rename_file" });
  const refused = entry({ result: "refused", code: "missing_scope", action: "move_file" });
  const seen = (kind: "all" | "changes" | "refused", who: string) =>
    [entry({ id: "look" }), own, refused].filter((each) => passes(each, { kind, who }))
      .map(({ action }) => action);
  assert.deepEqual(seen("all", "all"), ["list", "rename_file", "move_file"]);
  assert.deepEqual(seen("changes", "all"), ["rename_file", "move_file"]);
  assert.deepEqual(seen("refused", "all"), ["move_file"]);
  assert.deepEqual(seen("all", "owner"), ["rename_file"]);
  assert.deepEqual(seen("all", "grant"), ["list", "move_file"]);
});

Deno.test("every action is said in words, and one of a newer server as it calls itself", () => {
  assert.equal(deedText({ action: "trash_folder", result: "ok" }), "Moved to the Bin:");
  assert.equal(deedText({ action: "move_file", result: "refused" }), "Tried to move");
  assert.equal(deedText({ action: "pin_file", result: "ok" }), "Did “pin file”");
  assert.equal(reasonText("missing_scope"), "it is not allowed to do that");
  assert.equal(reasonText("some_new_code"), "some new code");
});

Deno.test("who did not know the passphrase is not called the owner", () => {
  assert.ok(isStranger(entry({ grantId: null, code: "login_failed" })));
  assert.ok(!isStranger(entry({ grantId: null })));
  assert.ok(!isStranger(entry({ code: "login_failed" })));
});
