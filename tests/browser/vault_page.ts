// The owner's page in a real browser, on the real server: what the tests of the page begin with, and what has
// to hold in all of them whatever they are about. The page asks nobody but its server for anything, keeps
// nothing in the browser, breaks no rule of its own policy and throws nothing.

import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { type Item, OwnerVault } from "../../vault/owner/mod.ts";
import { inTempDir } from "../support.ts";
import { startServing } from "../vault/server/serving.ts";
import { collectComplaints, findChromium, withBrowser } from "./chromium.ts";

export const PASSPHRASE = "correct horse battery staple";
/** Milliseconds for what takes a key derivation, on a machine that has other things to do. */
export const PATIENCE = 30_000;

const program = findChromium();

/** A browser on a server. */
export interface OnServer {
  browser: Browser;
  page: Page;
  /** `http://127.0.0.1:1234` */
  origin: string;
  /** Of a server without a vault yet. */
  setupToken: string;
  /** A folder for the test. */
  dir: string;
  /** Other origins that the browser may ask for something: a test of the hand-off adds its program. */
  mayAsk: Set<string>;
}

/** Writes down where a page breaks its policy; runs in the page before anything of it. */
function watchPolicy(): void {
  addEventListener("securitypolicyviolation", (event) => {
    console.error(`policy: ${event.violatedDirective} by ${event.blockedURI}`);
  });
}

/** What a page must not leave behind, whatever was done with it. */
async function assertNothingKept(page: Page): Promise<void> {
  const kept = await page.evaluate(async () => ({
    local: { ...localStorage },
    session: { ...sessionStorage },
    cookies: document.cookie,
    databases: await indexedDB.databases(),
    caches: await caches.keys(),
  }));
  assert.deepEqual(kept, { local: {}, session: {}, cookies: "", databases: [], caches: [] });
}

/** A page that is watched; call what it gives at the end of the test. */
export async function openPage(
  browser: Browser,
  origin: string,
  mayAsk: ReadonlySet<string> = new Set(),
): Promise<{ page: Page; assertClean(): Promise<void> }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const requested: string[] = [];
  context.on("request", (request) => requested.push(request.url()));
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const complaints = collectComplaints(page);
  await page.addInitScript(watchPolicy);
  return {
    page,
    async assertClean() {
      const foreign = requested.filter((url) =>
        ![origin, ...mayAsk].some((one) => url.startsWith(`${one}/`)) && !/^(blob|data):/.test(url)
      );
      assert.deepEqual(foreign, [], "requests to others");
      // A body that was broken off is listed too; that it was refused is said as a status instead.
      const serious = complaints.all.filter((each) =>
        !each.endsWith("net::ERR_ABORTED") &&
        !each.includes("the server responded with a status of 4")
      );
      assert.deepEqual(serious, []);
      await assertNothingKept(page);
      await context.close();
    },
  };
}

/** Registers a test of the page on a server that has no vault yet. */
export function testNewServer(name: string, body: (on: OnServer) => Promise<void>): void {
  Deno.test({
    name,
    ignore: program === undefined,
    async fn() {
      await inTempDir(async (dir) => {
        const serving = await startServing(`${dir}/data`);
        try {
          await withBrowser(program!, async (browser) => {
            const mayAsk = new Set<string>();
            const { page, assertClean } = await openPage(browser, serving.origin, mayAsk);
            const { origin, setupToken } = serving;
            await body({ browser, page, origin, setupToken: setupToken!, dir, mayAsk });
            await assertClean();
          });
        } finally {
          await serving.stop();
        }
      });
    },
  });
}

/** The owner by way of the library, beside the page. */
export interface Owned extends OnServer {
  vault: OwnerVault;
  recoveryKey: string;
}

/**
 * Registers a test of the page on a server whose vault is made already, and open in the page.
 *
 * @param fill puts things into the vault before the page opens it.
 */
export function testOpenVault(
  name: string,
  body: (on: Owned) => Promise<void>,
  fill: (vault: OwnerVault) => Promise<void> = () => Promise.resolve(),
): void {
  testNewServer(name, async (on) => {
    const { origin, setupToken } = on;
    const made = await OwnerVault.create({ origin, setupToken, passphrase: PASSPHRASE });
    try {
      await made.vault.refresh();
      await fill(made.vault);
      await on.page.goto(origin);
      await unlock(on.page);
      await body({ ...on, ...made });
    } finally {
      await made.vault.lock();
    }
  });
}

/** Opens the vault with a passphrase, and waits until all names are there. */
export async function unlock(page: Page, passphrase = PASSPHRASE): Promise<void> {
  await page.getByLabel("Passphrase", { exact: true }).fill(passphrase);
  await page.getByRole("button", { name: "Unlock" }).click();
  await page.locator("main.view:not([aria-busy=true])").waitFor();
}

/** The row of a file or folder by its name. */
export function row(page: Page, name: string) {
  return page.locator("table.files tbody tr").filter({
    has: page.locator(".name", { hasText: new RegExp(`^${RegExp.escape(name)}$`) }),
  });
}

/** Chooses from the menu of a row. */
export async function choose(page: Page, name: string, action: string): Promise<void> {
  await row(page, name).getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: action }).click();
}

/** Goes to a view by the navigation. */
export async function goTo(page: Page, view: string): Promise<void> {
  const navigation = page.getByRole("navigation", { name: "Views" });
  await navigation.getByRole("link", { name: view, exact: true }).click();
}

/** Puts things into the Bin, by way of the library. */
export async function throwAway(vault: OwnerVault, items: Item[]): Promise<void> {
  assert.deepEqual((await vault.toBin(items)).failed, []);
}

/** The names in the table, from top to bottom. */
export function names(page: Page): Promise<string[]> {
  return page.locator("table.files tbody .name").allTextContents();
}

/** Waits until the table has exactly these names, in this order. */
export async function waitForNames(page: Page, expected: string[]): Promise<void> {
  try {
    await page.waitForFunction(
      (wanted) => {
        const shown = [...document.querySelectorAll("table.files tbody .name")];
        return JSON.stringify(shown.map(({ textContent }) => textContent)) === wanted;
      },
      JSON.stringify(expected),
    );
  } catch {
    assert.deepEqual(await names(page), expected);
  }
}
