// The vault's files in a real browser on the real server: in, around, and out again.

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { unzipSync } from "fflate";
import type { Page } from "playwright-core";
import type { File, Folder, OwnerVault } from "../../vault/owner/mod.ts";
import { plant } from "../support.ts";
import { choose, goTo, row, testOpenVault, throwAway, waitForNames } from "./vault_page.ts";

const MEGABYTE = 1_000_000;

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Bytes that do not repeat. */
function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let start = 0; start < length; start += 65_536) {
    crypto.getRandomValues(bytes.subarray(start, start + 65_536));
  }
  return bytes;
}

async function upload(page: Page, files: Record<string, string>): Promise<void> {
  await page.getByLabel("Files to upload").setInputFiles(
    Object.entries(files).map(([name, text]) => ({
      name,
      mimeType: "text/plain",
      buffer: Buffer.from(text),
    })),
  );
}

/** What the page downloads when something is done to it. */
async function downloaded(page: Page, act: () => Promise<void>): Promise<[string, Uint8Array]> {
  const download = page.waitForEvent("download");
  await act();
  const event = await download;
  return [event.suggestedFilename(), Deno.readFileSync(await event.path())];
}

async function put(
  vault: OwnerVault,
  folder: Folder | null,
  name: string,
  text: string,
): Promise<File> {
  return await vault.upload(folder?.id ?? null, {
    name,
    size: text.length,
    content: new Blob([text]),
  });
}

testOpenVault(
  "50 MB go into the vault and come out with the same checksum",
  async ({ page, dir, vault }) => {
    const bytes = noise(50 * MEGABYTE);
    Deno.writeFileSync(`${dir}/film.mov`, bytes);
    await page.getByLabel("Files to upload").setInputFiles(`${dir}/film.mov`);
    const transfers = page.getByRole("region", { name: "Transfers" });
    await transfers.getByText(/Encrypting|Sending/).waitFor();
    await transfers.getByRole("progressbar").waitFor();
    await page.getByText("1 file uploaded.").waitFor();
    await waitForNames(page, ["film.mov"]);

    const [name, received] = await downloaded(page, () => choose(page, "film.mov", "Download"));
    assert.equal(name, "film.mov");
    assert.equal(sha256(received), sha256(bytes));

    // The same through the owner's library: it was encrypted as the formats say.
    const [file] = (await vault.refresh()).files.values();
    assert.equal(file.name, "film.mov");
    assert.equal(file.size, bytes.length);

    // The same once more, stopped on its way: nothing of it stays.
    Deno.renameSync(`${dir}/film.mov`, `${dir}/again.mov`);
    await page.getByLabel("Files to upload").setInputFiles(`${dir}/again.mov`);
    await page.getByRole("button", { name: "Stop again.mov" }).click();
    await page.getByText("Stopped", { exact: true }).waitFor();
    await waitForNames(page, ["film.mov"]);
    assert.equal((await vault.refresh()).files.size, 1);
  },
);

testOpenVault(
  "things are organised, put away, brought back, and deleted for good",
  async ({ page, vault }) => {
    await page.getByRole("button", { name: "New folder" }).click();
    await page.getByLabel("Name of the folder").fill("a/b");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("A name cannot have a slash").waitFor();
    await page.getByLabel("Name of the folder").fill("Papers");
    await page.getByRole("button", { name: "Create" }).click();
    await waitForNames(page, ["Papers"]);

    await upload(page, { "b.txt": "bravo", "a.txt": "alpha and more", "c.txt": "" });
    await page.getByText("2 files uploaded, 1 failed.").waitFor();
    await page.getByText("An empty file cannot be stored.").waitFor();
    await page.getByRole("button", { name: "Close the list" }).click();
    await waitForNames(page, ["Papers", "a.txt", "b.txt"]);
    await page.getByRole("button", { name: "Size" }).click();
    await waitForNames(page, ["Papers", "a.txt", "b.txt"]);
    await page.getByRole("button", { name: "Size" }).click();
    await waitForNames(page, ["Papers", "b.txt", "a.txt"]);

    await choose(page, "a.txt", "Rename…");
    await page.getByLabel("New name").fill("b.txt");
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByText("Something here has this name already.").waitFor();
    await page.getByLabel("New name").fill("alpha.txt");
    await page.getByRole("button", { name: "Rename" }).click();
    await waitForNames(page, ["Papers", "b.txt", "alpha.txt"]);

    await choose(page, "alpha.txt", "Move…");
    const picker = page.getByRole("dialog");
    await picker.getByRole("button", { name: "Papers" }).click();
    await picker.getByRole("button", { name: "Move to “Papers”" }).click();
    await waitForNames(page, ["Papers", "b.txt"]);
    await page.getByRole("button", { name: "Undo" }).click();
    await waitForNames(page, ["Papers", "b.txt", "alpha.txt"]);

    await page.getByLabel("Select b.txt").check();
    await page.getByLabel("Select alpha.txt").check();
    await page.getByRole("toolbar").getByRole("button", { name: "Move to Bin" }).click();
    await page.getByText("2 items moved to the Bin.").waitFor();
    await goTo(page, "Bin");
    await waitForNames(page, ["alpha.txt", "b.txt"]);
    await choose(page, "b.txt", "Restore");
    await waitForNames(page, ["alpha.txt"]);
    await choose(page, "alpha.txt", "Delete for good…");
    const question = page.getByRole("dialog");
    await question.getByRole("button", { name: "Delete for good" }).click();
    await question.getByText("Type delete to go ahead.").waitFor();
    await question.getByLabel(/^Type delete/).fill("delete");
    await question.getByRole("button", { name: "Delete for good" }).click();
    await page.getByRole("heading", { name: "The Bin is empty" }).waitFor();

    const tree = await vault.refresh();
    const left = tree.children(null).filter(({ id }) => id !== tree.binId && id !== tree.mediaId);
    assert.deepEqual(left.map(({ name }) => name), ["Papers", "b.txt"]);
    assert.deepEqual(tree.children(tree.binId), []);
  },
);

testOpenVault(
  "search looks everywhere but in the Bin, and a slash goes to it",
  async ({ page }) => {
    await page.keyboard.press("/");
    await page.keyboard.type("REPORT");
    await waitForNames(page, ["Reports", "annual report.txt"]);
    await row(page, "annual report.txt").getByText("/Reports").waitFor();
    await page.keyboard.press("Escape");
    await waitForNames(page, ["Reports"]);
  },
  async (vault) => {
    const reports = await vault.createFolder(null, "Reports");
    await put(vault, reports, "annual report.txt", "numbers");
    await throwAway(vault, [await put(vault, reports, "old report.txt", "numbers")]);
  },
);

testOpenVault(
  "a folder goes in with what is in it, names that are taken are asked about, and comes out as a zip file",
  async ({ page, dir, vault }) => {
    plant(dir, { "trip/day 1/one.txt": "one", "trip/two.txt": "two" });
    await page.getByLabel("Folder to upload").setInputFiles(`${dir}/trip`);
    await page.getByText("2 files uploaded.").waitFor();
    await waitForNames(page, ["trip"]);

    plant(dir, { "trip/two.txt": "two, again" });
    await page.getByLabel("Folder to upload").setInputFiles(`${dir}/trip`);
    const question = page.getByRole("dialog");
    await question.getByText("2 names are taken").waitFor();
    await question.getByLabel("Keep both").check();
    await question.getByRole("button", { name: "Upload" }).click();
    await page.getByText("2 files uploaded.").waitFor();
    await row(page, "trip").getByRole("link").click();
    await waitForNames(page, ["day 1", "two (2).txt", "two.txt"]);
    await page.getByRole("link", { name: "All files" }).click();

    await upload(page, { "two.txt": "at the top" });
    await page.getByText("1 file uploaded.").waitFor();
    await waitForNames(page, ["trip", "two.txt"]);
    await page.getByLabel("Select all").check();
    const [name, bytes] = await downloaded(
      page,
      () => page.getByRole("toolbar").getByRole("button", { name: "Download" }).click(),
    );
    assert.match(name, /^ShieldFive, 5 files\.zip$/);
    const texts = Object.entries(unzipSync(bytes)).map(([path, content]) => [
      path,
      new TextDecoder().decode(content),
    ]);
    assert.deepEqual(texts.sort(), [
      ["trip/day 1/one (2).txt", "one"],
      ["trip/day 1/one.txt", "one"],
      ["trip/two (2).txt", "two, again"],
      ["trip/two.txt", "two"],
      ["two.txt", "at the top"],
    ]);

    await upload(page, { "two.txt": "in its place" });
    await question.getByLabel("Replace").check();
    await question.getByRole("button", { name: "Upload" }).click();
    await page.getByText("1 file uploaded.").waitFor();
    const tree = await vault.refresh();
    assert.deepEqual(tree.children(tree.binId).map((item) => item.name), ["two.txt"]);
  },
);

testOpenVault("names are text, and what hides in them is shown", async ({ page }) => {
  await upload(page, {
    "invoice\u202efdp.exe": "x",
    '<img src=x onerror="console.error(1)">.txt': "y",
  });
  await page.getByText("A name cannot have characters in it that do not show.").waitFor();
  await page.getByText("invoice\\u{202e}fdp.exe").waitFor();
  await waitForNames(page, ['<img src=x onerror="console.error(1)">.txt']);
});

testOpenVault(
  "everything is exported as plain files",
  async ({ page }) => {
    await goTo(page, "Storage");
    await page.getByText("2 files, 8 bytes").waitFor();
    await page.getByText("1 file, 4 bytes").waitFor();
    // The browser's own picker cannot be driven: a folder of the browser's private storage stands in.
    await page.evaluate(() => {
      Object.assign(globalThis, {
        showDirectoryPicker: () => navigator.storage.getDirectory(),
      });
    });
    await page.getByRole("button", { name: "Export to a folder…" }).click();
    await page.getByText("Exported 2 files with 8 bytes.").waitFor();
    const exported = await page.evaluate(async () => {
      const texts: [string, string][] = [];
      const walk = async (folder: FileSystemDirectoryHandle, path: string) => {
        for await (const [name, handle] of folder.entries()) {
          if (handle instanceof FileSystemDirectoryHandle) await walk(handle, `${path}${name}/`);
          else {
            const file = await (handle as FileSystemFileHandle).getFile();
            texts.push([path + name, await file.text()]);
          }
        }
      };
      const top = await navigator.storage.getDirectory();
      await walk(top, "");
      for await (const name of top.keys()) await top.removeEntry(name, { recursive: true });
      return texts.sort();
    });
    assert.deepEqual(exported.map(([path, text]) => [path.replace(/^[^/]+/, "EXPORT"), text]), [
      ["EXPORT/Letters/draft.txt", "dear"],
      ["EXPORT/note.txt", "note"],
    ]);
    assert.match(exported[0][0], /^ShieldFive export \d{4}-\d\d-\d\d \d\d\.\d\d\//);
  },
  async (vault) => {
    await put(vault, await vault.createFolder(null, "Letters"), "draft.txt", "dear");
    await put(vault, null, "note.txt", "note");
    await throwAway(vault, [await put(vault, null, "gone.txt", "gone")]);
  },
);

testOpenVault(
  "files are dropped on the page, rows on folders, and what others changed appears when asked for",
  async ({ page, vault }) => {
    await row(page, "note.txt").dragTo(row(page, "Inbox"));
    await page.getByText("“note.txt” moved to “Inbox”.").waitFor();
    await waitForNames(page, ["Inbox"]);
    await vault.refresh();
    await vault.createFolder(null, "Made elsewhere");
    await page.getByRole("button", { name: "Look for changes" }).click();
    await waitForNames(page, ["Inbox", "Made elsewhere"]);

    await row(page, "Inbox").getByRole("link").click();
    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    assert.equal(await page.title(), "Folder · ShieldFive", "no name in the browser's history");
    const drag = (type: string) =>
      page.evaluate((type) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(["dropped"], "dropped.txt"));
        const how = { bubbles: true, cancelable: true, dataTransfer };
        document.body.dispatchEvent(new DragEvent(type, how));
      }, type);
    await drag("dragover");
    await page.getByText("Drop to upload into Inbox").waitFor();
    await drag("drop");
    await page.getByText("1 file uploaded.").waitFor();
    await waitForNames(page, ["dropped.txt", "note.txt"]);
    await row(page, "dropped.txt").locator(".item-link").click();
    await page.getByLabel("Content").getByText("dropped").waitFor();
  },
  async (vault) => {
    await vault.createFolder(null, "Inbox");
    await put(vault, null, "note.txt", "note");
  },
);

testOpenVault(
  "the bin of a connection is looked into, and stays where it is",
  async ({ page, vault }) => {
    await goTo(page, "Bin");
    await row(page, "Sorter").getByRole("link").click();
    await page.getByRole("heading", { name: "This folder is empty" }).waitFor();
    await page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link", { name: "Bin" })
      .click();
    await waitForNames(page, ["Sorter"]);
    await row(page, "Sorter").getByRole("button", { name: /^Actions/ }).click();
    // The bin of a connection stays: there is nothing in it to do anything with.
    assert.ok(await page.getByRole("menuitem", { name: "Restore" }).isDisabled());
    assert.ok(await page.getByRole("menuitem", { name: "Delete for good…" }).isDisabled());
    assert.equal((await vault.grants()).length, 1);
  },
  async (vault) => {
    const folder = await vault.createFolder(null, "Inbox");
    await vault.createGrant({
      label: "Sorter",
      clientHint: "other",
      scopes: ["read", "organize"],
      folderIds: [folder.id],
      expiresInMs: 3_600_000,
    });
  },
);
