// A program for `memory_test.ts`: sends a file of so many bytes through both of suite 0x03's streams, and
// prints what passed and how much memory that took, as JSON.
//
// usage: memory_child.ts BYTES

import {
  createPqHybridV1EncryptStream,
  decryptStreamPqHybridV1,
} from "@shieldfive/crypto/streams/pq-hybrid-v1";
import { passingHash, tap } from "@shieldfive/crypto/extra/tap.ts";
import { FIXED, numberedBlocks } from "./properties/large_file.ts";

/** The most memory that this process had, in bytes. */
function peak(): number {
  const [, kibibytes] = Deno.readTextFileSync("/proc/self/status").match(/^VmHWM:\s+(\d+) kB$/m)!;
  return Number(kibibytes) * 1024;
}

const size = Number(Deno.args[0]);
const [plain, cipher, opened] = [1, 2, 3].map(() => passingHash("sha256"));
const { combinedKey } = FIXED;
const { stream } = createPqHybridV1EncryptStream({ ...FIXED, plaintextSize: size });
const ciphertext = tap(numberedBlocks(size), plain).pipeThrough(stream);
const { plaintext, metadata } = decryptStreamPqHybridV1(tap(ciphertext, cipher), { combinedKey });
for await (const piece of plaintext) opened.absorb(piece);
const { signature } = await metadata;

const digests = [plain, cipher, opened].map((hash) => hash.digest().toHex());
console.log(JSON.stringify({ digests, size: cipher.size, signature, peak: peak() }));
