// The ways into the vault, in a real browser on the real server.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { OwnerVault } from "../../vault/owner/mod.ts";
import { goTo, PASSPHRASE, row, testNewServer, testOpenVault, unlock } from "./vault_page.ts";

const NEXT_PASSPHRASE = "four other words entirely";

/** The text of a field's fault. */
function fault(page: Page) {
  return page.locator(".fault");
}

async function lockByHand(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Lock the vault" }).first().click();
  await page.getByRole("heading", { name: "Unlock your vault" }).waitFor();
}

testNewServer(
  "a vault is made, and opened again with its passphrase and its recovery key",
  async (on) => {
    const { page, origin, setupToken } = on;
    await page.goto(`${origin}/#setup=${setupToken}`);
    await page.getByRole("heading", { name: "Create your vault" }).waitFor();
    assert.equal(page.url(), `${origin}/`, "the setup token is not left in the address");

    await page.getByLabel("New passphrase").fill("too short");
    await page.getByRole("button", { name: "Create vault" }).click();
    assert.match((await fault(page).textContent())!, /12 characters or more/);
    await page.getByLabel("New passphrase").fill(PASSPHRASE);
    await page.getByLabel("The same passphrase again").fill("something else");
    await page.getByRole("button", { name: "Create vault" }).click();
    assert.match((await fault(page).textContent())!, /not the same/);
    await page.getByLabel("The same passphrase again").fill(PASSPHRASE);
    await page.getByRole("button", { name: "Create vault" }).click();

    await page.getByRole("heading", { name: "Save your recovery key" }).waitFor();
    const recoveryKey = (await page.getByLabel("Your recovery key").textContent())!;
    assert.match(recoveryKey, /^SFR1(-[0-9A-Z]{4}){14}$/);
    await page.getByRole("button", { name: "Copy" }).click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), recoveryKey);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    const file = Deno.readTextFileSync(await (await download).path());
    assert.ok(file.includes(recoveryKey) && file.includes(origin));

    const confirm = page.getByRole("button", { name: "I have saved my recovery key" });
    await confirm.click();
    await page.getByText("These are not the last 4 characters").waitFor();
    await page.getByLabel(/^Type the last 4/).fill(recoveryKey.slice(-4).toLowerCase());
    await confirm.click();
    await page.getByRole("heading", { name: "Your vault is empty" }).waitFor();

    await lockByHand(page);
    await page.getByLabel("Passphrase", { exact: true }).fill("not the passphrase");
    await page.getByRole("button", { name: "Unlock" }).click();
    await page.getByText("This is not the vault's passphrase.").waitFor();
    await unlock(page);
    await lockByHand(page);

    await page.getByRole("button", { name: "Forgot your passphrase?" }).click();
    await page.getByLabel("Recovery key").fill(
      recoveryKey.replace(/.$/, (last) => last === "0" ? "1" : "0"),
    );
    await page.getByLabel("New passphrase").fill(NEXT_PASSPHRASE);
    await page.getByLabel("The same passphrase again").fill(NEXT_PASSPHRASE);
    const recover = page.getByRole("button", { name: "Set the passphrase and open" });
    await recover.click();
    await page.getByText(/checksum/).waitFor();
    await page.getByLabel("Recovery key").fill(recoveryKey.toLowerCase().replaceAll("-", " "));
    await recover.click();
    await page.getByText("Your new passphrase is set.").waitFor();
    await lockByHand(page);
    await unlock(page, NEXT_PASSPHRASE);
  },
);

testNewServer(
  "a server that does not answer is asked again, and a setup code is pasted",
  async (on) => {
    const { page, origin, setupToken } = on;
    await page.route("**/api/owner/v1/status", (route) => route.abort("aborted"));
    await page.goto(origin);
    await page.getByRole("heading", { name: "The server does not answer" }).waitFor();
    await page.unroute("**/api/owner/v1/status");
    await page.getByRole("button", { name: "Try again" }).click();

    await page.getByLabel("New passphrase").fill(PASSPHRASE);
    await page.getByLabel("The same passphrase again").fill(PASSPHRASE);
    const create = page.getByRole("button", { name: "Create vault" });
    await create.click();
    await page.getByText("Paste the setup code here.").waitFor();
    const code = page.getByLabel("Setup code");
    await code.fill(`${origin}/#setup=${"A".repeat(43)}`);
    await create.click();
    await page.getByText("This is not the setup code that the server printed last.").waitFor();
    await code.fill(`${origin}/#setup=${setupToken}`);
    await create.click();
    await page.getByRole("heading", { name: "Save your recovery key" }).waitFor();
  },
);

testOpenVault(
  "a session that ended locks the vault, shows no name any more, and keeps the place",
  async ({ page, origin }) => {
    await row(page, "Taxes").getByRole("link").click();
    await page.getByRole("heading", { name: "Taxes" }).waitFor();
    const place = page.url();

    // Another browser changes the passphrase, which ends every other session.
    const elsewhere = await OwnerVault.unlock({ origin, passphrase: PASSPHRASE });
    await elsewhere.changePassphrase({ current: PASSPHRASE, next: NEXT_PASSPHRASE });
    await elsewhere.lock();
    await page.getByRole("button", { name: "New folder" }).click();
    await page.getByLabel("Name of the folder").fill("2027");
    await page.getByRole("button", { name: "Create" }).click();

    await page.getByText("Your session ended.").waitFor();
    assert.doesNotMatch((await page.locator("body").textContent())!, /Taxes|2027/);
    assert.equal(page.url(), place);
    assert.equal(await page.title(), "Unlock your vault · ShieldFive");
    await unlock(page, NEXT_PASSPHRASE);
    await page.getByRole("heading", { name: "Taxes" }).waitFor();
  },
  async (vault) => {
    await vault.createFolder(null, "Taxes");
  },
);

testOpenVault(
  "an open vault outlives neither its page nor a while without its owner",
  async ({ page }) => {
    await goTo(page, "Storage");
    // The page's clock is put forward; the browser takes none of its timers for real ones then.
    await page.clock.install();
    await page.reload();
    await page.getByRole("heading", { name: "Unlock your vault" }).waitFor();
    await unlock(page);
    await page.getByRole("heading", { name: "Storage" }).waitFor();
    await page.clock.fastForward("14:10");
    await page.getByText("The vault locks itself in").waitFor();
    await page.keyboard.press("Escape");
    await page.clock.runFor(2_000);
    await page.getByText("The vault locks itself in").waitFor({ state: "detached" });
    await page.clock.fastForward("15:05");
    await page.getByText("nobody used it for a while").waitFor();
  },
);
