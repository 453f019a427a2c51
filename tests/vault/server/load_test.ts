import assert from "node:assert/strict";
import { load } from "./load.ts";

Deno.test("many downloads and uploads at once all carry the right bytes, in bounded memory", async () => {
  const { wrong, downloadTimes, uploadTimes, memoryBefore, memoryPeak } = await load({
    downloads: 16,
    uploads: 4,
    size: 16 * 1024 * 1024,
    files: 2,
  });
  assert.deepEqual(wrong, []);
  assert.equal(downloadTimes.length + uploadTimes.length, 20);
  // A third of what went through.
  const grown = memoryPeak - memoryBefore;
  assert.ok(grown < 110 * 1024 * 1024, `${(grown / 1e6).toFixed(0)} MB more`);
});
