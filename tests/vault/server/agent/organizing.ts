// A vault with a granted part and a part beside it, for tests of changes.

import assert from "node:assert/strict";
import { type Connection, type Got, TestVault } from "./vault.ts";

/** A vault with a granted part and a part beside it, and a connection that organises the first. */
export function setUp() {
  const vault = new TestVault();
  const granted = vault.addFolder(null);
  const inner = vault.addFolder(granted);
  const outside = vault.addFolder(null);
  const as = vault.addGrant(["read", "organize"], [granted]);
  const file = vault.addFile(inner);
  vault.now += 1000;
  return { vault, granted, inner, outside, as, file };
}

export function refused(got: Got, status: number, code: string, what = ""): void {
  assert.deepEqual([got.status, got.body.code], [status, code], what);
}

export async function trash(vault: TestVault, as: Connection, items: unknown[]): Promise<Got> {
  return await vault.call("POST", "/trash", { as, body: { items } });
}
