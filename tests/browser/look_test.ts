// What every view of the page has to be: labelled, titled, and no wider than the screen of a small phone.

import assert from "node:assert/strict";
import { assertWithin, faintTexts, faultsOf } from "./looks.ts";
import { goTo, testOpenVault } from "./vault_page.ts";

const VIEWS = ["Files", "Bin", "AI assistants", "Storage", "Security"];

testOpenVault(
  "every view has a title, labels, text that can be read, and room on a screen of 360 px",
  async ({ page }) => {
    const titles = new Set<string>();
    for (const view of VIEWS) {
      await goTo(page, view);
      await page.locator("main h1").waitFor();
      await page.waitForLoadState("networkidle");
      titles.add(await page.title());
      for (const colorScheme of ["light", "dark"] as const) {
        // A colour on its way from light to dark would be neither.
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        assert.deepEqual(await page.evaluate(faultsOf), [], view);
        assert.deepEqual(await page.evaluate(faintTexts), [], `${view}, ${colorScheme}`);
      }
    }
    assert.equal(titles.size, VIEWS.length);

    await page.setViewportSize({ width: 360, height: 740 });
    for (const view of VIEWS) {
      await page.getByRole("button", { name: "Menu" }).click();
      const menu = page.getByRole("dialog");
      await menu.waitFor();
      await menu.getByRole("link", { name: view, exact: true }).click();
      await menu.waitFor({ state: "detached" });
      await page.locator("main h1").waitFor();
      await page.waitForLoadState("networkidle");
      await assertWithin(page, view);
    }
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("dialog").getByRole("link", { name: "Files", exact: true }).click();
    await page.getByLabel(/^Select a name/).check();
    await assertWithin(page, "a selection");
    await page.getByRole("toolbar").getByRole("button", { name: "Move…" }).click();
    await page.getByRole("dialog").waitFor();
    await assertWithin(page, "a dialog");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Lock the vault" }).first().click();
    await page.getByRole("heading", { name: "Unlock your vault" }).waitFor();
    await assertWithin(page, "the way in");
  },
  async (vault) => {
    await vault.createFolder(null, `a name ${"without-a-space".repeat(8)}`);
  },
);
