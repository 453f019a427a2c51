// Changes by a connection and the undoing of them, for the tests of both.

import assert from "node:assert/strict";
import { type Answered, type Connection, OwnedVault } from "./owned_vault.ts";

/** A row without what every change of it raises. */
export function contentOf(vault: OwnedVault, id: string) {
  const row = vault.rows.file(id) ?? vault.rows.folder(id);
  return { ...row, version: 0, updatedAt: 0 };
}

/** A vault with two folders, a connection to both, and a file in the first. */
export async function shared() {
  const vault = await OwnedVault.open();
  const [a, b] = [await vault.addFolder(), await vault.addFolder()];
  const agent = await vault.addGrant({ rootIds: [a, b] });
  const file = await vault.addFile(a);
  const inner = await vault.addFolder(a);
  vault.now += 1000;
  return { vault, a, b, agent, file, inner };
}

/** A change by a connection that must go well; gives the id of its record. */
export async function change(
  vault: OwnedVault,
  by: Connection,
  method: string,
  path: string,
  body: unknown,
): Promise<string> {
  const got = await vault.agent(by, method, path, body);
  assert.ok(got.status === 200 || got.status === 201, JSON.stringify(got.body));
  vault.now += 1000;
  const auditId = got.body.auditId ?? got.body.results[0].auditId;
  assert.ok(auditId, JSON.stringify(got.body));
  return auditId;
}

export async function entryOf(vault: OwnedVault, auditId: string): Promise<Answered> {
  const { entries } = await vault.ok("GET", "/activity");
  return entries.find(({ id }: Answered) => id === auditId);
}

/** Undoing is offered, and does what it says; gives its answer. */
export async function undone(
  vault: OwnedVault,
  auditId: string,
  body: unknown = {},
): Promise<Answered> {
  assert.equal((await entryOf(vault, auditId)).undoable, true, "it is offered");
  const answer = await vault.ok("POST", `/activity/${auditId}/undo`, body);
  const entry = await entryOf(vault, auditId);
  assert.deepEqual([entry.undoable, entry.undoneAt], [false, new Date(vault.now).toISOString()]);
  return answer;
}

/** Undoing is not offered, and is refused with a code. */
export async function notUndone(vault: OwnedVault, auditId: string, code: string): Promise<void> {
  const before = vault.rows.audit(auditId);
  assert.equal((await entryOf(vault, auditId)).undoable, false, "it is not offered");
  await vault.refused(409, code, "POST", `/activity/${auditId}/undo`, {});
  assert.deepEqual(vault.rows.audit(auditId), before);
}
