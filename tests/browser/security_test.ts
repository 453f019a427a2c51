// Settings → Security in a real browser: another passphrase, another recovery key, and the end of the session.

import assert from "node:assert/strict";
import { OwnerVault } from "../../vault/owner/mod.ts";
import { goTo, type Owned, PASSPHRASE, testOpenVault, unlock } from "./vault_page.ts";

const NEXT_PASSPHRASE = "four other unrelated words";

async function changePassphrase({ page }: Owned): Promise<void> {
  await goTo(page, "Security");
  await page.getByRole("button", { name: "Change the passphrase" }).click();
  await page.getByLabel("Current passphrase").fill("not the passphrase");
  await page.getByLabel("New passphrase").fill(NEXT_PASSPHRASE);
  await page.getByLabel("The same passphrase again").fill("something else altogether");
  await page.getByRole("button", { name: "Change the passphrase" }).click();
  await page.getByText("This is not the same as above.").waitFor();
  await page.getByLabel("The same passphrase again").fill(NEXT_PASSPHRASE);
  await page.getByRole("button", { name: "Change the passphrase" }).click();
  await page.getByText("This is not the current passphrase.").waitFor();
  await page.getByLabel("Current passphrase").fill(PASSPHRASE);
  await page.getByRole("button", { name: "Change the passphrase" }).click();
  await page.getByText("Your passphrase is changed.").waitFor();
}

async function renewRecoveryKey({ page }: Owned): Promise<string> {
  await page.getByRole("button", { name: "New recovery key" }).click();
  const asking = page.getByRole("dialog", { name: "New recovery key" });
  await asking.getByLabel("Passphrase", { exact: true }).fill(NEXT_PASSPHRASE);
  await asking.getByRole("button", { name: "Make a new key" }).click();
  const dialog = page.getByRole("dialog", { name: "Save your new recovery key" });
  const recoveryKey = (await dialog.locator(".recovery-key").textContent())!;
  await page.keyboard.press("Escape");
  assert.ok(await dialog.isVisible(), "a slip does not lose the key");
  await dialog.getByLabel(/^Type the last 4/).fill(recoveryKey.slice(-4));
  await dialog.getByRole("button", { name: "I have saved my recovery key" }).click();
  await dialog.waitFor({ state: "detached" });
  return recoveryKey;
}

testOpenVault(
  "passphrase and recovery key are exchanged, and the old ones open nothing",
  async (on) => {
    const { page, origin, recoveryKey: oldRecoveryKey } = on;
    await changePassphrase(on);
    const recoveryKey = await renewRecoveryKey(on);
    assert.notEqual(recoveryKey, oldRecoveryKey);

    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("The vault is locked, and its keys are gone from this browser.").waitFor();
    await page.getByLabel("Passphrase", { exact: true }).fill(PASSPHRASE);
    await page.getByRole("button", { name: "Unlock" }).click();
    await page.getByText("This is not the vault's passphrase.").waitFor();
    await unlock(page, NEXT_PASSPHRASE);
    await page.getByRole("heading", { name: "Security" }).waitFor();
    await page.getByText(/at the latest \(in 12 hours\)/).waitFor();

    const newPassphrase = PASSPHRASE;
    await assert.rejects(
      OwnerVault.recover({ origin, recoveryKey: oldRecoveryKey, newPassphrase }),
      { code: "login_failed" },
    );
    const recovered = await OwnerVault.recover({ origin, recoveryKey, newPassphrase });
    await recovered.lock();
  },
);
