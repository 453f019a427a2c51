// `deno run -A scripts/screenshots.ts`: the pictures of the vault's page in docs/screenshots, taken in a real
// browser from a real server that holds a small made-up vault. They are made again when the page changes.

import { type Browser, chromium, type Page } from "playwright-core";
import { fileURLToPath } from "node:url";
import { grantBearerToken, parseConnectionString } from "@shieldfive/crypto/vault";
import { OwnerVault } from "../vault/owner/mod.ts";
import { COMMAND } from "./program.ts";

const FOLDER = fileURLToPath(new URL("../docs/screenshots/", import.meta.url));
const CHROMIUM = Deno.env.get("SHIELDFIVE_TEST_CHROMIUM") ?? "/usr/bin/chromium";
const PASSPHRASE = "correct horse battery staple";
const DESK = { width: 1180, height: 740 };
const PHONE = { width: 390, height: 780 };
const DAY = 86_400_000;

/** What lies in the made-up vault: folders and the sizes of files. */
const CONTENT: Record<string, Record<string, number>> = {
  Documents: { "Passport.pdf": 1_204_000, "Rental contract.pdf": 482_300 },
  "Photos 2026": {},
  Receipts: { "Bicycle.pdf": 90_400 },
  Taxes: { "2024.zip": 2_400_000, "2025.zip": 2_760_000 },
  "": {
    "Budget.csv": 14_200,
    "Insurance letter.pdf": 312_900,
    "Recipes.md": 4_310,
    "Sailing trip.mp4": 8_700_000,
    "Will, signed.pdf": 778_100,
  },
};

/** A server on a data folder of its own. */
async function startServer(data: string): Promise<{ process: Deno.ChildProcess; url: URL }> {
  const process = new Deno.Command(COMMAND[0], {
    args: [...COMMAND.slice(1), "serve", "--data", data, "--port", "0"],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
    env: { NO_COLOR: "1" },
  }).spawn();
  let printed = "";
  const decoder = new TextDecoder();
  for await (const bytes of process.stdout) {
    printed += decoder.decode(bytes, { stream: true });
    const address = /^http\S+$/m.exec(printed);
    if (address !== null && printed.includes("\n")) return { process, url: new URL(address[0]) };
  }
  throw new Error("the server ended before it said where it is");
}

/** Fills the vault, and has an assistant look around in it. */
async function fill(vault: OwnerVault, origin: string): Promise<void> {
  await vault.refresh();
  const folders: string[] = [];
  for (const [folder, files] of Object.entries(CONTENT)) {
    const id = folder === "" ? null : (await vault.createFolder(null, folder)).id;
    if (id !== null) folders.push(id);
    for (const [name, size] of Object.entries(files)) {
      await vault.upload(id, { name, size, content: new Blob([new Uint8Array(size)]) });
    }
  }
  const tree = vault.tree;
  const old = tree.children(null).filter(({ name }) => name === "Recipes.md");
  await vault.toBin(old);
  const { connectionString } = await vault.createGrant({
    label: "Claude on my laptop",
    clientHint: "claude-desktop",
    scopes: ["read", "organize"],
    folderIds: folders.slice(0, 2),
    expiresInMs: 30 * DAY,
  });
  await vault.createGrant({
    label: "Receipt sorter",
    clientHint: "local",
    scopes: ["read", "organize", "write"],
    folderIds: folders.slice(2, 3),
    expiresInMs: 7 * DAY,
    writeBudgetBytes: 500_000_000,
  });
  const bearer = grantBearerToken(parseConnectionString(connectionString));
  const ask = async (path: string, method = "GET") => {
    const headers = { authorization: `Bearer ${bearer}` };
    const response = await fetch(`${origin}/api/agent/v1${path}`, { method, headers });
    return await response.json();
  };
  await ask("/grant");
  await ask("/folders");
  await ask("/files");
}

/** Waits until nothing moves any more, and takes the picture. */
async function take(page: Page, name: string): Promise<void> {
  await page.waitForLoadState("networkidle");
  await page.locator(".spinner").first().waitFor({ state: "detached" });
  await page.mouse.move(0, 0);
  await page.locator("main .spinner").waitFor({ state: "detached" });
  await page.waitForTimeout(250);
  await page.screenshot({ path: `${FOLDER}${name}.png` });
  console.log(`${name}.png`);
}

async function unlock(page: Page, origin: string): Promise<void> {
  await page.goto(origin);
  await page.getByLabel("Passphrase", { exact: true }).fill(PASSPHRASE);
  await take(page, "unlock");
  await page.getByRole("button", { name: "Unlock" }).click();
  await page.locator("main.view:not([aria-busy=true])").waitFor();
}

/** Goes to a view by its place in the navigation. */
async function goTo(page: Page, view: string): Promise<void> {
  const navigation = page.getByRole("navigation", { name: "Views" });
  await navigation.getByRole("link", { name: view, exact: true }).click();
  await page.locator("main h1").waitFor();
}

async function takeCreation(page: Page, url: URL): Promise<void> {
  await page.goto(url.href);
  await page.getByLabel("New passphrase").fill(PASSPHRASE);
  await page.getByLabel("The same passphrase again").fill(PASSPHRASE);
  await take(page, "create");
  await page.getByRole("button", { name: "Create vault" }).click();
  await page.getByRole("heading", { name: "Save your recovery key" }).waitFor();
  await take(page, "recovery-key");
  const key = (await page.getByLabel("Your recovery key").textContent())!;
  await page.getByLabel(/^Type the last/).fill(key.slice(-4));
  await page.getByRole("button", { name: "I have saved my recovery key" }).click();
  await page.getByRole("heading", { name: "Your vault is empty" }).waitFor();
  await take(page, "empty");
}

async function takeViews(page: Page): Promise<void> {
  await take(page, "files");
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  await take(page, "files-dark");
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.getByLabel("Select Budget.csv").check();
  await page.getByLabel("Select Insurance letter.pdf").check();
  await page.getByRole("toolbar").getByRole("button", { name: "Move…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Documents" }).click();
  await take(page, "move");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Clear the selection" }).click();
  for (const view of ["Bin", "AI assistants", "Storage", "Security"]) {
    await goTo(page, view);
    await take(page, view.toLowerCase().replace(" ", "-"));
  }
  await goTo(page, "AI assistants");
  await page.getByRole("link", { name: "Activity" }).click();
  await take(page, "activity");
  await page.getByRole("link", { name: "Connections" }).click();
  await page.getByRole("button", { name: "New connection" }).first().click();
  await take(page, "new-connection");
  await takeConnectionString(page);
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  await take(page, "new-connection-dark");
}

/** Fills in the form and shows what it gives: a string that opens nothing, since the vault is thrown away. */
async function takeConnectionString(page: Page): Promise<void> {
  await page.getByLabel("Name", { exact: true }).fill("Laptop in the study");
  await page.getByLabel("Receipts").check();
  await page.getByRole("button", { name: "Make the connection" }).click();
  await page.getByRole("dialog").waitFor();
  await take(page, "connection-string");
  await page.getByRole("button", { name: "I have copied it" }).click();
  await page.getByRole("button", { name: "New connection" }).first().click();
}

/** What a program opens that asks for a connection, before signing in and after. */
async function takeHandoff(page: Page, origin: string): Promise<void> {
  const parameters = new URLSearchParams({
    settings: "agents",
    connect: "A".repeat(43),
    port: "51234",
    client: "claude-desktop",
    label: "Claude Desktop",
    exp: String(Math.floor(Date.now() / 1000) + 600),
  });
  await page.setViewportSize(DESK);
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.goto(`${origin}/files?${parameters}`);
  await page.getByLabel("Passphrase", { exact: true }).fill(PASSPHRASE);
  await take(page, "handoff-unlock");
  await page.getByRole("button", { name: "Unlock" }).click();
  await page.getByLabel("Documents").check();
  await take(page, "handoff");
  await page.setViewportSize(PHONE);
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  await take(page, "handoff-phone-dark");
}

async function takePhone(page: Page): Promise<void> {
  await page.setViewportSize(PHONE);
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  const menu = async (view: string) => {
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("dialog").getByRole("link", { name: view, exact: true }).click();
  };
  await menu("Files");
  await take(page, "files-phone");
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  await menu("AI assistants");
  await take(page, "ai-assistants-phone-dark");
}

async function takeAll(browser: Browser, url: URL): Promise<void> {
  const context = await browser.newContext({
    viewport: DESK,
    locale: "en-GB",
    timezoneId: "UTC",
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  await takeCreation(page, url);
  const vault = await OwnerVault.unlock({ origin: url.origin, passphrase: PASSPHRASE });
  await fill(vault, url.origin);
  await unlock(page, url.origin);
  await takeViews(page);
  await takePhone(page);
  await takeHandoff(page, url.origin);
  await vault.lock();
}

if (import.meta.main) {
  Deno.mkdirSync(FOLDER, { recursive: true });
  const data = Deno.makeTempDirSync({ prefix: "shieldfive-screenshots-" });
  const { process, url } = await startServer(`${data}/vault`);
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [...(Deno.uid() === 0 ? ["--no-sandbox"] : []), "--disable-dev-shm-usage"],
  });
  try {
    await takeAll(browser, url);
  } finally {
    await browser.close();
    process.kill("SIGTERM");
    await process.status;
    Deno.removeSync(data, { recursive: true });
  }
}
