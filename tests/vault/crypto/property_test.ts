// What may be done to a file by who does not have its key. Every bit and every length of a small file is
// tried, apart from samples of the signature's bits and of what ML-KEM makes long or slow, all of which
// the long campaign tries (`deno task fuzz`).
//
// Outside of protection is the signature's block alone: it can be taken off, and its bits can be changed,
// with the only effect that nobody is named as the sender any more.

import assert from "node:assert/strict";
import fc from "fast-check";
import { parseHeader } from "@shieldfive/crypto";
import { contentFitsRow, fileIdOfRow } from "@shieldfive/crypto/extra/row_binding.ts";
import { encryptStreamPqHybridV1 } from "@shieldfive/crypto/streams/pq-hybrid-v1";
import {
  cutEverywhere,
  flip,
  flipBits,
  flipBitsOfTheSignature,
  legacyTarget,
  rearrange,
  targetOf,
} from "./properties/tampering.ts";
import { pieced, RECIPIENT, sample } from "./properties/files.ts";
import { encrypt, SUITES } from "./second/container.ts";
import { refused } from "./vectors/checks/expect.ts";
import { collect } from "./vectors/checks/readers.ts";

const SEED = 20260101;

for (const suite of SUITES) {
  const target = targetOf(suite);
  const name = `0x0${suite}`;

  Deno.test(`${name}: a file with any bit flipped is refused`, async () => {
    const { length } = target.unsigned;
    const tried = await flipBits(target, { payload: 29 });
    assert.equal(tried, suite === 3 ? 8 * (length - 1664) + 459 : 8 * length);
  });

  Deno.test(`${name}: a signature with any bit flipped names nobody`, async () => {
    assert.equal(await flipBitsOfTheSignature(target, 5), Math.ceil(8 * 101 / 5));
  });

  Deno.test(`${name}: a file cut anywhere is refused, but for the cut that takes its signature`, async () => {
    assert.equal(await cutEverywhere(target), target.signed.length);
  });

  Deno.test(`${name}: chunks left out, doubled, moved or of another file are refused`, async () => {
    assert.equal(await rearrange(target), 63 + 3 + 3);
  });
}

Deno.test("0x03 by ML-KEM: a sample of the flipped bits, and every cut of the chunks, are refused", async () => {
  const target = targetOf(3, { byKem: true });
  assert.ok(await flipBits(target, { all: 41 }) > 300);
  await rearrange(target);
});

for (const suite of SUITES) {
  Deno.test(`0x0${suite}: a file of another row gives no byte of itself`, async () => {
    const { keys, unsigned, readers } = targetOf(suite);
    const { read } = readers.find(({ what }) => what.startsWith("by the row's stream"))!;
    const elsewhere = { ...keys, fileId: keys.fileId.toReversed() };
    await refused(() => read(unsigned, elsewhere), "file_id_mismatch", "another row");
  });
}

Deno.test("content without a header: any bit flipped, and any cut of a recorded size, are refused", async () => {
  const { file, borders, open } = legacyTarget();
  for (let bit = 0; bit < 8 * file.length; bit++) {
    await refused(() => open(flip(file, bit), true), undefined, `bit ${bit}`);
  }
  for (let length = 0; length < file.length; length++) {
    const cut = file.slice(0, length);
    await refused(() => open(cut, true), undefined, `cut after ${length} bytes`);
    // The format itself does not notice that whole chunks are gone.
    if (borders.includes(length)) await open(cut, false);
    else await refused(() => open(cut, false), undefined, `cut after ${length} bytes`);
  }
});

Deno.test("content of another row is told by its header", () => {
  const rows = fc.tuple(fc.uuid(), fc.uuid());
  fc.assert(
    fc.property(rows, fc.boolean(), ([row, other], capitals) => {
      const fileId = fileIdOfRow(row);
      const file = encrypt({
        suite: 2,
        key: new Uint8Array(32),
        fileId,
        chunkSize: 9,
        plaintext: fileId,
      });
      const found = parseHeader(file).fileId;
      assert.ok(contentFitsRow(found, capitals ? row.toUpperCase() : row));
      assert.equal(contentFitsRow(found, other), row === other);
    }),
    { seed: SEED, numRuns: 200 },
  );
});

Deno.test("a source with a byte too few or too many makes no file", async () => {
  await fc.assert(
    fc.asyncProperty(sample, fc.constantFrom(-1, 1), async (file, off) => {
      const { publicKey: recipientPublicKey, envelopeKey } = RECIPIENT;
      const plaintextSize = Math.max(0, file.plaintext.length + off);
      if (plaintextSize === file.plaintext.length) return;
      const { ciphertext } = await encryptStreamPqHybridV1(pieced(file.plaintext, file.pieces), {
        recipientPublicKey,
        envelopeKey,
        chunkSize: file.chunkSize,
        plaintextSize,
      });
      await refused(() => collect(ciphertext), "plaintext_size_mismatch", `${plaintextSize}`);
    }),
    { seed: SEED, numRuns: 40 },
  );
});
