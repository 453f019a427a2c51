// The published files that a reader must refuse, and their honest controls, by every reader that there is.
// The keys are those of the published generator, which the file does not repeat.

import assert from "node:assert/strict";
import { parseHeader } from "@shieldfive/crypto";
import { decapsulateFromHeader, deriveMlKemKeypair } from "@shieldfive/crypto/pq-hybrid-v1";
import { published } from "./published.ts";
import { refused, same, unhex } from "./vectors/checks/expect.ts";
import { type Keys, readersOf, type Suite } from "./vectors/checks/readers.ts";

interface Adversarial {
  plaintext_hex: string;
  groups: Record<string, { id: string; result: "valid" | "invalid"; file_hex: string }[]>;
}

const SUITES: Record<string, Suite> = {
  "aes-gcm-v1": 1,
  "xchacha-v1": 2,
  "pq-hybrid-v1": 3,
  "aes-gcm-v2": 4,
};

/** K of suite 0x03 comes out of the control's own header. */
async function keysFor(suite: Suite, control: Uint8Array): Promise<Keys> {
  const { suitePayload, fileId } = parseHeader(control);
  if (suite !== 3) return { key: new Uint8Array(32).fill(0x11), fileId };
  const { secretKey } = await deriveMlKemKeypair(new Uint8Array(32));
  const recipient = { recipientSecretKey: secretKey, envelopeKey: new Uint8Array(32).fill(0x22) };
  const { combinedKey } = await decapsulateFromHeader({ suitePayload, fileId, ...recipient });
  return { key: combinedKey, fileId, recipient };
}

const vectors = published<Adversarial>("adversarial-vectors.json");

for (const [group, files] of Object.entries(vectors?.groups ?? {})) {
  const suite = SUITES[group];
  Deno.test(`${files.length} published adversarial files of ${group}`, async () => {
    const control = files.find(({ result }) => result === "valid")!;
    const keys = await keysFor(suite, unhex(control.file_hex));
    const counts = { valid: 0, invalid: 0 };
    for (const { id, result, file_hex } of files) {
      counts[result]++;
      for (const { what, read } of readersOf(suite)) {
        if (result === "invalid") {
          await refused(() => read(unhex(file_hex), keys), undefined, `${id}, ${what}`);
        } else {
          const { plaintext } = await read(unhex(file_hex), keys);
          same(plaintext, unhex(vectors!.plaintext_hex), `${id}, ${what}`);
        }
      }
    }
    assert.deepEqual(counts, { valid: 1, invalid: 14 });
  });
}
