// What vault_connect answers: who is connected stays so, who takes long in the browser is waited for by the next
// call, and whatever went on meanwhile is told once.

import assert from "node:assert/strict";
import { z } from "zod";
import { Connecting, type ConnectScope, type Place } from "../../cli/mcp/connecting.ts";
import { ToolError } from "../../containment/mod.ts";
import { connect as tool } from "../../tools/vault/connect.ts";
import type { GrantInfo } from "../../vault/client/types.ts";
import type { Connected, ConnectOptions, Outcome, Wish } from "../../vault/connect/mod.ts";

const GRANT: GrantInfo = {
  id: "01920000-0000-7000-8000-000000000000",
  scopes: ["read"],
  wholeVault: false,
  folderIds: ["01920000-0000-7000-8000-000000000001"],
  trashFolderId: null,
  expiresAt: "2030-01-01T00:00:00.000Z",
};
const CONNECTED: Connected = {
  connection: "a secret",
  origin: "https://vault.test",
  grant: GRANT,
  stored: "keychain",
  warnings: [],
};
const WAITING = { address: "https://vault.test/files?settings=agents", deadline: 0 };
const PENDING: Outcome = { state: "pending", waiting: WAITING };
const MADE: Outcome = { state: "connected", connected: CONNECTED };

interface Setting {
  stored?: Place;
  /** What the server says of the connection in use. */
  current?: () => Promise<GrantInfo>;
  variable?: "unset" | "set" | "off";
  /** What comes of the calls of the browser, one after the other. */
  outcomes?: (Outcome | Error)[];
}

function connecting(
  { stored, current = () => Promise.resolve(GRANT), variable = "unset", outcomes = [] }: Setting,
) {
  const wishes: Wish[] = [];
  const options: ConnectOptions[] = [];
  const made = new Connecting({
    connector: {
      connect(wish, given) {
        wishes.push(wish);
        options.push(given);
        given.onProgress?.(5000);
        const outcome = outcomes.shift() ?? new Error("not expected");
        return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
      },
    },
    vault: { current },
    store: { variable },
    origin: "https://vault.test",
    inUse: () => stored,
    adopted: () => Promise.resolve(),
  });
  return { made, wishes, options };
}

function scope(over: Partial<ConnectScope> = {}): ConnectScope {
  return { signal: new AbortController().signal, onProgress: () => {}, ...over };
}

/** The result, which is what the tool promises. */
async function result(made: Connecting, args = {}, over: Partial<ConnectScope> = {}) {
  const output = await made.connect(args, scope(over));
  assert.deepEqual(output, tool.output(z).parse(output), "a field that the schema does not name");
  assert.ok(!JSON.stringify(output).includes("a secret"));
  return { ...output, summary: tool.summary(output) };
}

Deno.test("a connection that works is left as it is, unless another is asked for", async () => {
  const { made, wishes } = connecting({ stored: "env", outcomes: [MADE] });
  const { summary, ...output } = await result(made);
  assert.deepEqual(output, {
    connected: true,
    grant: {
      id: "01920000",
      scopes: ["read"],
      whole_vault: false,
      folders: 1,
      expires: GRANT.expiresAt,
    },
    stored: "env",
  });
  assert.match(
    summary,
    /^Connected to the vault\. It reaches 1 folder, may read, and expires 2030/,
  );
  assert.deepEqual(wishes, []);
  assert.equal((await result(made, { reconnect: true }) as { stored?: Place }).stored, "keychain");
  assert.equal(wishes.length, 1);
});

Deno.test("one that was revoked is made anew, and one that cannot be asked about is not", async () => {
  const refused = (code: string) => () => Promise.reject(new ToolError(code, "told"));
  const revoked = connecting({
    stored: "file",
    current: refused("grant_invalid"),
    outcomes: [MADE],
  });
  assert.equal((await result(revoked.made) as { stored?: Place }).stored, "keychain");
  const away = connecting({ stored: "file", current: refused("network_error") });
  await assert.rejects(result(away.made), (error: ToolError) => error.code === "network_error");
  assert.deepEqual(away.wishes, []);
});

Deno.test("the page is asked for in the client's name, and the wait is told of", async () => {
  const told: unknown[] = [];
  const { made, wishes, options } = connecting({ outcomes: [MADE] });
  await result(made, {}, {
    clientName: "Cursor\u0007  IDE",
    onProgress: (progress) => told.push(progress),
  });
  assert.deepEqual(wishes, [
    { origin: "https://vault.test", client: "cursor", label: "Cursor IDE", browser: true },
  ]);
  assert.equal(options[0].patience, 45_000);
  assert.deepEqual(told, [{ done: 5, total: 45, label: "waiting for the browser" }]);
});

Deno.test("whoever takes long in the browser is waited for by the next call, though a connection works", async () => {
  const outcomes: (Outcome | Error)[] = [PENDING, PENDING, MADE];
  const { made, wishes } = connecting({ stored: "env", outcomes });
  for (const args of [{ reconnect: true }, {}]) {
    const { summary, ...output } = await result(made, args);
    assert.deepEqual(output, { connected: false, pending: true, url: WAITING.address });
    assert.match(summary, /has not answered yet.*call vault_connect again.*https:\/\/vault\.test/);
  }
  assert.equal((await result(made) as { stored?: Place }).stored, "keychain");
  assert.equal(wishes.length, 3);
  assert.equal((await result(made) as { stored?: Place }).stored, "env");
  assert.equal(wishes.length, 3, "what was told once is over");
});

Deno.test("a call that is cancelled leaves its answer to the next, and one that was denied does not", async () => {
  const cancelled = new ToolError("cancelled", "told");
  const { made, wishes } = connecting({ stored: "env", outcomes: [cancelled, MADE, cancelled] });
  const signal = AbortSignal.abort();
  await assert.rejects(result(made, { reconnect: true }, { signal }));
  assert.equal((await result(made) as { stored?: Place }).stored, "keychain");
  await assert.rejects(result(made, { reconnect: true }));
  assert.equal((await result(made) as { stored?: Place }).stored, "env");
  assert.equal(wishes.length, 3);
});

Deno.test("a connection that nothing keeps, and one that the variable will win over, come with a warning", async () => {
  const trouble = new ToolError("keychain_locked", "the keychain is locked");
  const { made } = connecting({
    variable: "set",
    outcomes: [{
      state: "connected",
      connected: { ...CONNECTED, stored: "memory", trouble, warnings: ["first"] },
    }],
  });
  const { warnings, stored, summary } = await result(made) as unknown as {
    warnings: string[];
    stored: Place;
    summary: string;
  };
  assert.equal(stored, "memory");
  assert.deepEqual(warnings[0], "first");
  assert.match(
    warnings[1],
    /not stored \(the keychain is locked\) and lasts until this server ends/,
  );
  assert.match(warnings[2], /SHIELDFIVE_GRANT is set and will be used in its place/);
  for (const warning of warnings) assert.ok(summary.includes(warning));
});

Deno.test("where no browser was opened the user is told to open the page", async () => {
  const waiting = { ...WAITING, opening: { opened: false as const, why: "xdg-open is missing" } };
  const { made } = connecting({ outcomes: [{ state: "pending", waiting }] });
  const { summary } = await result(made);
  assert.match(summary, /no browser was opened \(xdg-open is missing\)/);
});
