// The formats in a real browser: the same vectors give the same results there, out of one bundle that
// needs nothing of a runtime.

import assert from "node:assert/strict";
import { findChromium, inBrowser } from "../../browser/chromium.ts";
import { sources, TOP } from "../../sources.ts";
import { inTempDir } from "../../support.ts";
import type { Runner } from "./browser/runner.ts";

const MEBIBYTE = 2 ** 20;

/** The texts of all files below a folder. */
function textsIn(dir: string): string[] {
  return Array.from(Deno.readDirSync(dir)).flatMap(({ name, isDirectory }) =>
    isDirectory ? textsIn(`${dir}/${name}`) : [Deno.readTextFileSync(`${dir}/${name}`)]
  );
}

/** The bundle of some modules for a browser: the text of each. */
async function bundled(dir: string, modules: string[]): Promise<string[]> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--frozen", "--platform", "browser", "--outdir", dir, ...modules],
    cwd: TOP,
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return textsIn(dir);
}

/** What a browser could not load. */
const RUNTIME_IMPORT = /\b(from|import|require)\s*\(?\s*["'](node:|npm:|jsr:|file:)[^"']*["']/;

Deno.test("what would be an import of a runtime's module is recognised", () => {
  for (
    const text of ['import x from "node:crypto"', 'import("node:fs")', "require('node:fs')"]
  ) {
    assert.match(text, RUNTIME_IMPORT);
  }
  assert.doesNotMatch('process.getBuiltinModule("node:crypto")', RUNTIME_IMPORT);
});

Deno.test("every module goes into a bundle for browsers, and brings no runtime with it", async () => {
  const modules = sources("vault/crypto");
  await inTempDir(async (dir) => {
    const texts = await bundled(dir, modules);
    assert.ok(texts.length >= modules.length);
    for (const text of texts) assert.doesNotMatch(text, RUNTIME_IMPORT);
  });
});

const program = findChromium();

Deno.test({
  name: "the vectors and a file of 16 MiB pass in a browser",
  ignore: program === undefined,
  async fn() {
    await inTempDir(async (dir) => {
      const [script] = await bundled(dir, ["tests/vault/crypto/browser/runner.ts"]);
      assert.doesNotMatch(script, RUNTIME_IMPORT);
      const page = '<!doctype html><script type="module" src="/runner.js"></script>';
      const serve = ({ url }: Request) =>
        new URL(url).pathname === "/runner.js"
          ? new Response(script, { headers: { "content-type": "text/javascript" } })
          : new Response(page, { headers: { "content-type": "text/html" } });
      await inBrowser(program!, serve, async ({ page, url, complaints }) => {
        await page.goto(url);
        await page.waitForFunction("globalThis.runner !== undefined");
        const { ran, failures } = await page.evaluate(() =>
          (globalThis as unknown as { runner: Runner }).runner.runChecks()
        );
        assert.deepEqual(failures, []);
        assert.ok(ran > 300, `${ran} checks`);
        await page.evaluate(
          (size) => (globalThis as unknown as { runner: Runner }).runner.roundTrip(size),
          16 * MEBIBYTE,
        );
        assert.deepEqual(complaints.all.filter((each) => !each.includes("favicon")), []);
      });
    });
  },
});
