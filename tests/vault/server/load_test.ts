import assert from "node:assert/strict";
import { load } from "./load.ts";

Deno.test("many downloads and uploads at once all carry the right bytes, in bounded memory", async () => {
  const { wrong, downloadTimes, uploadTimes, memoryBefore, memoryPeak } = await load({
    downloads: 16,
    uploads: 4,
    size: 32 * 1024 * 1024,
    files: 2,
  });
  assert.deepEqual(wrong, []);
  assert.equal(downloadTimes.length + uploadTimes.length, 20);
  // Half of what went through: when garbage is collected is not in our hands.
  const grown = memoryPeak - memoryBefore;
  assert.ok(grown < 320 * 1024 * 1024, `${(grown / 1e6).toFixed(0)} MB more`);
});
