// Progress as strict clients take it.

import assert from "node:assert/strict";
import { type ProgressParams, progressReporter, progressTokenOf } from "../../cli/mcp/progress.ts";

Deno.test("progress rises over the phases of a call, and stops at its cancellation", () => {
  const sent: ProgressParams[] = [];
  const controller = new AbortController();
  const report = progressReporter("t", controller.signal, (params) => sent.push(params));
  report({ done: 10, unit: "files", label: "scanning" });
  report({ done: 10, unit: "files", label: "scanning" });
  report({ done: 25, unit: "files", label: "scanning" });
  report({ done: 0, total: 500, unit: "bytes", label: "comparing" });
  report({ done: 100, total: 500, unit: "bytes", label: "comparing" });
  report({ done: 600, total: 500, unit: "bytes", label: "comparing" });
  controller.abort();
  report({ done: 900, total: 1000, unit: "bytes", label: "comparing" });
  assert.deepEqual(sent, [
    { progressToken: "t", progress: 10, message: "scanning" },
    { progressToken: "t", progress: 25, message: "scanning" },
    { progressToken: "t", progress: 125, total: 525, message: "comparing" },
    { progressToken: "t", progress: 625, total: 625, message: "comparing" },
  ]);
});

Deno.test("a token is a whole number or a string, as it came; anything else is none", () => {
  assert.strictEqual(progressTokenOf({ progressToken: 0 }), 0);
  assert.strictEqual(progressTokenOf({ progressToken: "0" }), "0");
  for (const progressToken of [1.5, null, {}, true, "x".repeat(2000)]) {
    assert.equal(progressTokenOf({ progressToken }), undefined);
  }
  assert.equal(progressTokenOf(undefined), undefined);
  const report = progressReporter(undefined, new AbortController().signal, () => assert.fail());
  report({ done: 1, unit: "files", label: "scanning" });
});
