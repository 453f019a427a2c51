// The page by keyboard alone, in a real browser on the real server.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { PASSPHRASE, testNewServer, waitForNames } from "./vault_page.ts";
import { OwnerVault } from "../../vault/owner/mod.ts";

/** What has the focus: its accessible name, or its text. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement!;
    const label = (element as HTMLInputElement).labels?.[0]?.textContent;
    return element.getAttribute("aria-label") ?? label ?? element.textContent ?? "";
  });
}

/** Waits until something has the focus. */
async function waitForFocus(page: Page, name: string | RegExp): Promise<void> {
  const fits = (now: string) => typeof name === "string" ? now === name : name.test(now);
  let now = await focused(page);
  for (const until = Date.now() + 5_000; !fits(now) && Date.now() < until;) {
    await page.waitForTimeout(20);
    now = await focused(page);
  }
  assert.ok(fits(now), `${now} has the focus, not ${name}`);
}

/** Presses Tab until what is looked for has the focus. */
async function tabTo(page: Page, name: string | RegExp, most = 30): Promise<void> {
  const seen: string[] = [];
  for (let presses = 0; presses < most; presses++) {
    const now = await focused(page);
    if (typeof name === "string" ? now === name : name.test(now)) return;
    seen.push(now);
    await page.keyboard.press("Tab");
  }
  assert.fail(`${name} is not among ${JSON.stringify(seen)}`);
}

testNewServer("the vault is opened, organised and locked without a pointer", async (on) => {
  const { page, origin, setupToken } = on;
  const { vault } = await OwnerVault.create({ origin, setupToken, passphrase: PASSPHRASE });
  await vault.createFolder(null, "Alpha");
  await vault.createFolder(null, "Beta");
  await vault.lock();
  const { keyboard } = page;

  await page.goto(origin);
  await page.getByLabel("Passphrase", { exact: true }).waitFor();
  await waitForFocus(page, "Passphrase");
  await keyboard.type(PASSPHRASE);
  await keyboard.press("Enter");
  await waitForNames(page, ["Alpha", "Beta"]);

  await tabTo(page, "Skip to the content");
  await keyboard.press("Enter");
  await tabTo(page, "New folder");
  await keyboard.press("Enter");
  await waitForFocus(page, "Name of the folder");
  await keyboard.type("Gamma");
  await keyboard.press("Enter");
  await waitForNames(page, ["Alpha", "Beta", "Gamma"]);
  await waitForFocus(page, "New folder");

  await tabTo(page, /^Alpha/);
  await keyboard.press("ArrowDown");
  await keyboard.press("ArrowDown");
  await keyboard.press("F2");
  await waitForFocus(page, "New name");
  await keyboard.press("Control+A");
  await keyboard.type("Delta");
  await keyboard.press("Enter");
  await waitForNames(page, ["Alpha", "Beta", "Delta"]);

  await tabTo(page, "Actions for Delta");
  await keyboard.press("Enter");
  await waitForFocus(page, /^Download as zip/);
  await keyboard.press("ArrowDown");
  await keyboard.press("ArrowDown");
  await waitForFocus(page, "Move…");
  await keyboard.press("Escape");
  await waitForFocus(page, "Actions for Delta");
  await keyboard.press("Enter");
  await keyboard.press("End");
  await keyboard.press("ArrowUp");
  await keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await tabTo(page, "Alpha");
  await keyboard.press("Enter");
  await tabTo(page, /^Move to “Alpha”/);
  await keyboard.press("Enter");
  await waitForNames(page, ["Alpha", "Beta"]);

  await tabTo(page, /^Alpha/, 60);
  await keyboard.press("Space");
  await keyboard.press("ArrowDown");
  await keyboard.press("Space");
  await page.getByText("2 items selected").waitFor();
  await keyboard.press("Escape");
  await page.getByText("2 items selected").waitFor({ state: "detached" });
  await keyboard.press("Delete");
  await page.getByText("“Beta” moved to the Bin.").waitFor();
  await waitForNames(page, ["Alpha"]);

  await tabTo(page, "Lock the vault", 60);
  await keyboard.press("Enter");
  await page.getByRole("heading", { name: "Unlock your vault" }).waitFor();
  await waitForFocus(page, "Passphrase");
});
