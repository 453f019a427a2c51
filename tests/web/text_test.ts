// How the page says sizes, counts, durations and failures.

import assert from "node:assert/strict";
import { countText, dateText, durationText, sizeText } from "../../web/text/format.ts";
import { reasonText, sentence } from "../../web/text/sentence.ts";

Deno.test("sizes have decimal units and three digits at most", () => {
  const texts = [0, 1, 999, 1000, 1234, 99_950, 999_499, 999_500, 12_345_678, 2.5e9, 7e12].map(
    sizeText,
  );
  assert.deepEqual(texts, [
    "0 bytes",
    "1 byte",
    "999 bytes",
    "1 kB",
    "1.2 kB",
    "100 kB",
    "999 kB",
    "1 MB",
    "12.3 MB",
    "2.5 GB",
    "7 TB",
  ]);
});

Deno.test("one is one, and many are counted with their thousands", () => {
  assert.equal(countText(1, "file"), "1 file");
  assert.equal(countText(0, "file"), "0 files");
  assert.equal(countText(2500, "file"), "2,500 files");
  assert.equal(countText(2, "name is", "names are"), "2 names are");
});

Deno.test("a wait is said in the unit that fits, and never as too short", () => {
  const texts = [0.2, 59, 60, 61, 3600, 3601].map(durationText);
  assert.deepEqual(texts, ["1 second", "59 seconds", "1 minute", "2 minutes", "1 hour", "2 hours"]);
});

Deno.test("a time that is none is said as it is", () => {
  assert.equal(dateText("yesterday"), "yesterday");
});

Deno.test("a failure becomes a sentence", () => {
  assert.equal(sentence("the server did not answer"), "The server did not answer.");
  assert.equal(sentence("Try again?"), "Try again?");
  assert.equal(sentence(" "), "Something went wrong.");
  assert.equal(reasonText("conflict"), "it was changed by someone else");
  assert.equal(reasonText("some_new_code"), "the server says some new code");
});
