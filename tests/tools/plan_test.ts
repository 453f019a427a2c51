// Tokens, and the comparison of what was approved with what would happen.

import assert from "node:assert/strict";
import fc from "fast-check";
import { ToolError } from "../../containment/mod.ts";
import {
  canonical,
  changesBetween,
  MAX_PLANS,
  PLAN_LIFETIME,
  PlanStore,
  requireSamePlan,
} from "../../tools/plan.ts";
import type { Bound } from "../../tools/tool.ts";
import { refusal } from "../support.ts";

const INPUT = { path: "/r/a", new_name: "b" };
const BINDING = { action: "rename", from: "/r/a", entry: { ino: 1, size: 5 } };

/** A store whose clock the test moves. */
function storeAt() {
  const clock = { now: 0 };
  return { clock, store: new PlanStore(() => clock.now) };
}

/** Redeems and gives the code of the refusal, or undefined. */
function redeem(
  store: PlanStore,
  token: unknown,
  { tool = "rename_local", input = INPUT as unknown, binding = BINDING as Record<string, Bound> } =
    {},
): string | undefined {
  try {
    store.redeem(token, tool, input, { binding, output: { performed: false } });
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ToolError);
    assert.match(error.message, /nothing was changed/);
    return error.code;
  }
}

const issue = (store: PlanStore) => store.issue("rename_local", INPUT, BINDING);

Deno.test("a token is random, of the right shape, and good once", () => {
  const { store } = storeAt();
  const [first, second] = [issue(store), issue(store)];
  assert.match(first, /^plan_[0-9a-f]{32}$/);
  assert.notEqual(first, second);
  assert.equal(redeem(store, first), undefined);
  assert.equal(redeem(store, first), "unknown_plan_token");
  assert.equal(redeem(store, second), undefined);
});

Deno.test("no token, an invented one and one of another process are told apart from each other", () => {
  const { store } = storeAt();
  for (const none of [undefined, null, ""]) {
    assert.equal(redeem(store, none), "plan_token_required");
  }
  assert.equal(redeem(store, `plan_${"a".repeat(32)}`), "unknown_plan_token");
  assert.equal(redeem(storeAt().store, issue(store)), "unknown_plan_token");
});

Deno.test("a token lives for ten minutes, and not one tick longer", () => {
  const { clock, store } = storeAt();
  const [early, late] = [issue(store), issue(store)];
  clock.now = PLAN_LIFETIME - 1;
  assert.equal(redeem(store, early), undefined);
  clock.now = PLAN_LIFETIME;
  assert.equal(redeem(store, late), "plan_expired");
});

Deno.test("a token that a later preview swept away is still explained", () => {
  const { clock, store } = storeAt();
  const token = issue(store);
  clock.now = PLAN_LIFETIME;
  issue(store);
  assert.equal(redeem(store, token), "plan_expired");
});

Deno.test("the oldest plan goes when there are too many, and its loss is explained", () => {
  const { store } = storeAt();
  const oldest = issue(store);
  const second = issue(store);
  for (let i = 2; i <= MAX_PLANS; i++) issue(store);
  const refused = refusal(() =>
    store.redeem(oldest, "rename_local", INPUT, { binding: BINDING, output: {} })
  );
  assert.equal(refused.code, "unknown_plan_token");
  assert.match(refused.message, /more than 64 newer plans/);
  assert.equal(redeem(store, second), undefined);
});

Deno.test("a token shown to another tool or with other arguments is refused and kept", () => {
  const { store } = storeAt();
  const token = issue(store);
  assert.equal(redeem(store, token, { tool: "move_local" }), "plan_changed");
  assert.equal(redeem(store, token, { input: { ...INPUT, new_name: "c" } }), "plan_changed");
  const confirmed = { ...INPUT, confirm: true, plan_token: token };
  assert.equal(redeem(store, token, { input: confirmed }), undefined);
});

Deno.test("a change under the same call spends the token", () => {
  const { store } = storeAt();
  const token = issue(store);
  const grown = { ...BINDING, entry: { ino: 1, size: 6 } };
  assert.equal(redeem(store, token, { binding: grown }), "plan_changed");
  assert.equal(redeem(store, token), "unknown_plan_token");
});

Deno.test("quotes, spaces and a full stop around a token are no part of it", () => {
  for (const wrap of ['"T"', "`T`.", " T\n", "'T',", "T."]) {
    const { store } = storeAt();
    assert.equal(redeem(store, wrap.replace("T", issue(store))), undefined, wrap);
  }
  const { store } = storeAt();
  assert.equal(redeem(store, issue(store).slice(0, -1)), "unknown_plan_token");
});

Deno.test("the order and repetition of paths make no other call; the set of them does", () => {
  const { store } = storeAt();
  const paths = ["/r/a", "/r/b"];
  const token = store.issue("trash_local", { paths }, BINDING);
  const show = (given: string[]) =>
    redeem(store, token, { tool: "trash_local", input: { paths: given } });
  assert.equal(show(["/r/a"]), "plan_changed");
  assert.equal(show(["/r/a", "/r/b", "/r/c"]), "plan_changed");
  assert.equal(show(["/r/b", "/r/a", "/r/b"]), undefined);
});

Deno.test("setting the wall clock changes no lifetime", () => {
  const store = new PlanStore();
  const token = issue(store);
  const realNow = Date.now;
  try {
    Date.now = () => realNow() + 3_600_000;
    assert.equal(redeem(store, token), undefined);
  } finally {
    Date.now = realNow;
  }
});

Deno.test("a refusal names every top-level field, and each item with its values", () => {
  const before = {
    action: "trash",
    items: { "/r/a": { files: 1, entry: { size: 5 } }, "/r/b": {} },
  };
  const after = {
    action: "trash",
    more: true,
    items: { "/r/a": { files: 2, entry: { size: 5 } } },
  };
  const refused = refusal(() => requireSamePlan(before, after, { performed: false }));
  assert.match(refused.message, /items, more differ/);
  assert.deepEqual(refused.detail, {
    fields: ["items", "more"],
    changes: [
      { path: "/r/a", field: "items.files", before: 1, after: 2 },
      { path: "/r/b", field: "items", before: {}, after: undefined },
      { field: "more", before: undefined, after: true },
    ],
    changes_omitted: 0,
    plan: { performed: false },
  });
});

Deno.test("of very many differences twenty are listed and the rest are counted", () => {
  const items = (size: number) =>
    Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`/r/${i}`, { size }]));
  const refused = refusal(() => requireSamePlan({ items: items(1) }, { items: items(2) }, {}));
  assert.equal((refused.detail?.changes as unknown[]).length, 20);
  assert.equal(refused.detail?.changes_omitted, 30);
});

const bound: fc.Arbitrary<Bound> =
  fc.letrec<{ value: Bound; record: { [key: string]: Bound } }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.array(tie("value"), { maxLength: 3 }),
      tie("record"),
    ),
    record: fc.dictionary(fc.string({ maxLength: 4 }), tie("value"), { maxKeys: 4 }),
  })).value;

const binding = fc.dictionary(
  fc.constantFrom("action", "items", "path", "source", "entry", "x"),
  bound,
  { maxKeys: 5 },
);

Deno.test("two bindings have no differences exactly when their canonical forms are equal", () => {
  fc.assert(
    fc.property(binding, binding, (one, other) => {
      assert.deepEqual(changesBetween(one, structuredClone(one)), []);
      const same = canonical(one) === canonical(other);
      assert.equal(changesBetween(one, other).length === 0, same, canonical([one, other]));
    }),
    { numRuns: 1000, seed: 5 },
  );
});

Deno.test("differences are the same in both directions, with the values exchanged", () => {
  fc.assert(
    fc.property(binding, binding, (one, other) => {
      const there = changesBetween(one, other).map((
        { field, before, after },
      ) => [field, before, after]);
      const back = changesBetween(other, one).map((
        { field, before, after },
      ) => [field, after, before]);
      assert.deepEqual(back, there);
    }),
    { numRuns: 500, seed: 6 },
  );
});

Deno.test("absent, undefined and null are the same, and nothing else is the same as they are", () => {
  const [absent, undefinedOne, nullOne] = [{}, { x: undefined }, { x: null }];
  assert.deepEqual(changesBetween(absent, undefinedOne), []);
  assert.deepEqual(changesBetween(undefinedOne, nullOne), []);
  for (const value of [0, "", false, [], {}]) {
    for (const field of ["x", "items"]) {
      assert.equal(changesBetween({}, { [field]: value }).length, 1, field);
      assert.equal(changesBetween({ [field]: value }, {}).length, 1, field);
    }
  }
});
