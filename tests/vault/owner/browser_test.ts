// The owner's library in a real browser, under the policy that the server sets for its page: one bundle
// that needs nothing of a runtime, keys derived in workers, and an upload by XMLHttpRequest.

import assert from "node:assert/strict";
import { securityHeaders } from "../../../vault/server/http/security_headers.ts";
import { findChromium, inBrowser } from "../../browser/chromium.ts";
import { code, sources, TOP } from "../../sources.ts";
import { inTempDir } from "../../support.ts";
import type { Runner } from "./browser/runner.ts";
import { onServer } from "./support.ts";

const MEBIBYTE = 2 ** 20;

/** A bundle of one module for a browser. */
async function bundled(dir: string, module: string): Promise<string> {
  const target = `${dir}/${module.replaceAll("/", "_")}.js`;
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--frozen", "--platform", "browser", "-o", target, module],
    cwd: TOP,
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return Deno.readTextFileSync(target);
}

/** What a browser could not load. */
const RUNTIME_IMPORT = /\b(from|import|require)\s*\(?\s*["'](node:|npm:|jsr:|file:)[^"']*["']/;

Deno.test("the library uses nothing of a runtime", () => {
  for (const path of sources("vault/owner")) {
    assert.doesNotMatch(code(path), /\bDeno\b|\bprocess\b|["']node:|\bBuffer\b|\brequire\b/, path);
  }
});

Deno.test("one module of the library speaks to the network, and one starts workers", () => {
  const using = (pattern: RegExp) =>
    sources("vault/owner").filter((path) => pattern.test(code(path)));
  assert.deepEqual(using(/globalThis\.fetch\(|XMLHttpRequest/), ["vault/owner/transport.ts"]);
  assert.deepEqual(using(/\bnew Worker\(|\bWebSocket\b|\bEventSource\b|\blocalStorage\b/), []);
});

Deno.test("the library and its worker go into bundles for browsers", async () => {
  await inTempDir(async (dir) => {
    for (const module of ["vault/owner/mod.ts", "vault/owner/kdf_worker.ts"]) {
      assert.doesNotMatch(await bundled(dir, module), RUNTIME_IMPORT, module);
    }
  });
});

const program = findChromium();

Deno.test({
  name: "a vault lives in a browser, and the page reacts while keys are derived",
  ignore: program === undefined,
  async fn() {
    await inTempDir(async (dir) => {
      const scripts: Record<string, string> = {
        "/runner.js": await bundled(dir, "tests/vault/owner/browser/runner.ts"),
        "/kdf_worker.js": await bundled(dir, "vault/owner/kdf_worker.ts"),
      };
      await onServer(async ({ fetch, origin, setupToken = "" }) => {
        const page = '<!doctype html><script type="module" src="/runner.js"></script>';
        const serve = async (request: Request) => {
          const { pathname, search, origin: served } = new URL(request.url);
          const headers = securityHeaders(served);
          if (/^\/(api|storage)\//.test(pathname)) {
            const { method, headers: sent } = request;
            const body = request.body === null ? null : await request.arrayBuffer();
            const response = await fetch(`${origin}${pathname}${search}`, {
              method,
              headers: sent,
              body,
            });
            return new Response(response.body, response);
          }
          return pathname in scripts
            ? new Response(scripts[pathname], {
              headers: { ...headers, "content-type": "text/javascript" },
            })
            : new Response(page, { headers: { ...headers, "content-type": "text/html" } });
        };
        await inBrowser(program!, serve, async ({ page, url, complaints }) => {
          await page.goto(url);
          await page.waitForFunction("globalThis.runner !== undefined");
          const report = await page.evaluate(
            ([token, size]) =>
              (globalThis as unknown as { runner: Runner }).runner.live(token, size),
            [setupToken, 6 * MEBIBYTE] as [string, number],
          );
          assert.deepEqual(report.names, [
            "/Bin",
            "/Media",
            "/Päpers",
            "/Päpers/large.bin",
            "/Päpers/note.txt",
          ]);
          assert.equal(report.text, "a note");
          assert.equal(report.same, true);
          assert.deepEqual(report.codes, ["login_failed", "upload_failed", "AbortError"]);
          const last = report.sent.at(-1);
          assert.ok(last && last.done === last.total, JSON.stringify(last));
          // A derivation takes half a second or more; a page that did it itself would stand that long.
          assert.ok(report.longestPause < 400, `${report.longestPause} ms`);
          const unexpected = complaints.all.filter((each) => !/favicon|401|aborted/i.test(each));
          assert.deepEqual(unexpected, []);
        });
      });
    });
  },
});
