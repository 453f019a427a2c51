// Settings → AI assistants in a real browser: a connection made, used, extended and revoked, and what the
// assistant did with it undone.

import assert from "node:assert/strict";
import type { OwnerVault } from "../../vault/owner/mod.ts";
import { Agent } from "../vault/owner/agent.ts";
import { goTo, type Owned, testOpenVault } from "./vault_page.ts";

async function fill(vault: OwnerVault): Promise<void> {
  const papers = await vault.createFolder(null, "Papers");
  const taxes = await vault.createFolder(papers.id, "Taxes");
  await vault.createFolder(papers.id, "Letters");
  await vault.createFolder(null, "Private");
  await vault.upload(taxes.id, { name: "2025.txt", size: 5, content: new Blob(["taxes"]) });
}

/** The status of what an assistant asks first. */
async function grantStatus(agent: Agent): Promise<number> {
  const response = await agent.call("GET", "/grant");
  await response.body?.cancel();
  return response.status;
}

/** Makes a connection by hand; its string, as it was copied. */
async function connect({ page }: Owned): Promise<string> {
  await goTo(page, "AI assistants");
  await page.getByRole("heading", { name: "No assistant is connected" }).waitFor();
  await page.getByRole("button", { name: "New connection" }).click();

  const make = page.getByRole("button", { name: "Make the connection" });
  await make.click();
  await page.getByText("Give the connection a name.").waitFor();
  await page.getByText("Pick at least one folder").waitFor();
  await page.getByLabel("Name", { exact: true }).fill("Tidy <b>up</b>");
  await page.getByLabel("Assistant").selectOption({ label: "Cursor" });

  // A picked folder stands for all below it, and takes the place of what was picked there.
  await page.getByRole("button", { name: "Folders in Papers" }).click();
  await page.getByLabel("Letters").check();
  await page.getByLabel("Papers", { exact: true }).check();
  assert.ok(await page.getByLabel("Letters").isDisabled());
  await page.getByText("1 folder picked").waitFor();
  await page.getByLabel("Papers", { exact: true }).uncheck();
  assert.ok(!await page.getByLabel("Letters").isChecked());
  await page.getByLabel("Taxes").check();

  await page.getByLabel("Read, organize and add files").check();
  await page.getByLabel("Upload allowance").selectOption({ label: "100 MB" });
  await page.getByLabel("Expires after").selectOption({ label: "1 hour" });
  await page.getByText("that means its provider receives it too").waitFor();
  await make.click();

  const dialog = page.getByRole("dialog", { name: "Tidy <b>up</b> is ready" });
  await dialog.getByText("This is a live key.").waitFor();
  await page.keyboard.press("Escape");
  assert.ok(await dialog.isVisible(), "a slip does not lose the string");
  await dialog.getByRole("button", { name: "Copy" }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(await dialog.locator("code").first().textContent(), copied);
  await dialog.getByRole("button", { name: "I have copied it" }).click();
  return copied;
}

async function undoRename(on: Owned, agent: Agent): Promise<void> {
  const { page, vault } = on;
  await agent.rename("/Taxes/2025.txt", "renamed.txt");
  await page.getByRole("link", { name: "Activity" }).click();
  const entry = page.getByRole("listitem").filter({ hasText: "Renamed renamed.txt" });
  await entry.getByText("Tidy <b>up</b>").waitFor();
  await entry.getByRole("button", { name: "Undo" }).click();
  const dialog = page.getByRole("dialog", { name: "Undo this change?" });
  await dialog.getByText("The name from before comes back.").waitFor();
  await dialog.getByRole("button", { name: "Undo" }).click();
  await dialog.waitFor({ state: "detached" });
  const undone = page.getByRole("listitem").filter({ hasText: "Renamed 2025.txt" });
  await undone.getByText("Undone", { exact: true }).waitFor();
  assert.equal(await undone.getByRole("button", { name: "Undo" }).count(), 0);
  const tree = await vault.refresh();
  assert.deepEqual([...tree.files.values()].map((file) => tree.path(file)), [
    "/Papers/Taxes/2025.txt",
  ]);
}

/** A change that was followed by another cannot be undone any more, and the page says why. */
async function keepsNewer(on: Owned, agent: Agent): Promise<void> {
  const { page } = on;
  await (await agent.load()).createFolder("/Taxes", "Receipts");
  await page.getByRole("button", { name: "Refresh" }).click();
  const made = page.getByRole("listitem").filter({ hasText: "Made the folder Receipts" });
  await made.getByRole("button", { name: "Undo" }).waitFor();
  await (await agent.load()).trash("/Taxes/Receipts");
  await made.getByRole("button", { name: "Undo" }).click();
  const dialog = page.getByRole("dialog", { name: "Undo this change?" });
  await dialog.getByRole("button", { name: "Undo" }).click();
  await dialog.getByText("It has been changed again since").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();

  await page.getByLabel("Show").selectOption({ label: "What was refused" });
  await page.getByRole("heading", { name: "Nothing of this kind" }).waitFor();
  await page.getByRole("button", { name: "Show everything" }).click();
}

/** What a connection cannot read for want of a key gets it when the page looks for changes. */
async function completes({ page, vault }: Owned, agent: Agent): Promise<void> {
  await (await agent.load()).createFolder("/Taxes", "Read");
  await (await agent.load()).move("/Taxes/2025.txt", "/Taxes/Read", { withPq: false });
  await vault.refresh();
  const moved = [...vault.tree.files.values()].find(({ name }) => name === "2025.txt");
  assert.equal(moved?.incomplete, true);
  await goTo(page, "Files");
  const completed = page.waitForResponse((response) =>
    response.request().method() === "PATCH" && response.url().endsWith(`/files/${moved!.id}`)
  );
  await page.getByRole("button", { name: "Look for changes" }).click();
  assert.equal((await completed).status(), 200);
  assert.equal(await (await agent.load()).text("/Taxes/Read/2025.txt"), "taxes");
  await goTo(page, "AI assistants");
}

async function extendAndRevoke(on: Owned, agent: Agent): Promise<void> {
  const { page, vault } = on;
  await page.getByRole("link", { name: "Connections" }).click();
  const card = page.getByRole("listitem").filter({ hasText: "Tidy <b>up</b>" });
  await card.getByText("/Papers/Taxes").waitFor();
  await card.getByText("Read, organize and add files").waitFor();
  await card.getByText("0 bytes of 100 MB").waitFor();
  await card.getByText("Expires soon").waitFor();
  assert.doesNotMatch((await card.textContent())!, /Never/);

  await card.getByRole("button", { name: "Extend" }).click();
  await page.getByLabel("Expires").selectOption({ label: "90 days from now" });
  await page.getByLabel("Upload allowance, in all").selectOption({ label: "1 GB" });
  await page.getByRole("dialog").getByRole("button", { name: "Extend" }).click();
  await card.getByText("(in 90 days)").waitFor();
  await card.getByText("0 bytes of 1 GB").waitFor();
  const [grant] = await vault.grants();
  assert.equal(grant.writeBudgetBytes, 1e9);
  assert.ok(Date.parse(grant.expiresAt) > Date.now() + 89 * 86_400_000);

  assert.equal(await grantStatus(agent), 200);
  await card.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("heading", { name: "No assistant is connected" }).waitFor();
  assert.equal(await grantStatus(agent), 401);
  await page.getByText("1 connection that ended").click();
  await page.getByText(/^Revoked /).waitFor();
}

testOpenVault(
  "a connection is made, used, undone, extended and revoked",
  async (on) => {
    const agent = new Agent({ origin: on.origin, fetch }, await connect(on));
    await agent.load();
    assert.deepEqual(agent.files.map(({ path }) => path), ["/Taxes/2025.txt"]);
    await undoRename(on, agent);
    await keepsNewer(on, agent);
    await completes(on, agent);
    await extendAndRevoke(on, agent);
  },
  fill,
);
