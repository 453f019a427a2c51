// The design of grants names the tests behind its statements; each of them has to be there.

import assert from "node:assert/strict";
import { exists } from "../support.ts";

const TOP = new URL("../../", import.meta.url).pathname;

Deno.test("every test that the design of grants names is there", () => {
  const text = Deno.readTextFileSync(`${TOP}docs/mcp-grants-design.md`);
  const table = text.slice(text.indexOf("## The tests behind this"));
  const named = [...table.matchAll(/`([a-z0-9_/]+\.ts)`/g)].map(([, path]) => path);
  assert.ok(named.length > 30, `only ${named.length} are named`);
  assert.deepEqual(named.filter((path) => !exists(`${TOP}tests/${path}`)), []);
});
