// The parts of `login` that no real keychain can be made to show at the right moment, and how it is asked.

import assert from "node:assert/strict";
import { readPasted } from "../../cli/commands/login/paste.ts";
import { readRequest } from "../../cli/commands/login/request.ts";
import { storeAgain } from "../../cli/commands/login/store_again.ts";
import { ToolError } from "../../containment/mod.ts";
import type { Terminal } from "../../cli/terminal/prompt.ts";
import { UsageError } from "../../cli/usage.ts";
import type { Connected, Connector } from "../../vault/connect/mod.ts";
import { keychainError } from "../../vault/credential/mod.ts";
import { testEnvironment } from "./environment.ts";

const MADE: Connected = {
  connection: "sf-grant-v1:secret",
  origin: "https://vault.example",
  grant: {
    id: "01890a5d-ac96-774b-bcce-b302099a8057",
    scopes: ["read"],
    wholeVault: true,
    folderIds: [],
    trashFolderId: null,
    expiresAt: "2030-01-01T00:00:00.000Z",
  },
  stored: "memory",
  trouble: keychainError("locked", "for a test"),
  warnings: [],
};

/** A terminal at which somebody answers so. */
function answering(answers: (string | undefined)[]): Terminal & { asked: string[] } {
  const asked: string[] = [];
  const ask = (question: string) => {
    asked.push(question);
    return Promise.resolve(answers.shift());
  };
  return {
    isTerminal: true,
    write: () => {},
    ask,
    askHidden: ask,
    confirm: () => Promise.resolve(false),
    asked,
  };
}

/** A connector whose store takes it in the end. */
function storing(outcomes: Connected["stored"][]) {
  const places: (string | undefined)[] = [];
  const store = (connected: Connected, where?: string) => {
    places.push(where);
    return Promise.resolve({ ...connected, stored: outcomes.shift()! });
  };
  return { connector: { store } as unknown as Connector, places };
}

const SIGNAL = new AbortController().signal;

Deno.test("a connection that could not be stored is tried again until it is, or kept in the file", async () => {
  const environment = testEnvironment();
  const terminal = answering(["", ""]);
  const { connector, places } = storing(["memory", "keychain"]);
  const options = { environment, terminal, signal: SIGNAL, file: "/c/connection" };
  const stored = await storeAgain(MADE, { ...options, connector });
  assert.equal(stored.stored, "keychain");
  assert.deepEqual(places, [undefined, undefined]);
  assert.match(
    terminal.asked[0],
    /^Press Enter to try again, `file` to keep it in "\/c\/connection"/,
  );
  assert.match(
    environment.stderr.text,
    /the connection is made, but not stored: the system keychain is locked/,
  );
  assert.ok(!environment.stderr.text.includes("secret"));

  const inFile = storing(["file"]);
  const kept = await storeAgain(MADE, {
    ...options,
    terminal: answering(["file"]),
    connector: inFile.connector,
  });
  assert.deepEqual([kept.stored, inFile.places], ["file", ["file"]]);
});

Deno.test("where nobody can be asked, or nobody goes on, what to revoke is said", async () => {
  const environment = testEnvironment();
  const stopped = new AbortController();
  const interrupted: Terminal = {
    ...answering([]),
    ask: () => {
      stopped.abort();
      return Promise.reject(new Error("interrupted"));
    },
  };
  const terminals = [undefined, answering(["stop"]), answering([undefined]), interrupted];
  for (const terminal of terminals) {
    const { connector, places } = storing([]);
    const options = { environment, terminal, connector, signal: stopped.signal };
    await assert.rejects(storeAgain(MADE, options), (error) => {
      assert.ok(error instanceof ToolError);
      assert.equal(error.code, "not_stored");
      assert.match(
        error.message,
        /^the connection 01890a5d was made and is not stored anywhere; revoke/,
      );
      return !error.message.includes("secret");
    });
    assert.deepEqual(places, []);
  }
  assert.equal(
    await storeAgain({ ...MADE, stored: "keychain" }, {
      environment,
      connector: storing([]).connector,
      signal: SIGNAL,
    }).then(({ stored }) => stored),
    "keychain",
  );
});

Deno.test("what is asked is read strictly, and what stands in the wrong place is not repeated", () => {
  assert.deepEqual(readRequest([]), {
    how: "browser",
    server: undefined,
    where: "keychain",
    label: undefined,
    browser: true,
    json: false,
    showPermissions: false,
  });
  const { how, where, server } = readRequest(["--paste", "--store", "file", "--server", "x"]);
  assert.deepEqual([how, where, server], ["paste", "file", "x"]);
  assert.equal(readRequest(["--label", " a\tb "]).label, "a b");
  assert.equal(readRequest(["--no-browser"]).browser, false);
  const secret = "sf-grant-v1:01890a5d";
  const refused = [
    [secret],
    ["--paste", secret],
    ["--paste", "--label", "x y"],
    ["--paste", "--no-browser"],
    ["--label", "é"],
    ["--store", "memory"],
    ["--stroe", "file"],
  ];
  for (const words of refused) {
    assert.throws(() => readRequest(words), (error) => {
      assert.ok(error instanceof UsageError, words.join(" "));
      return !error.message.includes(secret);
    });
  }
});

Deno.test("what is pasted is never repeated, whatever it is", async () => {
  for (const stdin of ["", "\n", "sf-grant-v1:nonsense", "x".repeat(70_000), "\u0000\uffff"]) {
    const read = readPasted(testEnvironment({ stdin }), undefined, SIGNAL);
    await assert.rejects(read, (error) => {
      assert.ok(error instanceof ToolError);
      assert.equal(error.code, "invalid_connection_string");
      return stdin.trim() === "" || !error.message.includes(stdin.trim());
    });
  }
});
