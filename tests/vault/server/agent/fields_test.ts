// The validators: nothing but their own refusal comes out of them, whatever goes in.

import assert from "node:assert/strict";
import fc from "fast-check";
import {
  moveFileInput,
  moveFolderInput,
  newFolderInput,
  renameInput,
  trashItem,
} from "../../../../vault/server/service/changes/inputs.ts";
import {
  type Field,
  flag,
  integer,
  iv,
  keyText,
  list,
  nameEnvelope,
  nullable,
  object,
  oneOf,
  optional,
  text,
  time,
  uuid,
  wrapped,
} from "../../../../vault/server/service/fields.ts";
import { Refusal } from "../../../../vault/server/service/refusal.ts";
import { finalizeInput } from "../../../../vault/server/service/uploads/finalize.ts";
import { newFileInput } from "../../../../vault/server/service/uploads/reserve.ts";
import { base64urlAlternative } from "./texts.ts";
import { announced, pqWraps, sealedFile, sealedFolder, sealedName } from "./vault.ts";

const ID = "0190b000-0000-7000-8000-000000000001";

/** The refusal of a value, or undefined where it passes. */
function refusalOf(field: Field<unknown>, value: unknown): Refusal | undefined {
  try {
    field(value, "field");
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

const base64 = (bytes: number) => new Uint8Array(bytes).toBase64();

Deno.test("each field takes its one shape and refuses what is beside it", () => {
  const name = sealedName();
  const envelope = JSON.parse(name);
  const key = new Uint8Array(32).fill(9).toBase64({ alphabet: "base64url", omitPadding: true });
  const cases: [string, Field<unknown>, unknown[], unknown[]][] = [
    ["uuid", uuid, [ID], [
      ID.toUpperCase(),
      `{${ID}}`,
      ID.slice(1),
      ` ${ID}`,
      `${ID}\n`,
      "",
      1,
      null,
      [ID],
    ]],
    ["wrapped", wrapped, [base64(48)], [
      base64(47),
      base64(49),
      `${base64(48)}=`,
      ` ${base64(48)}`,
      "",
    ]],
    ["iv", iv, [base64(12)], [base64(11), base64(13), base64(48), "A".repeat(15) + "\n"]],
    ["keyText", keyText, [key], [`${key}=`, key.slice(1), base64urlAlternative(key), base64(32)]],
    ["integer", integer(1, 5), [1, 5], [0, 6, 1.5, "1", NaN, Infinity, 2 ** 53, null]],
    ["flag", flag, [true, false], [0, "true", null]],
    ["text", text(1, 3), ["a", "abc"], ["", "abcd", 1]],
    ["oneOf", oneOf("a", "b"), ["a"], ["c", 0, null]],
    ["optional", optional(flag), [undefined, true], [null]],
    ["nullable", nullable(flag), [null, true], [undefined]],
    ["list", list(flag, 1, 2), [[true], [true, false]], [[], [true, true, true], [1], {}, "ab"]],
    ["time", time, ["2026-01-31T12:00:00.000Z"], [
      "2026-01-31T12:00:00Z",
      "2026-02-31T12:00:00.000Z",
      "2026-01-31T12:00:00.000+00:00",
      "1969-12-31T23:59:59.999Z",
      "2026-01-31T24:00:00.000Z",
      "2026-13-01T00:00:00.000Z",
      1_700_000_000_000,
    ]],
    ["nameEnvelope", nameEnvelope, [name], [
      "report.pdf",
      "",
      JSON.stringify({ ...envelope, v: 4 }),
      JSON.stringify({ ...envelope, v: "6" }),
      JSON.stringify({ ...envelope, ct: "" }),
      JSON.stringify({ ...envelope, iv: base64(13) }),
      JSON.stringify({ ...envelope, tag: base64(15) }),
      JSON.stringify({ ...envelope, salt: undefined }),
      JSON.stringify({ ...envelope, kdf: "free" }),
      JSON.stringify({ ...envelope, ct: base64(9000) }),
      JSON.stringify([envelope]),
      envelope,
    ]],
  ];
  for (const [what, field, good, bad] of cases) {
    for (const value of good) assert.equal(refusalOf(field, value), undefined, `${what}: ${value}`);
    for (const value of bad) {
      const refusal = refusalOf(field, value);
      assert.deepEqual([refusal?.status, refusal?.code], [400, "bad_request"], `${what}: ${value}`);
      assert.match(refusal!.message, /^field/, "the field is named");
    }
  }
});

const sealed = { file: { ...sealedFile(), ...pqWraps() }, folder: sealedFolder() };
const shapes: [string, Field<unknown>, Record<string, unknown>][] = [
  ["rename", renameInput, { name: sealedName() }],
  ["move of a file", moveFileInput(uuid), { folderId: ID, ...sealed.file }],
  ["move of a folder", moveFolderInput(uuid), { parentId: ID, ...sealed.folder }],
  ["new folder", newFolderInput(uuid), { id: ID, parentId: ID, ...sealed.folder }],
  ["trashed file", trashItem, { kind: "file", id: ID, ...sealed.file }],
  ["trashed folder", trashItem, { kind: "folder", id: ID, ...sealed.folder }],
  ["new file", newFileInput(uuid, 5000), announced(ID, ID, 5000)],
  ["finalize", finalizeInput, { proof: "A", ciphertextHash: "0".repeat(40) }],
];

Deno.test("half of a post-quantum wrap is none", () => {
  for (const name of ["pqkFkWrapped", "pqkFkIv"]) {
    for (
      const [what, field, good] of shapes.filter(([what]) =>
        /move of a file|trashed file/.test(what)
      )
    ) {
      const { [name]: _, ...half } = good;
      assert.match(refusalOf(field, half)?.message ?? "", /pqkFk/, what);
    }
  }
});

Deno.test("a body with one field more, or with one field of another kind, is refused and the field named", () => {
  for (const [what, field, good] of shapes) {
    assert.equal(refusalOf(field, good), undefined, what);
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), fc.jsonValue(), (name, value) => {
        fc.pre(!Object.hasOwn(good, name) && name !== "ifUpdatedAt" && name !== "contentType");
        const extra = `{${JSON.stringify(name)}:${JSON.stringify(value)},`;
        // As text, since a name may be __proto__.
        const body = JSON.parse(extra + JSON.stringify(good).slice(1));
        assert.ok(refusalOf(field, body)?.message.includes(JSON.stringify(name)), what);
      }),
      { seed: 20260119, numRuns: 60 },
    );
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(good)), fc.jsonValue(), (name, value) => {
        fc.pre(typeof value !== typeof good[name] || typeof value === "string");
        fc.pre(name !== "proof" && !(name === "kind" && value === "folder"));
        assert.ok(refusalOf(field, { ...good, [name]: value }), what);
      }),
      { seed: 20260120, numRuns: 80 },
    );
  }
});

Deno.test("whatever JSON comes, a validator passes or refuses, and never fails otherwise", () => {
  const values = fc.oneof(
    fc.jsonValue({ maxDepth: 4 }),
    fc.constantFrom(...shapes.map(([, , good]) => good)).chain((good) =>
      fc.record(Object.fromEntries(
        Object.entries(good).map(([name, value]) => [
          name,
          fc.oneof(fc.constant(value), fc.jsonValue(), fc.string()),
        ]),
      ))
    ),
  );
  fc.assert(
    fc.property(values, (value) => {
      for (const [, field] of shapes) {
        const refusal = refusalOf(field, value);
        assert.ok(refusal === undefined || refusal.status === 400);
      }
    }),
    { seed: 20260121, numRuns: 300 },
  );
});

Deno.test("what a validator gives has its own fields alone, and none of a prototype", () => {
  const field = object({ a: optional(flag) });
  const given = field(JSON.parse("{}"), "") as Record<string, unknown>;
  assert.deepEqual(Object.keys(given), ["a"]);
  assert.ok(refusalOf(field, JSON.parse('{"__proto__":{"a":true}}')));
  const inherited = object({ toString: (value: unknown) => value })({}, "");
  assert.equal(inherited.toString, undefined, "an inherited field is not given");
});
