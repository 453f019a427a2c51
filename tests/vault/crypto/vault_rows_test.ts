import assert from "node:assert/strict";
import {
  contentFitsRow,
  fileIdOfRow,
  isRowBound,
  nameFitsRow,
} from "@shieldfive/crypto/extra/row_binding.ts";
import { uuidV7 } from "@shieldfive/crypto/extra/uuid7.ts";
import type { NameEnvelope } from "@shieldfive/crypto/vault";
import { hex, unhex } from "./second/primitives.ts";
import { BOUND_ROW, OLD_ROW, refuses } from "./vault_support.ts";

Deno.test("a row of version 7 and variant 10 binds its name, in either case", () => {
  for (const variant of "89abAB") {
    assert.ok(isRowBound(`0199c0ff-ee00-7abc-${variant}def-0123456789ab`));
  }
  assert.ok(isRowBound(BOUND_ROW.toUpperCase()));
  for (
    const id of [
      OLD_ROW,
      "0199c0ff-ee00-7abc-0def-0123456789ab",
      "0199c0ff-ee00-7abc-cdef-0123456789ab",
      "0199c0ff-ee00-6abc-8def-0123456789ab",
      BOUND_ROW + "\n",
      ` ${BOUND_ROW}`,
      "",
    ]
  ) assert.ok(!isRowBound(id), id);
});

Deno.test("an unbound name is hidden on a row-bound row and shown on an old one", () => {
  const name = (v: 4 | 6) => ({ v } as NameEnvelope);
  assert.ok(!nameFitsRow(name(4), BOUND_ROW));
  assert.ok(!nameFitsRow(name(4), BOUND_ROW.toUpperCase()));
  assert.ok(nameFitsRow(name(6), BOUND_ROW));
  assert.ok(nameFitsRow(name(4), OLD_ROW));
  assert.ok(nameFitsRow(name(6), OLD_ROW));
});

Deno.test("content belongs to the row whose id its header carries", async () => {
  const fileId = unhex("0199c0ffee007abc8def0123456789ab");
  assert.equal(hex(fileIdOfRow(BOUND_ROW)), hex(fileId));
  assert.ok(contentFitsRow(fileId, BOUND_ROW));
  assert.ok(contentFitsRow(fileId, BOUND_ROW.toUpperCase()));
  assert.ok(contentFitsRow(unhex(OLD_ROW.replaceAll("-", "")), OLD_ROW));
  assert.ok(!contentFitsRow(fileId, OLD_ROW));
  assert.ok(!contentFitsRow(fileId.slice(1), BOUND_ROW));
  assert.ok(!contentFitsRow(new Uint8Array(0), ""));
  for (let bit = 0; bit < 128; bit++) {
    const other = fileId.slice();
    other[bit >> 3] ^= 1 << (bit & 7);
    assert.ok(!contentFitsRow(other, BOUND_ROW));
  }
  for (const id of ["", "row", BOUND_ROW.replaceAll("-", ""), `{${BOUND_ROW}}`]) {
    await refuses("invalid_input", () => fileIdOfRow(id));
    assert.ok(!contentFitsRow(fileId, id));
  }
});

Deno.test("a new id has the time of its making in front", async () => {
  assert.match(uuidV7(1_760_000_000_000), /^0199c82c-c000-7/);
  assert.match(uuidV7(0), /^00000000-0000-7/);
  assert.match(uuidV7(2 ** 48 - 1), /^ffffffff-ffff-7/);
  const before = Date.now();
  const time = parseInt(uuidV7().replace("-", "").slice(0, 12), 16);
  assert.ok(time >= before && time <= before + 1000);
  for (const now of [-1, 2 ** 48, 0.5, NaN, Infinity]) {
    await refuses("invalid_input", () => uuidV7(now));
  }
});

Deno.test("new ids bind their rows, sort by time, and are never the same", () => {
  const ids = Array.from({ length: 1000 }, (_, i) => uuidV7(1_760_000_000_000 + i));
  assert.deepEqual(ids.toSorted(), ids);
  for (const id of ids) assert.ok(isRowBound(id));
  assert.equal(new Set(Array.from({ length: 1_000_000 }, () => uuidV7(1))).size, 1_000_000);
});

Deno.test("all 74 free bits of a new id are random", () => {
  const bits = Array.from({ length: 1000 }, () => BigInt("0x" + uuidV7(1).replaceAll("-", "")));
  const varying = bits.reduce((found, id) => found | id ^ bits[0], 0n);
  assert.equal(varying.toString(2).replaceAll("0", "").length, 74);
});
