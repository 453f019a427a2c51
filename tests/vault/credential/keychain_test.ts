// The system's keychain, for real: a keyring that is open, locked, stopped or not there, on a bus of the
// test's own. However it behaves, an answer comes in time and nobody is held up.

import assert from "node:assert/strict";
import { misfits } from "../../../containment/rooms/proof.ts";
import { Keychain, keychainGrants } from "../../../vault/credential/mod.ts";
import { askKeychain, Bus, canRun, type Told } from "./bus.ts";

/** Registers a test that needs a bus. */
function testOnBus(name: string, body: (bus: Bus) => Promise<void>): void {
  Deno.test(name, async () => {
    if (canRun()) await Bus.run(body);
  });
}

/** Puts an entry into a new keyring, which is closed and locked then. */
async function keep(bus: Bus, text: string): Promise<void> {
  const open = await bus.keyring("open sesame");
  assert.deepEqual(outcomes(await bus.ask([["write", text]])), [null]);
  await open.end();
}

function outcomes(told: Told[]): unknown[] {
  return told.map(({ code, value }) => code ?? value ?? null);
}

testOnBus(
  "an open keyring takes an entry, gives it back, also to the next session, and forgets it",
  async (bus) => {
    const first = await bus.keyring("open sesame");
    const asked = await bus.ask([["tryOut"], ["read"], ["write", "one"], ["write", "two"], [
      "read",
    ]]);
    assert.deepEqual(outcomes(asked), [null, null, null, null, "two"]);
    // The kernel's keyring would not have it any more, and it would be in no file.
    await first.end();
    const second = await bus.keyring("open sesame");
    const later = await bus.ask([["read"], ["tryOut"], ["read"], ["remove"], ["remove"], ["read"]]);
    assert.deepEqual(outcomes(later), ["two", null, "two", true, false, null]);
    await second.end();
  },
);

testOnBus("a locked keyring is told as locked, and what is in it stays", async (bus) => {
  await keep(bus, "kept");
  const locked = await bus.keyring();
  const asked = await bus.ask([["read"], ["tryOut"], ["write", "lost"], ["remove"]]);
  assert.deepEqual(outcomes(asked), new Array(4).fill("keychain_locked"));
  await locked.end();
  await bus.keyring("open sesame");
  assert.deepEqual(outcomes(await bus.ask([["read"]])), ["kept"]);
});

testOnBus(
  "a keyring that waits for a person is not waited for longer than was said",
  async (bus) => {
    await keep(bus, "kept");
    bus.neverComesUp("org.gnome.keyring.SystemPrompter");
    await bus.keyring();
    const told = await bus.ask([["read"], ["tryOut"]], { patience: 1000 });
    assert.deepEqual(outcomes(told), new Array(2).fill("keychain_not_answering"));
    for (const { ms, ticks } of told) {
      assert.ok(ms > 900 && ms < 3000, `${ms}`);
      assert.ok(ticks > 20, `the thread that asked was free ${ticks} times`);
    }
  },
);

testOnBus(
  "a keyring that is stopped, or never comes up, does not answer, and holds up nobody",
  async (bus) => {
    const keyring = await bus.keyring("open sesame");
    keyring.stop();
    const stopped = await bus.ask([["read"]]);
    keyring.goOn();
    await keyring.end();
    bus.neverComesUp("org.freedesktop.secrets");
    const never = await bus.ask([["read"], ["tryOut"]], { patience: 1000 });
    for (const { code, ms, ticks } of [...stopped, ...never]) {
      assert.equal(code, "keychain_not_answering");
      assert.ok(ms < 6000, `${ms}`);
      assert.ok(ticks > 20, `the thread that asked was free ${ticks} times`);
    }
  },
);

testOnBus(
  "a bus without a keyring, and a keyring without a collection, are as good as none",
  async (bus) => {
    const without = await bus.ask([["read"], ["tryOut"], ["remove"]]);
    assert.deepEqual(outcomes(without), new Array(3).fill("keychain_absent"));
    await bus.keyring();
    assert.deepEqual(outcomes(await bus.ask([["tryOut"], ["read"]])), ["keychain_absent", null]);
  },
);

Deno.test("without a bus, and without an addon that loads, there is no keychain", async () => {
  if (Deno.build.os !== "linux") return console.log("skipped: the Secret Service is for Linux");
  const env = { HOME: "/nowhere", DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere/bus" };
  const without = await askKeychain([["read"], ["tryOut"]], { env });
  assert.deepEqual(outcomes(without), ["keychain_absent", "keychain_absent"]);
  const addon = new URL("./keychain_driver.ts", import.meta.url).pathname;
  const [broken] = await askKeychain([["read"]], { env, addon });
  assert.equal(broken.code, "keychain_absent");
  assert.match(broken.reason!, /^its addon does not load: /);
});

Deno.test("the room may load the one addon, and nothing else", async () => {
  const keychain = new Keychain({ log: (line) => assert.fail(line) });
  try {
    await keychain.ready;
    const trials = await keychain.prove({ inside: [], outside: "/" });
    assert.deepEqual(misfits("keychain", keychainGrants(), trials), []);
    const allowed = trials.filter(({ allowed }) => allowed).map(({ what, file }) => [what, file]);
    assert.deepEqual(allowed, keychainGrants().map((file) => ["ffi", file]));
    assert.equal(allowed.length, 1);
  } finally {
    keychain.close();
  }
});
