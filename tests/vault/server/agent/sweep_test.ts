// What the sweep clears away, and that whatever was cut short is finished by the next one: no row without
// its object, no hold without its upload, no object for ever.

import assert from "node:assert/strict";
import { buildUploadProofV3 } from "@shieldfive/crypto/vault";
import { checkVault } from "../../../../vault/server/check.ts";
import { newStorageKey } from "../../../../vault/server/objects/objects.ts";
import { announced, type Connection, encrypted, HOUR, ORIGIN, TestVault } from "./vault.ts";

function setUp() {
  const vault = new TestVault();
  const folder = vault.addFolder(null);
  return { vault, folder, as: vault.addGrant(["read", "write"], [folder]) };
}

/** The process ends here: nothing after it happens, as with kill -9. */
class Killed extends Error {}

function once(run: () => void): () => void {
  let done = false;
  return () => {
    if (!done) run();
    done = true;
  };
}

/** Makes the n-th write of rows or objects the last thing that happens, before or after it takes place. */
function killAt(vault: TestVault, step: number, after: boolean): { reached: () => boolean } {
  let count = 0;
  const around = <T>(act: () => T): T => {
    if (count >= step) throw new Killed();
    count++;
    if (count === step && !after) throw new Killed();
    const result = act();
    if (count === step) throw new Killed();
    return result;
  };
  const { rows, objects } = vault;
  const [transaction, remove, create] = [
    rows.transaction.bind(rows),
    objects.remove.bind(objects),
    objects.create.bind(objects),
  ];
  const restore = once(() => {
    rows.transaction = transaction;
    objects.remove = remove;
    objects.create = create;
  });
  rows.transaction = (body) => around(() => transaction(body));
  objects.remove = (key) => around(() => remove(key));
  objects.create = (key) => {
    const writer = create(key);
    return {
      write: (bytes) => writer.write(bytes),
      // A killed process aborts nothing either.
      abort: () => {},
      commit: () => around(() => writer.commit()),
    };
  };
  return {
    reached: () => {
      restore();
      return count >= step;
    },
  };
}

/** Reserve, send, finish; then another upload that is given up. Undefined answers after the kill. */
async function work(vault: TestVault, as: Connection, folder: string, ids: string[]) {
  const said: string[] = [];
  for (const [index, id] of ids.entries()) {
    const bytes = await encrypted(id, new Uint8Array(300).fill(index));
    const body = announced(id, folder, bytes.length);
    const offer = (await vault.call("POST", "/files", { as, body })).body;
    if (offer.uploadUrl === undefined) continue;
    const headers = {
      "content-length": String(bytes.length),
      "content-type": "application/octet-stream",
    };
    await vault.ask("PUT", offer.uploadUrl.slice(ORIGIN.length), { raw: bytes, headers });
    if (index === 1) {
      await vault.call("POST", `/uploads/${id}/abort`, { as });
      continue;
    }
    const proof = await buildUploadProofV3({ proofKeyHex: offer.proofKey, ciphertext: bytes });
    const ciphertextHash = new Uint8Array(await crypto.subtle.digest("SHA-1", bytes)).toHex();
    const got = await vault.call("POST", `/files/${id}/finalize`, {
      as,
      body: { proof, ciphertextHash },
    });
    if (got.status === 200) said.push(id);
  }
  return said;
}

Deno.test("ended at any step, a vault is whole after its next start and the time of its uploads", async () => {
  let step = 1;
  for (; step < 60; step++) {
    let reached = true;
    for (const after of [false, true]) {
      const { vault, folder, as } = setUp();
      using _ = vault;
      const ids = [vault.id(), vault.id()];
      const kill = killAt(vault, step, after);
      const said = await work(vault, as, folder, ids);
      reached = kill.reached();
      assert.ok(vault.faults.splice(0).every((fault) => fault instanceof Killed));
      vault.restarted();
      for (const id of said) {
        assert.notEqual(vault.rows.file(id), undefined, `step ${step}: a lost file`);
      }
      assert.deepEqual(checkVault(vault.rows, vault.objects).faults, [], `step ${step}`);
      vault.now += HOUR;
      vault.service.sweep();
      // Files have the machine's time and not the test's.
      vault.objects.sweep(-1e13);
      const report = checkVault(vault.rows, vault.objects);
      assert.deepEqual(
        { ...report, bytesRead: 0, files: 0 },
        {
          sound: true,
          files: 0,
          bytesRead: 0,
          faults: [],
          orphans: [],
          uploads: [],
          purged: [],
          temporaries: [],
        },
        `step ${step}, ${after ? "after" : "before"}`,
      );
      const { writeReservedBytes, writeUsedBytes } = vault.rows.grant(as.id)!;
      const used = report.files === 0 ? 0 : vault.rows.file(ids[0])!.ciphertextSize;
      assert.deepEqual([writeReservedBytes, writeUsedBytes], [0, used], `step ${step}`);
      assert.equal(vault.rows.purgedObjects().length, 0);
    }
    if (!reached) break;
  }
  assert.ok(step > 8 && step < 60, `the work has ${step} steps`);
});

Deno.test("a sweep removes so many objects at a time and the next goes on", () => {
  using vault = new TestVault();
  vault.rows.transaction(() => {
    for (let count = 0; count < 250; count++) {
      vault.rows.addPurgedObject({ storageKey: newStorageKey(), at: vault.now });
    }
  });
  vault.service.sweep();
  assert.equal(vault.rows.purgedObjects().length, 50);
  vault.service.sweep();
  assert.equal(vault.rows.purgedObjects().length, 0);
});
