// Which tools a client is told of, and when it hears that there are more.

import assert from "node:assert/strict";
import { Registration } from "../../cli/mcp/registration.ts";
import { catalogue, localTools } from "../../tools/mod.ts";
import { vaultTools } from "../../tools/vault/tools.ts";

const names = (tools: readonly { name: string }[]) => tools.map(({ name }) => name);
const LOCAL = names(localTools);
const VAULT = names(vaultTools);
const READING = (tools: readonly { name: string; effect: string }[]) =>
  names(tools.filter(({ effect }) => effect === "read"));

/** A way to the vault that finds its connection when the test says so. */
function vault(connected: boolean) {
  const known = Promise.withResolvers<void>();
  const first = Promise.withResolvers<void>();
  const access = { connected: false, known: known.promise, firstConnection: first.promise };
  const connect = () => {
    access.connected = true;
    first.resolve();
  };
  if (connected) connect();
  return { access, known, connect };
}

function registration(over: Partial<ConstructorParameters<typeof Registration>[0]>) {
  const made = new Registration({ tools: catalogue, readOnly: false, hasRoots: true, ...over });
  let told = 0;
  made.onChange(() => told++);
  return { made, told: () => told };
}

Deno.test("without a vault the local tools are all there is, and the list does not change", async () => {
  for (const hasRoots of [true, false]) {
    const { made } = registration({ hasRoots });
    assert.deepEqual(names(await made.listed()), LOCAL);
    assert.deepEqual(names(made.callable), LOCAL);
    assert.equal(made.changes, false);
  }
  const { made } = registration({ readOnly: true });
  assert.deepEqual(names(await made.listed()), READING(localTools));
});

Deno.test("with a connection the vault's tools are listed, and the local ones where there are folders", async () => {
  for (const hasRoots of [true, false]) {
    const { access, known } = vault(true);
    known.resolve();
    const { made } = registration({ hasRoots, vault: access });
    assert.deepEqual(names(await made.listed()), [
      ...(hasRoots ? LOCAL : []),
      "vault_connect",
      ...VAULT,
    ]);
    assert.equal(made.changes, true);
  }
  const { access, known } = vault(true);
  known.resolve();
  const { made } = registration({ readOnly: true, vault: access });
  const reading = [...READING(localTools), "vault_connect", ...READING(vaultTools)];
  assert.deepEqual(names(await made.listed()), reading);
  assert.deepEqual(names(made.callable), reading);
});

Deno.test("a connection that comes later is told to who saw the list without it, once, and takes nothing away", async () => {
  const { access, known, connect } = vault(false);
  known.resolve();
  const { made, told } = registration({ hasRoots: false, vault: access });
  assert.deepEqual(names(await made.listed()), [...LOCAL, "vault_connect"]);
  assert.deepEqual(names(made.callable), [...LOCAL, "vault_connect", ...VAULT]);
  assert.equal(told(), 0);
  connect();
  await Promise.resolve();
  assert.equal(told(), 1);
  assert.deepEqual(names(await made.listed()), [...LOCAL, "vault_connect", ...VAULT]);
});

Deno.test("nobody is told of a connection that was there before the first list", async () => {
  const { access, known, connect } = vault(false);
  const { made, told } = registration({ vault: access });
  const listing = made.listed();
  connect();
  known.resolve();
  assert.ok(names(await listing).includes("vault_list_files"));
  assert.equal(told(), 0);
});

Deno.test("a list waits for the search for a connection, but not for long", async () => {
  const { access, connect } = vault(false);
  const { made, told } = registration({ vault: access });
  const start = performance.now();
  assert.deepEqual(names(await made.listed()), [...LOCAL, "vault_connect"]);
  const waited = performance.now() - start;
  assert.ok(waited > 1500 && waited < 10_000, `${waited} ms`);
  connect();
  await Promise.resolve();
  assert.equal(told(), 1);
});
