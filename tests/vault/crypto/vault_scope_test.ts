import assert from "node:assert/strict";
import {
  canonicalGrantScope,
  type GrantScope,
  unwrapGrantSecret,
  wrapGrantSecret,
} from "@shieldfive/crypto/vault";
import {
  canonicalLegacyGrantScope,
  type LegacyGrantScope,
  unwrapLegacyGrantSecret,
} from "@shieldfive/crypto/extra/legacy_scope.ts";
import * as second from "./second/vault.ts";
import { GRANT, refuses, testKey } from "./vault_support.ts";

const ID = (digit: string) => `${digit.repeat(8)}-2222-4333-8444-555555555555`;
const PRINT = (digit: string) => digit.repeat(64);
const SCOPE: GrantScope = {
  grantId: GRANT,
  scopeAll: true,
  includeMedia: false,
  rootIds: [ID("b"), ID("1"), ID("b")],
  trashFolderId: ID("7"),
  excludedIds: [ID("3"), ID("2")],
  excludedKeyFingerprints: [PRINT("e"), PRINT("0")],
};
const ROOT_KEY = testKey(70);
const SECRET = testKey(71);
const IV = testKey(72).slice(0, 12);

/** The owner's copy as another implementation seals it, bound to any text. */
function copyFor(text: string) {
  return second.wrap(second.grantSecretKey(ROOT_KEY, GRANT), IV, SECRET, text);
}

Deno.test("a scope has one text, whatever the order and repetition in its lists", () => {
  const text = [
    "sf-grant-scope-v1",
    GRANT,
    "all=1",
    "media=0",
    `roots=${ID("1")},${ID("b")}`,
    `trash=${ID("7")}`,
    `excluded=${ID("2")},${ID("3")}`,
    `excludedKeys=${PRINT("0")},${PRINT("e")}`,
  ].join("|");
  assert.equal(canonicalGrantScope(SCOPE), text);
  const lists = {
    rootIds: [ID("1"), ID("b")],
    excludedIds: [ID("2"), ID("3"), ID("2")],
    excludedKeyFingerprints: SCOPE.excludedKeyFingerprints.toReversed(),
  };
  assert.equal(canonicalGrantScope({ ...SCOPE, ...lists }), text);
});

Deno.test("an empty scope is written out", () => {
  const empty = { rootIds: [], excludedIds: [], excludedKeyFingerprints: [], trashFolderId: null };
  const scope = { ...SCOPE, ...empty, scopeAll: false, includeMedia: true };
  assert.equal(
    canonicalGrantScope(scope),
    `sf-grant-scope-v1|${GRANT}|all=0|media=1|roots=|trash=-|excluded=|excludedKeys=`,
  );
});

Deno.test("writing a scope leaves its lists as they were", () => {
  const before = structuredClone(SCOPE);
  canonicalGrantScope(SCOPE);
  assert.deepEqual(SCOPE, before);
});

Deno.test("a malformed scope has no text", async () => {
  for (
    const change of [
      { grantId: GRANT.toUpperCase() },
      { scopeAll: 1 },
      { includeMedia: undefined },
      { rootIds: [ID("1"), `${ID("2")}|trash=-`] },
      { rootIds: ID("1") },
      { rootIds: undefined },
      { trashFolderId: undefined },
      { trashFolderId: "-" },
      { trashFolderId: "" },
      { excludedIds: [ID("A")] },
      { excludedKeyFingerprints: [PRINT("E")] },
      { excludedKeyFingerprints: [PRINT("e").slice(1)] },
      { excludedKeyFingerprints: undefined },
    ]
  ) {
    const scope = { ...SCOPE, ...change } as GrantScope;
    await refuses("invalid_input", () => canonicalGrantScope(scope));
    const wrapped = copyFor("anything");
    await refuses(
      "invalid_input",
      () => wrapGrantSecret({ rootKey: ROOT_KEY, scope, secret: SECRET }),
    );
    await refuses("invalid_input", () => unwrapGrantSecret({ rootKey: ROOT_KEY, scope, wrapped }));
  }
});

Deno.test("the owner's copy passes between this and another implementation", async () => {
  const text = second.scopeText({
    ...SCOPE,
    rootIds: [...SCOPE.rootIds],
    excludedIds: [...SCOPE.excludedIds],
    excludedKeyFingerprints: [...SCOPE.excludedKeyFingerprints],
  });
  const theirs = { rootKey: ROOT_KEY, scope: SCOPE, wrapped: copyFor(text) };
  assert.deepEqual(await unwrapGrantSecret(theirs), SECRET);
  const ours = await wrapGrantSecret({ rootKey: ROOT_KEY, scope: SCOPE, secret: SECRET });
  assert.deepEqual(second.unwrap(second.grantSecretKey(ROOT_KEY, GRANT), ours, text), SECRET);
});

Deno.test("the owner's copy does not open once any part of the scope is another", async () => {
  const wrapped = await wrapGrantSecret({ rootKey: ROOT_KEY, scope: SCOPE, secret: SECRET });
  const open = (change: object) =>
    unwrapGrantSecret({ rootKey: ROOT_KEY, scope: { ...SCOPE, ...change }, wrapped });
  for (
    const change of [
      { grantId: ID("1") },
      { scopeAll: false },
      { includeMedia: true },
      { rootIds: [ID("b")] },
      { rootIds: [...SCOPE.rootIds, ID("4")] },
      { trashFolderId: null },
      { trashFolderId: ID("8") },
      { excludedIds: [ID("3")] },
      { excludedIds: [] },
      { excludedKeyFingerprints: [PRINT("e")] },
      { excludedKeyFingerprints: [] },
      // The same ids in other lists.
      { rootIds: SCOPE.excludedIds, excludedIds: SCOPE.rootIds },
    ]
  ) await refuses("unwrap_failed", () => open(change));
  const rootIds = SCOPE.rootIds.toReversed();
  assert.deepEqual(await open({ rootIds }), SECRET);
  await refuses(
    "unwrap_failed",
    () => unwrapGrantSecret({ rootKey: SECRET, scope: SCOPE, wrapped }),
  );
  await refuses("invalid_input", () => unwrapGrantSecret({ rootKey: IV, scope: SCOPE, wrapped }));
  await refuses(
    "invalid_input",
    () => wrapGrantSecret({ rootKey: ROOT_KEY, scope: SCOPE, secret: IV }),
  );
});

const { excludedKeyFingerprints: _, ...OLD_SCOPE } = SCOPE;
const OLD_TEXT = canonicalGrantScope({ ...SCOPE, excludedKeyFingerprints: [] })
  .replace("|excludedKeys=", "");

Deno.test("a copy bound to the old short text opens by the path for old copies alone", async () => {
  const wrapped = copyFor(OLD_TEXT);
  assert.equal(canonicalLegacyGrantScope(OLD_SCOPE), OLD_TEXT);
  const rootKey = ROOT_KEY;
  assert.deepEqual(await unwrapLegacyGrantSecret({ rootKey, scope: OLD_SCOPE, wrapped }), SECRET);
  for (const excludedKeyFingerprints of [[], SCOPE.excludedKeyFingerprints]) {
    const scope = { ...SCOPE, excludedKeyFingerprints };
    await refuses("unwrap_failed", () => unwrapGrantSecret({ rootKey, scope, wrapped }));
  }
  const scope = { ...OLD_SCOPE, scopeAll: false };
  await refuses("unwrap_failed", () => unwrapLegacyGrantSecret({ rootKey, scope, wrapped }));
});

Deno.test("the path for old copies opens no current copy and takes no fingerprints", async () => {
  const rootKey = ROOT_KEY;
  const scope = { ...SCOPE, excludedKeyFingerprints: [] };
  const wrapped = await wrapGrantSecret({ rootKey, scope, secret: SECRET });
  await refuses(
    "unwrap_failed",
    () => unwrapLegacyGrantSecret({ rootKey, scope: OLD_SCOPE, wrapped }),
  );
  const unbound = SCOPE as unknown as LegacyGrantScope;
  await refuses("invalid_input", () => canonicalLegacyGrantScope(unbound));
});
