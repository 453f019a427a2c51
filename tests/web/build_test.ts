// What the page is built to: files that need nothing from elsewhere and fit a strict policy.

import assert from "node:assert/strict";
import { buildPage } from "../../web/build.ts";
import { inTempDir } from "../support.ts";
import { TOP } from "../sources.ts";

const page = await buildPage();
const document = new TextDecoder().decode(page.get("index.html"));

function text(path: string): string {
  return new TextDecoder().decode(page.get(path));
}

Deno.test("the document names files that are there, and nothing of another server", () => {
  const named = [...document.matchAll(/(?:src|href|content)="(\/[^"]+)"/g)].map(([, path]) => path);
  assert.equal(named.length, 5);
  for (const path of named) assert.ok(page.has(path.slice(1)), path);
  assert.doesNotMatch(document, /https?:/);
});

Deno.test("nothing is in the document that the policy would have to allow", () => {
  assert.doesNotMatch(document, /<style|\sstyle=|\son\w+=|javascript:/i);
  assert.doesNotMatch(document, /<script(?![^>]*\ssrc=)/);
});

Deno.test("scripts import from beside themselves, and styles from nowhere", () => {
  for (const path of page.keys()) {
    if (path.endsWith(".css")) assert.doesNotMatch(text(path), /@import|url\(/);
    if (!path.endsWith(".js")) continue;
    for (const [, from] of text(path).matchAll(/\b(?:from|import)\s*\(?\s*"([^"]+)"/g)) {
      assert.match(from, /^\.\/[\w-]+\.js$/, path);
      assert.ok(page.has(path.replace(/[^/]+$/, from.slice(2))), `${path}: ${from}`);
    }
  }
});

Deno.test("the page itself has no cipher and no key derivation in it: these are the worker's", () => {
  const folder = [...page.keys()].find((path) => path.endsWith("/main.js"))!;
  const loaded = new Set<string>();
  const load = (path: string) => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (
      const [, from] of text(path).matchAll(/\bfrom\s*"\.\/([^"]+)"|\bimport\s*"\.\/([^"]+)"/g)
    ) {
      if (from) load(path.replace(/[^/]+$/, from));
    }
  };
  load(folder);
  for (const path of loaded) {
    assert.doesNotMatch(text(path), /subtle\.(en|de)crypt|crypto_pwhash|AES-GCM/, path);
  }
});

Deno.test("the same sources give the same page, wherever they are", async () => {
  await inTempDir(async (dir) => {
    const copy = `${dir}/some where/else`;
    Deno.mkdirSync(copy, { recursive: true });
    for (const name of ["web", "vault", "containment", "tests/web", "tests/browser"]) {
      Deno.mkdirSync(`${copy}/${name}`.replace(/[^/]+$/, ""), { recursive: true });
      const { success } = await new Deno.Command("cp", {
        args: ["-R", `${TOP}/${name}`, `${copy}/${name}`],
      })
        .output();
      assert.ok(success);
    }
    for (const name of ["deno.json", "deno.lock"]) {
      Deno.copyFileSync(`${TOP}/${name}`, `${copy}/${name}`);
    }
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "web/build.ts"],
      cwd: copy,
      env: { NO_COLOR: "1" },
    }).output();
    const expected = [...page].map(([path, bytes]) => `${path}: ${bytes.length} bytes\n`).join("");
    // The folder's name is the hash of everything in it.
    assert.equal(new TextDecoder().decode(stdout), expected, new TextDecoder().decode(stderr));
  });
});
