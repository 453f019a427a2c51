// What runs inside the page: every check of the vectors, and a large file through the streams.

import { deriveMlKemKeypair } from "@shieldfive/crypto/pq-hybrid-v1";
import {
  decryptStreamPqHybridV1,
  encryptStreamPqHybridV1,
} from "@shieldfive/crypto/streams/pq-hybrid-v1";
import { pattern } from "../vectors/format.ts";
import { CHECKS } from "../vectors/checks/mod.ts";
import { same } from "../vectors/checks/expect.ts";

const AFFORDABLE = CHECKS.filter(({ costly }) => !costly);

/** How many checks there were, and what was wrong. */
async function runChecks(): Promise<{ ran: number; failures: string[] }> {
  const failures: string[] = [];
  for (const { name, run } of AFFORDABLE) {
    try {
      await run();
    } catch (error) {
      const { message, cause } = error as Error;
      failures.push(`${name}: ${message}${cause ? ` (${(cause as Error).stack})` : ""}`);
    }
  }
  return { ran: AFFORDABLE.length, failures };
}

/** Pieces of an uneven size, so that no chunk begins with one. */
const PIECE = 100_003;

function numbered(size: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at === size) return controller.close();
      const piece = pattern(Math.min(PIECE, size - at), at);
      controller.enqueue(piece);
      at += piece.length;
    },
  });
}

/** Sends so many bytes through both directions, and says how many milliseconds that took. */
async function roundTrip(size: number): Promise<number> {
  const { publicKey, secretKey } = await deriveMlKemKeypair(new Uint8Array(32));
  const envelopeKey = crypto.getRandomValues(new Uint8Array(32));
  const start = performance.now();
  const { ciphertext } = await encryptStreamPqHybridV1(numbered(size), {
    recipientPublicKey: publicKey,
    envelopeKey,
    plaintextSize: size,
  });
  const keys = { recipientSecretKey: secretKey, envelopeKey };
  const { plaintext, metadata } = decryptStreamPqHybridV1(ciphertext, keys);
  let at = 0;
  for await (const piece of plaintext) {
    same(piece, pattern(piece.length, at), `the bytes from ${at}`);
    at += piece.length;
  }
  same(at, size, "the size");
  same((await metadata).signature, null, "the signature");
  return performance.now() - start;
}

/** By these names the test calls them. */
export interface Runner {
  runChecks: typeof runChecks;
  roundTrip: typeof roundTrip;
}

Object.assign(globalThis, { runner: { runChecks, roundTrip } satisfies Runner });
