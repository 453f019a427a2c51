// What the owner is shown, and what the interface refuses to be asked.

import assert from "node:assert/strict";
import { type Answered, anyFolderFields, OwnedVault } from "./owned_vault.ts";

async function rowOf(vault: OwnedVault, what: "folders" | "files", id: string): Promise<Answered> {
  const rows = (await vault.ok("GET", `/${what}`))[what];
  return rows.find((row: Answered) => row.id === id);
}

Deno.test("listings come in pages, whole and in order, whatever is added meanwhile", async () => {
  using vault = await OwnedVault.open();
  const ids: string[] = [vault.bin, vault.media];
  for (let count = 0; count < 23; count++) {
    vault.now += count % 3;
    ids.push(await vault.addFolder(ids.at(-1) === vault.media ? null : ids.at(-1)));
  }
  const seen: string[] = [];
  for (let after = ""; after !== "end";) {
    const page = await vault.ok("GET", `/folders?limit=5${after}`);
    seen.push(...page.folders.map((row: Answered) => row.id));
    assert.ok(page.folders.length <= 5);
    assert.match(page.next ?? "a", /^[A-Za-z0-9._-]+$/, "safe in a URL as it is");
    after = page.next === null ? "end" : `&after=${page.next}`;
  }
  assert.deepEqual(seen.toSorted(), ids.toSorted());
  assert.equal(new Set(seen).size, seen.length);
  await vault.addFile(null);
  const files = await vault.ok("GET", "/files?limit=1");
  assert.deepEqual([files.files.length, files.next], [1, null]);
});

Deno.test("a place of one listing is none of another, and odd questions are refused", async () => {
  using vault = await OwnedVault.open();
  const { next } = await vault.ok("GET", "/folders?limit=1");
  const bad = [
    "limit=0",
    "limit=1001",
    "limit=x",
    "limit=5&limit=5",
    "after=x",
    `after=${next}x`,
    "all=1",
  ];
  for (const query of bad) await vault.refused(400, "bad_request", "GET", `/folders?${query}`);
  await vault.refused(400, "bad_request", "GET", `/files?after=${next}`);
  await vault.refused(400, "bad_request", "GET", `/activity?after=${next}`);
});

Deno.test("what lies anywhere in the Bin is shown as in the trash, the Bin itself is not", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const inner = await vault.addFolder(folder);
  const file = await vault.addFile(inner);
  await vault.ok("POST", "/bin", { items: [{ kind: "folder", id: folder, ...anyFolderFields() }] });
  const shown = async (what: "folders" | "files", id: string) =>
    (await rowOf(vault, what, id)).inTrash;
  assert.deepEqual(
    [
      await shown("folders", folder),
      await shown("folders", inner),
      await shown("files", file),
      await shown("folders", vault.bin),
      await shown("folders", vault.media),
    ],
    [true, true, true, false, false],
  );
});

Deno.test("stats count what lies in the vault, in the Bin and on the disk", async () => {
  using vault = await OwnedVault.open();
  const folder = await vault.addFolder();
  const inside = await vault.addFolder(folder);
  await vault.addFile(null, 1000);
  const binned = [await vault.addFile(folder, 200), await vault.addFile(inside, 30)];
  await vault.ok("POST", "/bin", { items: [{ kind: "folder", id: folder, ...anyFolderFields() }] });
  const { objects, ...rest } = await vault.ok("GET", "/stats");
  assert.deepEqual(rest, {
    files: 1,
    bytes: 1000,
    bin: { files: 2, bytes: 230 },
    egress: { day: 0, month: 0 },
  });
  const onDisk = [...vault.objects.list()].reduce((sum, { size }) => sum + size, 0);
  assert.deepEqual(objects, { count: 3, bytes: onDisk });
  const content = await vault.ask("GET", `/api/owner/v1/files/${binned[0]}/content`, {
    token: vault.session,
  });
  const sent = (await new Response(content.body).bytes()).length;
  assert.deepEqual((await vault.ok("GET", "/stats")).egress, { day: sent, month: sent });
});

Deno.test("bodies that are too large or no JSON are refused", async () => {
  using vault = await OwnedVault.open({ jsonBytes: 8000 });
  await vault.refused(413, "too_large", "POST", "/folders", " ".repeat(8001));
  for (const body of ["", "{", "\u0000", '{"a":1}{"b":2}']) {
    await vault.refused(400, "bad_request", "POST", "/folders", body);
  }
  const without = await vault.own("POST", "/folders");
  assert.deepEqual([without.status, without.body.code], [400, "bad_request"]);
});

Deno.test("methods that a path does not know are refused by name", async () => {
  using vault = await OwnedVault.open();
  const got = await vault.refused(405, "method_not_allowed", "DELETE", "/files/x");
  assert.equal(got.headers.allow, "PATCH");
  await vault.refused(404, "no_route", "GET", "/nothing");
});
