// The hand-off in a real browser, from the address that a program opens to what arrives at its port.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { randomKeyText } from "@shieldfive/crypto/extra/server_values.ts";
import { OwnerVault } from "../../vault/owner/mod.ts";
import { Agent } from "../vault/owner/agent.ts";
import { type OnServer, PASSPHRASE, testNewServer, unlock } from "./vault_page.ts";
import { handoffUrl, withProgram } from "./waiting_program.ts";

/** Registers a test on a vault with some folders; the page is not open yet. */
function testHandoff(name: string, body: (on: OnServer) => Promise<void>): void {
  testNewServer(name, async (on) => {
    const { origin, setupToken } = on;
    const { vault } = await OwnerVault.create({ origin, setupToken, passphrase: PASSPHRASE });
    const papers = await vault.createFolder(null, "Papers");
    await vault.createFolder(papers.id, "Taxes");
    await vault.createFolder(null, "Private");
    await vault.lock();
    await body(on);
  });
}

/** Opens the page as a program does, and signs in. */
async function open({ page }: OnServer, url: string): Promise<void> {
  await page.goto(url);
  await unlock(page);
}

/** Picks a folder and goes ahead; the tab that the answer opens. */
async function authorize(page: Page, folder: string): Promise<Page> {
  const tab = page.context().waitForEvent("page");
  await page.getByLabel(folder, { exact: true }).check();
  await page.getByRole("button", { name: "Authorize" }).click();
  return await tab;
}

/** What a connection string opens: the paths of its folders, as an assistant sees them. */
async function reached({ origin }: OnServer, connectionString: string): Promise<string[]> {
  const agent = await new Agent({ origin, fetch }, connectionString).load();
  assert.deepEqual(agent.grant.scopes, ["read"]);
  return agent.folders.map(({ path }) => path).sort();
}

async function deliversToProgram(on: OnServer): Promise<void> {
  const { page, origin, mayAsk } = on;
  const label = "  Claude <img src=x onerror=alert(1)>\u202e \u0007 at   home";
  await withProgram({ vault: origin, label }, async (program) => {
    mayAsk.add(program.origin);
    const requested: string[] = [];
    page.context().on("request", (request) => requested.push(request.url()));
    await page.goto(program.url);

    // The address says nothing of it any more, and before signing in the person is told who waits.
    assert.equal(page.url(), `${origin}/files?settings=agents`);
    const notice = page.locator(".banner", { hasText: "asks to connect" });
    const told = (await notice.textContent())!;
    assert.ok(told.includes(`Claude Code on this computer (port ${program.port})`), told);
    assert.match((await notice.locator(".time-left").textContent())!, /^(9:\d\d|10:00)$/);

    await unlock(page);
    await page.getByRole("heading", { name: "Claude Code asks to connect" }).waitFor();
    await page.getByText(`127.0.0.1:${program.port}`).waitFor();
    const proposed = await page.getByLabel("Name", { exact: true }).inputValue();
    assert.equal(proposed, "Claude <img src=x onerror=alert(1)> at home");

    // Nothing is picked for the person, and nothing leaves without it.
    await page.getByRole("button", { name: "Authorize" }).click();
    await page.getByText("Pick at least one folder").waitFor();
    assert.equal(program.requests, 0);
    const tab = await authorize(page, "Papers");
    const connectionString = await program.delivered;
    await tab.getByRole("heading", { name: "Connected" }).waitFor();

    assert.deepEqual(await reached(on, connectionString), ["/Papers", "/Papers/Taxes"]);
    // The page learns of it by the use that was made of it.
    await page.getByRole("heading", { name: "Claude Code is connected" }).waitFor();
    assert.equal(program.requests, 1);
    const [, ...secrets] = connectionString.split(".");
    assert.ok(requested.every((url) => secrets.every((secret) => !url.includes(secret))));

    await page.getByRole("button", { name: "Go to your connections" }).click();
    const card = page.getByRole("listitem").filter({ hasText: "Claude <img" });
    await card.getByText("/Papers").waitFor();
    assert.equal(await page.locator("main img").count(), 0);
  });
}

async function staysToBeCopied(on: OnServer): Promise<void> {
  const { page, origin, mayAsk } = on;
  // A port that was free a moment ago.
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  mayAsk.add(`http://127.0.0.1:${port}`);
  await page.clock.install();
  const program = { state: randomKeyText(), port };
  await open(on, handoffUrl({ vault: origin, client: "cursor" }, program));
  await authorize(page, "Private");
  await page.getByText("Sent. Waiting for Cursor to use it…").waitFor();
  await page.clock.fastForward("00:15");
  await page.getByText("Cursor has not used the connection yet.").waitFor();

  // The string has come into sight by itself.
  await page.bringToFront();
  await page.getByText("This is a live key.").waitFor();
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.deepEqual(await reached(on, copied), ["/Private"]);
  await page.clock.fastForward("00:03");
  await page.getByRole("heading", { name: "Cursor is connected" }).waitFor();
}

testHandoff(
  "a connection gets to the program that waits for it, and stays to be copied when none does",
  async (on) => {
    await deliversToProgram(on);
    await staysToBeCopied(on);
  },
);

async function refusesBeforeSigningIn(on: OnServer): Promise<void> {
  const { page, origin, mayAsk } = on;
  await withProgram({ vault: origin }, async (program) => {
    mayAsk.add(program.origin);
    await page.goto(program.url);
    await page.getByRole("button", { name: "Refuse" }).click();
    assert.equal(await program.delivered, "denied");
    await page.getByText("You refused the request").waitFor();
    await unlock(page);
    await page.getByRole("heading", { name: "You refused the request" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Authorize" }).count(), 0);
  });
}

async function refusesAfterSigningIn(on: OnServer): Promise<void> {
  const { page, origin, mayAsk } = on;
  await withProgram({ vault: origin, client: "<b>evil</b>" }, async (program) => {
    mayAsk.add(program.origin);
    await open(on, program.url);
    await page.getByRole("heading", { name: "Another program asks to connect" }).waitFor();
    await page.getByRole("button", { name: "Refuse" }).click();
    assert.equal(await program.delivered, "denied");
    await page.getByRole("heading", { name: "You refused the request" }).waitFor();
    await page.getByRole("button", { name: "Go to your connections" }).click();
    await page.getByRole("heading", { name: "No assistant is connected" }).waitFor();
  });
}

async function answersNoneThatExpired(on: OnServer): Promise<void> {
  const { page, origin } = on;
  await withProgram({ vault: origin, patience: -1000 }, async (program) => {
    await page.goto(program.url);
    await page.getByText("no longer waits").waitFor();
    assert.equal(await page.getByRole("button", { name: "Refuse" }).count(), 0);
    assert.equal(program.requests, 0);
  });
  await withProgram({ vault: origin }, async (program) => {
    await page.clock.install();
    await open(on, program.url);
    await page.getByRole("heading", { name: "Claude Code asks to connect" }).waitFor();
    await page.clock.fastForward("10:00");
    await page.getByRole("heading", { name: "The request has expired" }).waitFor();
    await page.getByRole("button", { name: "Make a connection to copy" }).click();
    await page.getByRole("heading", { name: "New connection" }).waitFor();
    assert.equal(program.requests, 0);
  });
}

async function takesNoneThatWasTamperedWith(on: OnServer): Promise<void> {
  const { page, origin } = on;
  const state = randomKeyText();
  const asking = { vault: origin };
  const good = handoffUrl(asking, { state, port: 51234 });
  const tampered = [
    handoffUrl(asking, { state, port: 80 }),
    handoffUrl(asking, { state, port: "51234@evil.example" }),
    handoffUrl(asking, { state, port: "evil.example:51234" }),
    handoffUrl(asking, { state: state.slice(1), port: 51234 }),
    `${good}&port=51235`,
  ];
  for (const url of tampered) {
    await page.goto(url);
    await page.getByText("The link that opened this page cannot be used.").waitFor();
    assert.equal(page.url(), `${origin}/files?settings=agents`);
    assert.equal(await page.getByRole("button", { name: "Refuse" }).count(), 0, url);
  }
  await unlock(page);
  await page.getByRole("heading", { name: "This link cannot be used" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Authorize" }).count(), 0);
}

testHandoff(
  "a request that is refused, comes too late or was tampered with gets nothing",
  async (on) => {
    await refusesBeforeSigningIn(on);
    await refusesAfterSigningIn(on);
    await takesNoneThatWasTamperedWith(on);
    await answersNoneThatExpired(on);
  },
);
