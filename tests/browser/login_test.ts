// The whole way once, with nothing in place of anything: the real program waits, a real browser opens the
// address that it printed, its owner picks a folder, and the program has the connection.

import assert from "node:assert/strict";
import { OwnerVault } from "../../vault/owner/mod.ts";
import { homeIn, startLogin } from "../e2e/connecting.ts";
import { PASSPHRASE, testNewServer, unlock } from "./vault_page.ts";

testNewServer("a login goes through the owner's page and back to the program", async (on) => {
  if (Deno.build.os !== "linux") return console.log("skipped: the keychain here is the user's own");
  const { page, origin, setupToken, dir, mayAsk } = on;
  const { vault } = await OwnerVault.create({ origin, setupToken, passphrase: PASSPHRASE });
  await vault.createFolder(null, "Papers");
  await vault.lock();
  const home = homeIn(dir);
  const login = await startLogin(home, ["--store", "file", "--server", origin, "--label", "Desk"]);
  const port = new URL(login.address).searchParams.get("port");
  mayAsk.add(`http://127.0.0.1:${port}`);
  await page.goto(login.address);
  await unlock(page);
  await page.getByRole("heading", { name: "Another program asks to connect" }).waitFor();
  assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Desk");
  const opened = page.context().waitForEvent("page");
  await page.getByLabel("Papers", { exact: true }).check();
  await page.getByRole("button", { name: "Authorize" }).click();
  const tab = await opened;
  await tab.getByRole("heading", { name: "Connected" }).waitFor();
  const { code, stdout, stderr } = await login.finished;
  assert.equal(code, 0, stderr);
  assert.match(stdout, /connection [0-9a-f]{8} may read 1 folder until /);
  // The page sees that it is in use.
  await page.getByRole("heading", { name: "Another program is connected" }).waitFor();
  const status = await home.run(["status", "--json"]);
  assert.equal(status.code, 0, status.stderr);
  assert.deepEqual(JSON.parse(status.stdout).grant.scopes, ["read"]);
});
