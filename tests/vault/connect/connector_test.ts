// Getting connected, from the wish to the stored connection: one hand-off for everybody who asks meanwhile,
// an outcome that waits for whoever asks next, and nothing stored that the server does not accept.

import assert from "node:assert/strict";
import { ToolError } from "../../../containment/mod.ts";
import { createGrantCredential, formatConnectionString } from "@shieldfive/crypto/vault";
import type { Alarm, GrantInfo } from "../../../vault/client/types.ts";
import type { Asking } from "../../../vault/connect/address.ts";
import { type Connected, Connector, type ConnectorOptions } from "../../../vault/connect/mod.ts";
import type { Delivery } from "../../../vault/connect/listener.ts";
import { keychainError } from "../../../vault/credential/mod.ts";

const GRANT_ID = "01890a5d-ac96-774b-bcce-b302099a8057";
const CONNECTION = formatConnectionString(createGrantCredential({
  grantId: GRANT_ID,
  mlKemPublicKey: new Uint8Array(1568),
}));
const ORIGIN = "https://vault.example";
const WISH = { origin: ORIGIN, client: "other" as const, browser: true };
const GRANT: GrantInfo = {
  id: GRANT_ID,
  scopes: ["read"],
  wholeVault: false,
  folderIds: ["01890a5d-ac96-774b-bcce-b302099a8058"],
  trashFolderId: null,
  expiresAt: "2030-01-01T00:00:00.000Z",
};

/** A clock whose hand a test moves. */
class Clock {
  readonly #alarms: { at: number; ring(): void }[] = [];
  #now = 0;

  readonly alarm: Alarm = (ms, ring) => {
    const entry = { at: this.#now + ms, ring };
    this.#alarms.push(entry);
    return () => {
      if (this.#alarms.includes(entry)) this.#alarms.splice(this.#alarms.indexOf(entry), 1);
    };
  };

  async pass(ms: number): Promise<void> {
    const until = this.#now + ms;
    for (;;) {
      await settle();
      const next = this.#alarms.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#now = next.at;
      this.#alarms.splice(this.#alarms.indexOf(next), 1);
      next.ring();
    }
    this.#now = until;
    await settle();
  }
}

/** Lets all that is ready happen. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

/** A connector whose browser, server and store do as the test says. */
class Setting {
  readonly clock = new Clock();
  readonly asked: Asking[] = [];
  readonly opened: string[] = [];
  readonly checked: string[] = [];
  readonly stored: string[] = [];
  readonly remembered: string[] = [];
  readonly told: Connected[] = [];
  deliver: (delivery: Delivery) => void = () => {};
  checkFails?: ToolError;
  storeFails?: ToolError;
  #delivery?: Promise<Delivery>;
  readonly connector: Connector;

  constructor(over: Partial<ConnectorOptions> = {}) {
    this.connector = new Connector({
      handoff: {
        begin: (asking) => {
          this.asked.push(asking);
          const { promise, resolve } = Promise.withResolvers<Delivery>();
          this.#delivery = promise;
          this.deliver = resolve;
          return Promise.resolve({ address: `${ORIGIN}/${this.asked.length}`, deadline: 600_000 });
        },
        delivery: () => this.#delivery!,
        openBrowser: (address) => {
          this.opened.push(address);
          return Promise.resolve({ opened: true });
        },
        stop: () => Promise.resolve(this.deliver({ ended: "stopped" })),
      },
      store: {
        store: (text, where) => {
          if (this.storeFails !== undefined) return Promise.reject(this.storeFails);
          this.stored.push(`${where}: ${text}`);
          return Promise.resolve({ done: where, warnings: [] });
        },
        remember: (id, origin) => {
          this.remembered.push(`${id} ${origin}`);
          return Promise.resolve();
        },
      },
      where: "keychain",
      check: ({ connection, origin }) => {
        this.checked.push(`${origin} ${connection}`);
        return this.checkFails === undefined
          ? Promise.resolve(GRANT)
          : Promise.reject(this.checkFails);
      },
      onConnected: (connected) => this.told.push(connected),
      alarm: this.clock.alarm,
      ...over,
    });
  }

  delivered(): void {
    this.deliver({ ended: "delivered", connection: CONNECTION });
  }
}

function code(expected: string): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof ToolError);
    assert.equal(error.code, expected);
    return true;
  };
}

Deno.test("a delivery is checked with the server, stored, remembered and told, in that order", async () => {
  const setting = new Setting();
  const addresses: string[] = [];
  const connecting = setting.connector.connect(WISH, {
    patience: 45_000,
    onAddress: ({ address }) => addresses.push(address),
  });
  await settle();
  assert.deepEqual([addresses, setting.opened], [[`${ORIGIN}/1`], [`${ORIGIN}/1`]]);
  assert.deepEqual(setting.asked, [{ origin: ORIGIN, client: "other" }]);
  assert.deepEqual(setting.stored, []);
  setting.delivered();
  const outcome = await connecting;
  const connected = {
    connection: CONNECTION,
    origin: ORIGIN,
    grant: GRANT,
    stored: "keychain",
    warnings: [],
  };
  assert.deepEqual(outcome, { state: "connected", connected });
  assert.deepEqual(setting.checked, [`${ORIGIN} ${CONNECTION}`]);
  assert.deepEqual(setting.stored, [`keychain: ${CONNECTION}`]);
  assert.deepEqual(setting.remembered, [`${GRANT_ID} ${ORIGIN}`]);
  assert.deepEqual(setting.told, [connected]);
});

Deno.test("whoever does not wait long enough learns that it is pending, and the next who asks gets the outcome", async () => {
  const setting = new Setting();
  const waited: number[] = [];
  const options = { patience: 45_000, onProgress: (ms: number) => waited.push(ms) };
  const first = setting.connector.connect(WISH, options);
  await setting.clock.pass(45_000);
  assert.deepEqual(await first, {
    state: "pending",
    waiting: { address: `${ORIGIN}/1`, deadline: 600_000, opening: { opened: true } },
  });
  assert.deepEqual(waited, [5, 10, 15, 20, 25, 30, 35, 40].map((seconds) => seconds * 1000));
  // It is stored when it comes, and not only when somebody asks.
  setting.delivered();
  await settle();
  assert.equal(setting.stored.length, 1);
  assert.equal(setting.told.length, 1);
  assert.equal((await setting.connector.connect(WISH, options)).state, "connected");
  assert.equal(setting.asked.length, 1, "no second hand-off");
  // The one after that begins anew.
  void setting.connector.connect(WISH, options).catch(() => {});
  await settle();
  assert.equal(setting.asked.length, 2);
});

Deno.test("two who ask at once share one hand-off and both get its outcome", async () => {
  const setting = new Setting();
  const options = { patience: 45_000 };
  const both = [
    setting.connector.connect(WISH, options),
    setting.connector.connect(WISH, options),
  ];
  await settle();
  assert.equal(setting.asked.length, 1);
  setting.delivered();
  const outcomes = await Promise.all(both);
  assert.deepEqual(outcomes.map(({ state }) => state), ["connected", "connected"]);
  assert.equal(setting.stored.length, 1);
});

Deno.test("a denial is told once, to whoever waits or to the next who asks", async () => {
  const setting = new Setting();
  const waiting = setting.connector.connect(WISH, { patience: 45_000 });
  await settle();
  setting.deliver({ ended: "denied" });
  await assert.rejects(waiting, code("cancelled"));
  const again = setting.connector.connect(WISH, { patience: 5_000 });
  await setting.clock.pass(5_000);
  assert.equal((await again).state, "pending");
  setting.deliver({ ended: "denied" });
  await settle();
  await assert.rejects(setting.connector.connect(WISH, { patience: 5_000 }), code("cancelled"));
  assert.equal(setting.asked.length, 2);
  assert.deepEqual(setting.checked, []);
});

Deno.test("an answer that never came is told to whoever waits, and is no news to the next", async () => {
  const setting = new Setting();
  const waiting = setting.connector.connect(WISH, { patience: 45_000 });
  await settle();
  setting.deliver({ ended: "timeout" });
  await assert.rejects(waiting, code("timeout"));
  const other = setting.connector.connect(WISH, { patience: 5_000 });
  await setting.clock.pass(5_000);
  assert.equal((await other).state, "pending");
  setting.deliver({ ended: "timeout" });
  await settle();
  const next = setting.connector.connect(WISH, { patience: 45_000 });
  await settle();
  assert.equal(setting.asked.length, 3);
  setting.delivered();
  assert.equal((await next).state, "connected");
});

Deno.test("what the server refuses is not stored", async () => {
  const setting = new Setting();
  setting.checkFails = new ToolError("grant_invalid", "revoked");
  const waiting = setting.connector.connect(WISH, { patience: 45_000 });
  await settle();
  setting.delivered();
  await assert.rejects(waiting, code("grant_invalid"));
  await assert.rejects(setting.connector.accept(CONNECTION, ORIGIN), code("grant_invalid"));
  assert.deepEqual([setting.stored, setting.remembered, setting.told], [[], [], []]);
});

Deno.test("a connection that cannot be stored is given back, and can be stored later", async () => {
  const setting = new Setting();
  setting.storeFails = keychainError("locked", "for a test");
  const connected = await setting.connector.accept(CONNECTION, ORIGIN);
  assert.equal(connected.stored, "memory");
  assert.equal(connected.trouble?.code, "keychain_locked");
  assert.equal(connected.connection, CONNECTION);
  setting.storeFails = undefined;
  const stored = await setting.connector.store(connected);
  assert.deepEqual([stored.stored, stored.trouble], ["keychain", undefined]);
  assert.equal((await setting.connector.store(connected, "file")).stored, "file");
});

Deno.test("whoever is cancelled stops waiting; the hand-off goes on", async () => {
  const setting = new Setting();
  const stop = new AbortController();
  const waiting = setting.connector.connect(WISH, { patience: 45_000, signal: stop.signal });
  await settle();
  stop.abort();
  await assert.rejects(waiting, code("cancelled"));
  setting.delivered();
  await settle();
  const next = await setting.connector.connect(WISH, { patience: 5_000 });
  assert.equal(next.state, "connected");
  assert.equal(setting.asked.length, 1);
});

Deno.test("a hand-off that cannot begin is told, and the next one is tried", async () => {
  let fail = true;
  const setting = new Setting();
  const { connector } = new Setting({
    handoff: {
      begin: () =>
        fail
          ? Promise.reject(new ToolError("connect_failed", "no port"))
          : Promise.resolve({ address: "a", deadline: 0 }),
      delivery: () => Promise.resolve({ ended: "delivered", connection: CONNECTION }),
      openBrowser: () => Promise.resolve({ opened: false, why: "nothing here opens a browser" }),
      stop: () => Promise.resolve(),
    },
    alarm: setting.clock.alarm,
  });
  await assert.rejects(connector.connect(WISH, { patience: 5_000 }), code("connect_failed"));
  fail = false;
  assert.equal((await connector.connect(WISH, { patience: 5_000 })).state, "connected");
});
