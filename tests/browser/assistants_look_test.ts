// What belongs to assistants, on the screen of a small phone, in light and dark: everything has a label, can be
// read, and has room; and all of it can be done without a pointer.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { randomKeyText } from "@shieldfive/crypto/extra/server_values.ts";
import type { OwnerVault } from "../../vault/owner/mod.ts";
import { assertLooks } from "./looks.ts";
import { testOpenVault, unlock } from "./vault_page.ts";
import { handoffUrl } from "./waiting_program.ts";

const LONG = `Folder ${"without-a-space".repeat(6)}`;

async function fill(vault: OwnerVault): Promise<void> {
  const top = await vault.createFolder(null, LONG);
  await vault.createFolder(top.id, LONG);
  for (let number = 1; number <= 10; number++) await vault.createFolder(null, `Folder ${number}`);
  await vault.createGrant({
    label: "W".repeat(48),
    clientHint: "other",
    scopes: ["read", "organize", "write"],
    folderIds: [top.id],
    expiresInMs: 3_600_000,
    writeBudgetBytes: 1_000_000,
  });
  const { grant } = await vault.createGrant({
    label: "One that ended",
    clientHint: "local",
    scopes: ["read"],
    folderIds: "all",
    expiresInMs: 3_600_000,
  });
  await vault.revokeGrant(grant.id);
}

/** Goes on to something by the keyboard: Tab until it has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press("Tab");
    const label = await page.evaluate(() => {
      const { activeElement: element } = document;
      const label = element instanceof HTMLInputElement ? element.labels?.[0] : null;
      return (element?.ariaLabel ?? label?.textContent ?? element?.textContent ?? "").trim();
    });
    if (label === name) return;
  }
  assert.fail(`the keyboard does not come to ${name}`);
}

async function looksOfConnections(page: Page): Promise<void> {
  await page.getByText("1 connection that ended").click();
  await page.getByText(/^Revoked /).waitFor();
  await assertLooks(page, "connections");
  await page.getByRole("button", { name: "Extend" }).click();
  await assertLooks(page, "extending");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Revoke" }).click();
  await assertLooks(page, "revoking");
  await page.keyboard.press("Escape");
}

async function looksOfActivity(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Activity" }).click();
  await page.getByRole("button", { name: "Undo" }).first().waitFor();
  await assertLooks(page, "activity");
  await page.getByRole("button", { name: "Undo" }).first().click();
  await assertLooks(page, "undoing");
  await page.keyboard.press("Escape");
}

/** Makes a connection without a pointer. */
async function makeByKeyboard(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Connections" }).click();
  await page.getByRole("button", { name: "New connection" }).click();
  await page.getByRole("heading", { name: "New connection" }).waitFor();
  await tabTo(page, "Name");
  await page.keyboard.type("By keyboard");
  await tabTo(page, `Folders in ${LONG}`);
  await page.keyboard.press("Enter");
  await tabTo(page, LONG);
  await tabTo(page, LONG);
  await page.keyboard.press("Space");
  await page.getByText("1 folder picked").waitFor();
  await assertLooks(page, "a new connection");
  await tabTo(page, "Make the connection");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "By keyboard is ready" });
  await dialog.waitFor();
  await assertLooks(page, "a connection string");
  await tabTo(page, "I have copied it");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await page.getByText(`/${LONG}/${LONG}`).waitFor();
}

async function looksOfHandoff(page: Page, origin: string): Promise<void> {
  const program = { state: randomKeyText(), port: 51234 };
  await page.goto(handoffUrl({ vault: origin, label: "W".repeat(48) }, program));
  await assertLooks(page, "signing in for a program");
  await unlock(page);
  await page.getByRole("heading", { name: "Claude Code asks to connect" }).waitFor();
  await page.getByLabel("Folder 1", { exact: true }).waitFor();
  await assertLooks(page, "a request");
}

async function looksOfSecurity(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("dialog").getByRole("link", { name: "Security" }).click();
  await page.getByRole("button", { name: "Change the passphrase" }).click();
  await assertLooks(page, "changing the passphrase");
  await page.getByRole("button", { name: "New recovery key" }).click();
  await assertLooks(page, "asking for a recovery key");
}

testOpenVault(
  "what belongs to assistants has room on a small phone and is done without a pointer",
  async ({ page, origin }) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("dialog").getByRole("link", { name: "AI assistants" }).click();
    await looksOfConnections(page);
    await looksOfActivity(page);
    await makeByKeyboard(page);
    await looksOfHandoff(page, origin);
    await looksOfSecurity(page);
  },
  fill,
);
