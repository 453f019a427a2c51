// Times as they lie from now.

import assert from "node:assert/strict";
import { relativeText } from "../../web/text/relative.ts";

const NOW = Date.UTC(2026, 0, 10, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

Deno.test("a time is said in the unit that says enough", () => {
  const said = (ms: number) => relativeText(new Date(NOW + ms).toISOString(), NOW);
  assert.equal(said(0), "just now");
  assert.equal(said(-20_000), "just now");
  assert.equal(said(20_000), "in less than a minute");
  assert.equal(said(-MINUTE), "1 minute ago");
  assert.equal(said(59 * MINUTE), "in 59 minutes");
  assert.equal(said(HOUR), "in 60 minutes");
  assert.equal(said(-3 * HOUR), "3 hours ago");
  assert.equal(said(DAY), "in 24 hours");
  assert.equal(said(7 * DAY), "in 7 days");
  assert.equal(said(90 * DAY), "in 90 days");
});

Deno.test("what is no time is said as it is", () => {
  assert.equal(relativeText("soon", NOW), "soon");
});
