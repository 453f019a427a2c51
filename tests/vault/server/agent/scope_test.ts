// The scope function: where something lies for a connection, or that it is out of its reach.

import assert from "node:assert/strict";
import fc from "fast-check";
import { grantReach, type Place } from "../../../../vault/server/service/scope.ts";
import { BIN, type Connection, MEDIA, TestVault } from "./vault.ts";

function reachOf(vault: TestVault, { id }: Connection) {
  return grantReach(vault.rows, vault.rows.owner()!, vault.rows.grant(id)!);
}

function placesOf(vault: TestVault, as: Connection, ids: Record<string, string>) {
  const reach = reachOf(vault, as);
  return Object.fromEntries(
    Object.entries(ids).map(([name, id]) => [name, reach.placeOfFolder(id) ?? "none"]),
  );
}

function tree(vault: TestVault) {
  const granted = vault.addFolder(null);
  const nested = vault.addFolder(granted);
  const deep = vault.addFolder(nested);
  const beside = vault.addFolder(null);
  const besideBelow = vault.addFolder(beside);
  const inMedia = vault.addFolder(MEDIA);
  const binned = vault.addFolder(BIN);
  const binnedBelow = vault.addFolder(binned);
  return {
    granted,
    nested,
    deep,
    beside,
    besideBelow,
    media: MEDIA,
    inMedia,
    bin: BIN,
    binned,
    binnedBelow,
  };
}

Deno.test("the scope function's table: nested, outside, trash in the Bin, the Bin itself, Media, whole vault", () => {
  using vault = new TestVault();
  const ids = tree(vault);
  const some = vault.addGrant(["read", "organize"], [ids.granted]);
  const whole = vault.addGrant(["read", "organize"], "all");
  const withMedia = vault.addGrant(["read", "organize"], "all", { includeMedia: true });
  const mediaAlone = vault.addGrant(["read"], [MEDIA]);
  const within = {
    ownTrash: some.trash!,
    trashed: vault.addFolder(some.trash),
    foreign: whole.trash!,
  };
  const none = Object.fromEntries(Object.keys(ids).map((name) => [name, "none"]));
  const inner = { granted: "scope", nested: "scope", deep: "scope" };
  assert.deepEqual(placesOf(vault, some, { ...ids, ...within }), {
    ...none,
    ...inner,
    ownTrash: "trash",
    trashed: "trash",
    foreign: "none",
  });
  const all = { ...none, ...inner, beside: "scope", besideBelow: "scope" };
  assert.deepEqual(placesOf(vault, whole, { ...ids, ...within }), {
    ...all,
    ownTrash: "none",
    trashed: "none",
    foreign: "trash",
  });
  assert.deepEqual(placesOf(vault, withMedia, ids), { ...all, media: "scope", inMedia: "scope" });
  assert.deepEqual(placesOf(vault, mediaAlone, ids), { ...none, media: "scope", inMedia: "scope" });
});

Deno.test("a file lies where its folder does; at the root it is the whole vault's alone", () => {
  using vault = new TestVault();
  const folder = vault.addFolder(null);
  const some = reachOf(vault, vault.addGrant(["read", "organize"], [folder]));
  const whole = reachOf(vault, vault.addGrant(["read"], "all"));
  const places = (folderId: string | null) =>
    [some, whole].map((reach) => reach.placeOfFile({ folderId }));
  assert.deepEqual(places(folder), ["scope", "scope"]);
  assert.deepEqual(places(null), [undefined, "scope"]);
  assert.deepEqual(places(BIN), [undefined, undefined]);
  assert.deepEqual(places(vault.id()), [undefined, undefined], "a folder that is not there");
});

Deno.test("a granted folder that its owner puts into the Bin stays in scope until it is revoked", () => {
  using vault = new TestVault();
  const folder = vault.addFolder(BIN);
  const below = vault.addFolder(folder);
  const reach = reachOf(vault, vault.addGrant(["read"], [folder]));
  assert.deepEqual([reach.placeOfFolder(folder), reach.placeOfFolder(below)], ["scope", "scope"]);
});

Deno.test("a cycle ends in none, whichever of its folders or of those below is asked for first", () => {
  using vault = new TestVault();
  const [a, b] = [vault.addFolder(null), vault.addFolder(null)];
  vault.rows.changeFolder(a, { parentId: b });
  vault.rows.changeFolder(b, { parentId: a });
  const below = vault.addFolder(a);
  const self = vault.addFolder(null);
  vault.rows.changeFolder(self, { parentId: self });
  for (const order of [[a, b, below, self], [below, self, b, a]]) {
    const reach = reachOf(vault, vault.addGrant(["read"], "all"));
    for (const id of order) assert.equal(reach.placeOfFolder(id), undefined);
  }
});

Deno.test("256 levels count and no more, in whichever order they are asked for", () => {
  using vault = new TestVault();
  const chain = [vault.addFolder(null)];
  while (chain.length < 300) chain.push(vault.addFolder(chain.at(-1)!));
  const as = vault.addGrant(["read"], [chain[0]]);
  const expected = chain.map((_, index) => index < 256 ? "scope" : undefined);
  const orders = [chain, chain.toReversed(), [chain[299], chain[255], chain[256], ...chain]];
  for (const order of orders) {
    const reach = reachOf(vault, as);
    for (const id of order) reach.placeOfFolder(id);
    assert.deepEqual(chain.map((id) => reach.placeOfFolder(id)), expected);
  }
});

/** The rule as the spec words it, without any memory. */
function naive(
  parents: Map<string, string | null>,
  grant: { trash: string; roots: string[]; all: boolean },
  start: string,
): Place | undefined {
  let id: string | null | undefined = start;
  for (let depth = 0; depth < 256; depth++) {
    if (id === undefined || id === null) return undefined;
    if (id === grant.trash) return "trash";
    if (id === BIN) return undefined;
    if (grant.roots.includes(id)) return "scope";
    if (id === MEDIA) return undefined;
    const parent: string | null | undefined = parents.get(id);
    if (parent === null) return grant.all ? "scope" : undefined;
    id = parent;
  }
  return undefined;
}

Deno.test("with its memory, the scope function says what the plain walk says, on trees and on cycles", () => {
  using vault = new TestVault();
  const pool = Array.from({ length: 12 }, () => vault.addFolder(null));
  const at = fc.integer({ min: -3, max: pool.length - 1 });
  fc.assert(
    fc.property(
      fc.array(at, { minLength: 12, maxLength: 12 }),
      fc.uniqueArray(fc.nat(11), { maxLength: 3 }),
      fc.boolean(),
      fc.shuffledSubarray(pool.map((_, index) => index), { minLength: 12 }),
      (parentOf, roots, all, order) => {
        const parents = new Map<string, string | null>([[BIN, null], [MEDIA, null]]);
        for (const [index, parent] of parentOf.entries()) {
          const place = parent >= 0 ? pool[parent] : [null, BIN, MEDIA][-1 - parent];
          parents.set(pool[index], place);
          vault.rows.changeFolder(pool[index], { parentId: place });
        }
        const as = vault.addGrant(
          ["read", "organize"],
          all ? "all" : roots.map((root) => pool[root]),
        );
        parents.set(as.trash!, BIN);
        const grant = { trash: as.trash!, roots: all ? [] : roots.map((root) => pool[root]), all };
        const reach = reachOf(vault, as);
        for (const index of order) {
          assert.equal(
            reach.placeOfFolder(pool[index]),
            naive(parents, grant, pool[index]),
          );
        }
      },
    ),
    { seed: 20260115, numRuns: 120 },
  );
});
