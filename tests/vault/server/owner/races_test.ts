// The owner and two connections at the same row at the same time: of changes that are based on the same
// state exactly one is made.

import assert from "node:assert/strict";
import {
  anyFileFields,
  anyFolderFields,
  anyName,
  type Connection,
  type Got,
  OwnedVault,
} from "./owned_vault.ts";

/** A vault with two folders, two connections to both, and a file in the first. */
async function contested() {
  const vault = await OwnedVault.open();
  const [a, b] = [await vault.addFolder(), await vault.addFolder()];
  const agents = [
    await vault.addGrant({ rootIds: [a, b] }),
    await vault.addGrant({ rootIds: [a, b] }),
  ];
  return { vault, a, b, agents, file: await vault.addFile(a) };
}

/** Asks as the owner or as a connection. */
async function askAs(
  vault: OwnedVault,
  who: Connection | undefined,
  method: string,
  path: string,
  body: unknown,
): Promise<Got> {
  return who === undefined
    ? await vault.own(method, path, body)
    : await vault.agent(who, method, path, body);
}

function tally(answers: Got[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const key = status < 300 ? "made" : `${status} ${body.code}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

Deno.test("of three changes based on the same row one is made, whoever comes first", async () => {
  const { vault, b, agents, file } = await contested();
  using _ = vault;
  const parties = [undefined, ...agents];
  for (let round = 0; round < 6; round++) {
    const before = vault.rows.file(file)!;
    const ifUpdatedAt = new Date(before.updatedAt).toISOString();
    const order = parties.map((_, index) => parties[(index + round) % 3]);
    const changes = [
      { name: anyName(), ifUpdatedAt },
      { folderId: b, ...anyFileFields(), ifUpdatedAt },
      { name: anyName(), ifUpdatedAt },
    ];
    const answers = await Promise.all(
      order.map((who, index) => askAs(vault, who, "PATCH", `/files/${file}`, changes[index])),
    );
    assert.deepEqual(tally(answers), { "made": 1, "409 conflict": 2 });
    const made = changes[answers.findIndex(({ status }) => status === 200)];
    const after = vault.rows.file(file)!;
    assert.deepEqual([after.version, after.name], [before.version + 1, made.name]);
  }
});

Deno.test("a file that two trash and the owner bins ends in one place", async () => {
  const { vault, agents, file } = await contested();
  using _ = vault;
  const ifUpdatedAt = new Date(vault.rows.file(file)!.updatedAt).toISOString();
  const items = () => [{ kind: "file", id: file, ...anyFileFields(), ifUpdatedAt }];
  const answers = await Promise.all([
    vault.agent(agents[0], "POST", "/trash", { items: items() }),
    vault.own("POST", "/bin", { items: items() }),
    vault.agent(agents[1], "POST", "/trash", { items: items() }),
  ]);
  const results = answers.map(({ body }) => body.results[0]);
  assert.equal(results.filter(({ ok }) => ok).length, 1, JSON.stringify(results));
  assert.equal(vault.rows.file(file)!.version, 2);
});

Deno.test("purged and restored at once, a file is either there or not", async () => {
  using vault = await OwnedVault.open();
  for (let round = 0; round < 4; round++) {
    const file = await vault.addFile(null);
    const item = { kind: "file", id: file, ...anyFileFields() };
    await vault.ok("POST", "/bin", { items: [item] });
    const purge = () => vault.ok("POST", "/purge", { items: [{ kind: "file", id: file }] });
    const restore = () => vault.ok("POST", "/restore", { items: [{ ...item, parentId: null }] });
    const both = round % 2 === 0 ? [purge(), restore()] : [restore(), purge()];
    const results = (await Promise.all(both)).map(({ results }) => results[0]);
    assert.equal(results.filter(({ ok }) => ok).length, 1, JSON.stringify(results));
    const row = vault.rows.file(file);
    if (row !== undefined) vault.objects.open(row.storageKey)!.close();
    const objects = [...vault.objects.list()].map(({ key }) => key);
    assert.equal(objects.length, vault.rows.fileTotals().count);
  }
});

Deno.test("an undo and a change of the same row exclude each other", async () => {
  const { vault, agents, file } = await contested();
  using _ = vault;
  for (let round = 0; round < 4; round++) {
    const path = `/files/${file}`;
    const { body } = await vault.agent(agents[0], "PATCH", path, { name: anyName() });
    const ifUpdatedAt = new Date(vault.rows.file(file)!.updatedAt).toISOString();
    const undo = () => vault.own("POST", `/activity/${body.auditId}/undo`, {});
    const rename = () => vault.agent(agents[1], "PATCH", path, { name: anyName(), ifUpdatedAt });
    const answers = await Promise.all(round % 2 === 0 ? [undo(), rename()] : [rename(), undo()]);
    assert.deepEqual(tally(answers), { "made": 1, "409 conflict": 1 });
  }
});

Deno.test("revoked in the middle, a connection makes no further change", async () => {
  const { vault, a, agents } = await contested();
  using _ = vault;
  const create = () => {
    const body = { id: vault.id(), parentId: a, ...anyFolderFields() };
    return vault.agent(agents[0], "POST", "/folders", body);
  };
  const answers = await Promise.all([
    create(),
    create(),
    vault.own("POST", `/grants/${agents[0].id}/revoke`),
    create(),
    create(),
  ]);
  const made = answers.toSpliced(2, 1).filter(({ status }) => status === 201).length;
  assert.equal(vault.rows.childFolders(a).length, made);
  assert.deepEqual(tally([await create()]), { "401 grant_invalid": 1 });
});
