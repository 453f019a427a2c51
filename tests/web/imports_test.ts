// What the page is made of: its own files, the owner's library, and how names are shown everywhere. The keys
// are in the worker, so no other file of the page has anything of the library but types and plain rules.

import assert from "node:assert/strict";
import { type Import, importsOf, TOP } from "../sources.ts";

/** The sources of the page by path from the top, the tests' own folder left out. */
function pageSources(folder = "web"): string[] {
  return Array.from(Deno.readDirSync(`${TOP}/${folder}`)).flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    return isDirectory ? pageSources(path) : /\.tsx?$/.test(name) ? [path] : [];
  });
}

const IMPORTS = pageSources().flatMap(importsOf);
const RULES = ["error.ts", "export.ts", "rules.ts", "tree.ts"].map((name) => `vault/owner/${name}`);

function written(found: Import[]): string[] {
  return found.map(({ from, specifier }) => `${from} imports ${specifier}`);
}

Deno.test("the page takes the owner's library and the way to show names, and nothing else of ours", () => {
  assert.ok(IMPORTS.length > 300, `${IMPORTS.length} imports were found`);
  const astray = IMPORTS.filter(({ to }) =>
    to !== undefined && !to.startsWith("web/") && !to.startsWith("vault/owner/") &&
    to !== "containment/text.ts"
  );
  assert.deepEqual(written(astray), []);
});

Deno.test("what handles keys is imported by the workers alone", () => {
  const astray = IMPORTS.filter(({ from, to, typeOnly }) =>
    to?.startsWith("vault/owner/") && !typeOnly && !RULES.includes(to) &&
    !from.startsWith("web/worker/") && from !== "web/kdf_worker.ts"
  );
  assert.deepEqual(written(astray), []);
});

Deno.test("two packages are all that the page needs, and none of them a cipher", () => {
  const packages = IMPORTS.filter(({ to }) => to === undefined).map(({ specifier }) => specifier);
  assert.deepEqual([...new Set(packages)].sort(), [
    "client-zip",
    "node:url",
    "preact",
    "preact/hooks",
  ]);
});

const KEEPING = /\b(localStorage|sessionStorage|indexedDB|document\.cookie|caches\.open)\b/;
const MARKUP =
  /\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|dangerouslySetInnerHTML)\b/;

Deno.test("the page keeps nothing in the browser, and makes no markup out of text", () => {
  for (const path of pageSources()) {
    const text = Deno.readTextFileSync(`${TOP}/${path}`);
    assert.doesNotMatch(text, KEEPING, path);
    assert.doesNotMatch(text, MARKUP, path);
  }
});
