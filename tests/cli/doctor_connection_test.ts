// What doctor says of a connection: where it is, whether it can be read, and what can be done where not.

import assert from "node:assert/strict";
import { ToolError } from "../../containment/mod.ts";
import type { ConnectionState } from "../../cli/commands/doctor/connection_state.ts";
import type { Examination } from "../../cli/commands/doctor/examination.ts";
import { connection } from "../../cli/commands/doctor/sections/connection.ts";
import type { Finding } from "../../cli/commands/doctor/finding.ts";
import { createGrantCredential, formatConnectionString } from "@shieldfive/crypto/vault";
import { type Kept, keychainError, type Trouble } from "../../vault/credential/mod.ts";

const CREDENTIAL = createGrantCredential({
  grantId: "01890a5d-ac96-774b-bcce-b302099a8057",
  mlKemPublicKey: new Uint8Array(1568),
});
const TEXT = formatConnectionString(CREDENTIAL);
const KEPT: Kept = { text: TEXT, credential: CREDENTIAL, source: "keychain" };

function findingsOf(state: Partial<ConnectionState>): Finding[] {
  const whole = { found: { state: "none", warnings: [] }, askedKeychain: true, ...state };
  const found = connection.look({ connection: whole } as unknown as Examination) as Finding[];
  for (const part of TEXT.split(".").slice(1)) {
    assert.ok(!JSON.stringify(found).includes(part), "a secret is in a finding");
  }
  return found;
}

function told(state: Partial<ConnectionState>): string[] {
  return findingsOf(state).map(({ check, state, text }) => `${check} ${state}: ${text}`);
}

Deno.test("a connection is told by the start of its id and its place, its server with it", () => {
  assert.deepEqual(
    told({
      found: { state: "connected", kept: KEPT, warnings: [] },
      server: "https://vault.example",
    }),
    [
      "connection ok: connection 01890a5d, from the system keychain",
      "connection.server ok: its server is https://vault.example; it was not asked",
      "connection.keychain ok: the system keychain answers",
    ],
  );
  const kept: Kept = { ...KEPT, source: "file", path: "/c/connection" };
  const [first, ...rest] = findingsOf({
    found: { state: "connected", kept, warnings: [], trouble: "absent" },
    file: { path: "/c/connection", mode: 0o644 },
  });
  assert.deepEqual(first.data, {
    state: "connected",
    id: "01890a5d",
    source: "file",
    path: "/c/connection",
  });
  assert.deepEqual(rest.map(({ check, state }) => `${check} ${state}`), [
    "connection.keychain ok",
    "connection.file note",
  ]);
  assert.match(
    rest[1].text,
    /^\/c\/connection can be read or written by other users \(mode 644\)$/,
  );
});

Deno.test("none, and none wanted, are no problems; the keychain is not asked where the variable decides", () => {
  assert.deepEqual(told({}), [
    "connection ok: none is configured; `shieldfive login` makes one",
    "connection.keychain ok: the system keychain answers",
  ]);
  assert.deepEqual(told({ found: { state: "off", warnings: [] }, askedKeychain: false }), [
    "connection ok: turned off: SHIELDFIVE_GRANT is `none`",
    "connection.keychain ok: the system keychain was not asked, since SHIELDFIVE_GRANT is set",
  ]);
});

Deno.test("each trouble of the keychain has words of its own and a way out", () => {
  const texts = (["absent", "locked", "not_answering", "failed"] as Trouble[]).map((trouble) => {
    const found = trouble === "absent"
      ? { state: "none" as const, warnings: [], trouble }
      : keychainError(trouble, "as the system says");
    const finding = findingsOf({ found }).find(({ check }) => check === "connection.keychain")!;
    assert.equal(finding.state, trouble === "absent" ? "ok" : "note");
    assert.ok(trouble === "absent" || (finding.state === "note" && finding.fix));
    assert.equal(finding.data?.keychain, trouble);
    return finding.text;
  });
  assert.equal(new Set(texts).size, 4);
});

Deno.test("what cannot be read or used is a problem that says what to do", () => {
  const malformed = (source: string) =>
    new ToolError("invalid_connection_string", "it does not hold one; do this", {
      detail: { source },
    });
  for (const [source, fix] of [["env", /^set it to the whole/], ["file", /^`shieldfive login`/]]) {
    const [finding] = findingsOf({ found: malformed(source as string) });
    assert.equal(finding.text, "it does not hold one");
    assert.ok(finding.state === "problem");
    assert.match(finding.fix, fix as RegExp);
  }
  const link = new ToolError("not_a_file", "it is a link or no file");
  const [unread] = findingsOf({ found: link, file: { path: "/c/connection" } });
  assert.ok(unread.state === "problem");
  assert.equal(unread.fix, "look at /c/connection");
  const server = new ToolError("invalid_origin", "no");
  const [, address] = findingsOf({ server });
  assert.ok(address.state === "problem");
  assert.match(address.text, /^SHIELDFIVE_API_URL is no address/);
});
