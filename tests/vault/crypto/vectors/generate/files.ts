// Files that open: every suite at the borders of its chunks, signed ones, and content without a header.

import {
  assemble,
  encrypt,
  encryptSigned,
  type FileInput,
  fileParts,
  signatureBlock,
  type Suite,
  SUITES,
  transcript,
} from "../../second/container.ts";
import { encapsulate, mlKemSeed } from "../../second/hybrid.ts";
import {
  base64,
  ed25519,
  hex,
  join,
  mlKemOf,
  mlKemSecretKey,
  sha256,
} from "../../second/primitives.ts";
import { encryptV0 } from "../../second/vault.ts";
import {
  type FileVector,
  type FileVectors,
  type LegacyVector,
  type LongFileVector,
  pattern,
} from "../format.ts";
import { draw, drawRowId } from "./draw.ts";
import { keepingItsTag } from "./forgery.ts";

const CHUNK = 32;
const SIZES = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK + 5];
/** Fewer of suite 0x03, whose header has 1741 bytes. */
const HYBRID_SIZES = [0, 1, CHUNK, 3 * CHUNK + 5];

const MASTER = draw("recipient", 32);
const ENVELOPE_KEY = draw("envelope key", 32);
const HYBRID_FILE_ID = drawRowId("hybrid");

/** The one encapsulation that all files of suite 0x03 share here, so that they differ in little. */
async function encapsulation() {
  const { publicKey } = await mlKemOf(mlKemSeed(MASTER));
  const made = encapsulate({
    publicKey,
    envelopeKey: ENVELOPE_KEY,
    fileId: HYBRID_FILE_ID,
    coins: draw("coins", 32),
    classicalShare: draw("classical share", 32),
    nonce: draw("secretbox nonce", 24),
  });
  return { publicKey, ...made };
}

export type Encapsulated = Awaited<ReturnType<typeof encapsulation>>;

export function suiteName(suite: number): string {
  return `0x0${suite}`;
}

/** What a file of so many bytes is made from. */
export function inputFor(
  suite: Suite,
  size: number,
  hybrid: Encapsulated,
  chunkSize = CHUNK,
): FileInput {
  const name = `${suiteName(suite)} ${size} of ${chunkSize}`;
  return {
    suite,
    chunkSize,
    plaintext: draw(`plaintext ${name}`, size),
    ...(suite === 3
      ? { key: hybrid.key, fileId: HYBRID_FILE_ID, payload: hybrid.payload }
      : { key: draw(`key ${name}`, 32), fileId: drawRowId(name) }),
  };
}

function vectorOf(name: string, input: FileInput, file: Uint8Array): FileVector {
  return {
    name,
    suite: input.suite,
    key: hex(input.key),
    fileId: hex(input.fileId),
    chunkSize: input.chunkSize,
    plaintext: hex(input.plaintext),
    ...(input.payload && input.suite !== 3 ? { payload: hex(input.payload) } : {}),
    file: base64(file),
  };
}

function plainFiles(hybrid: Encapsulated): FileVector[] {
  return SUITES.flatMap((suite) => [
    ...(suite === 3 ? HYBRID_SIZES : SIZES).map((size) => {
      const input = inputFor(suite, size, hybrid);
      return vectorOf(`${suiteName(suite)}, ${size} bytes`, input, encrypt(input));
    }),
    ...[1, 4 * 2 ** 20].map((chunkSize) => {
      const input = inputFor(suite, 3, hybrid, chunkSize);
      const name = `${suiteName(suite)}, 3 bytes in chunks of ${chunkSize}`;
      return vectorOf(name, input, encrypt(input));
    }),
  ]);
}

/** A payload that is not read may hold anything where the key is kept elsewhere. */
function filesWithPayload(hybrid: Encapsulated): FileVector[] {
  return SUITES.filter((suite) => suite !== 3).map((suite) => {
    const payload = draw(`payload ${suite}`, suite === 2 ? 96 : 72);
    const input = { ...inputFor(suite, 40, hybrid), payload };
    return vectorOf(`${suiteName(suite)}, a payload that is not zero`, input, encrypt(input));
  });
}

function signedFiles(hybrid: Encapsulated): FileVector[] {
  const seed = draw("signer", 32);
  const signer = hex(seed);
  const expected = hex(ed25519(seed).publicKey);
  const other = hex(ed25519(draw("another signer", 32)).publicKey);
  return SUITES.flatMap((suite) =>
    [0, 40].map((size) => {
      const input = inputFor(suite, size, hybrid);
      const file = encryptSigned(input, seed);
      return {
        ...vectorOf(`${suiteName(suite)}, ${size} bytes, signed`, input, file),
        signer,
        signature: {
          algorithm: 1,
          verified: [
            { expected, result: true },
            { expected: other, result: false },
            { expected: null, result: null },
          ],
        },
      };
    })
  );
}

/** Blocks that are well-formed and say nothing that a reader can confirm. */
function doubtfulSignatures(hybrid: Encapsulated): FileVector[] {
  const { publicKey, sign } = ed25519(draw("signer", 32));
  const input = inputFor(1, 40, hybrid);
  const parts = fileParts(input);
  const tags = parts.chunks.map((chunk) => chunk.subarray(-16));
  const overTags = join(parts.underMac, ...tags);
  const blocks: [string, number, Uint8Array, boolean][] = [
    ["signed over the tags alone", 1, signatureBlock(1, publicKey, sign(overTags)), false],
    ["signed over another file", 1, signatureBlock(1, publicKey, sign(draw("other", 32))), false],
    ["an algorithm that is not known", 5, signatureBlock(5, draw("key", 40), draw("s", 9)), false],
    ["the algorithm that is reserved", 2, signatureBlock(2, draw("k", 33), draw("t", 65)), false],
  ];
  return blocks.map(([what, algorithm, block, result]) => ({
    ...vectorOf(`0x01, ${what}`, input, join(assemble(parts), block)),
    signature: {
      algorithm,
      verified: [{ expected: hex(publicKey), result }, { expected: null, result: null }],
    },
  }));
}

/** Another plaintext under the tags and the signature of a file: who has the key can make it. */
function forgedFile(hybrid: Encapsulated): FileVector {
  const { publicKey, sign } = ed25519(draw("signer", 32));
  const input = inputFor(4, 40, hybrid);
  const parts = fileParts(input);
  const block = signatureBlock(1, publicKey, sign(transcript(parts)));
  const { forged, plaintext } = keepingItsTag(input, parts.chunks[0], draw("difference", 16));
  const file = join(assemble({ ...parts, chunks: [forged, parts.chunks[1]] }), block);
  const rest = input.plaintext.subarray(input.chunkSize);
  return {
    ...vectorOf(
      "0x04, a first chunk forged under its tag",
      { ...input, plaintext: join(plaintext, rest) },
      file,
    ),
    signature: {
      algorithm: 1,
      verified: [{ expected: hex(publicKey), result: false }, { expected: null, result: null }],
    },
  };
}

/** Around the sizes from which libraries take other ways, and of several chunks. */
function longFiles(): LongFileVector[] {
  const sizes = [[4095, 4095], [4096, 4096], [4097, 8192], [300_000, 65_536]];
  return ([1, 2, 4] as const).flatMap((suite) =>
    sizes.map(([size, chunkSize]) => {
      const name = `${suiteName(suite)}, ${size} bytes in chunks of ${chunkSize}`;
      const input = {
        suite,
        chunkSize,
        key: draw(`key ${name}`, 32),
        fileId: drawRowId(name),
        plaintext: pattern(size),
      };
      return {
        name,
        suite,
        key: hex(input.key),
        fileId: hex(input.fileId),
        chunkSize,
        size,
        fileSha256: hex(sha256(encrypt(input))),
      };
    })
  );
}

function legacyFiles(): LegacyVector[] {
  const contentKey = draw("legacy key", 32);
  const noncePrefix = draw("legacy prefix", 4);
  return [0, 1, 63, 64, 65, 128, 202].map((size) => {
    const plaintext = draw(`legacy ${size}`, size);
    return {
      name: `content without a header, ${size} bytes`,
      contentKey: hex(contentKey),
      noncePrefix: hex(noncePrefix),
      chunkSize: 64,
      plaintext: hex(plaintext),
      file: base64(encryptV0(contentKey, noncePrefix, 64, plaintext)),
    };
  });
}

/** All of them, and what the next lists are made from. */
export async function makeFiles(): Promise<{ vectors: FileVectors; hybrid: Encapsulated }> {
  const hybrid = await encapsulation();
  const vectors = {
    hybrid: {
      masterSecret: hex(MASTER),
      envelopeKey: hex(ENVELOPE_KEY),
      publicKeySha256: hex(sha256(hybrid.publicKey)),
      secretKeySha256: hex(sha256(mlKemSecretKey(mlKemSeed(MASTER)))),
      payload: base64(hybrid.payload),
      key: hex(hybrid.key),
      fileId: hex(HYBRID_FILE_ID),
    },
    files: [
      ...plainFiles(hybrid),
      ...filesWithPayload(hybrid),
      ...signedFiles(hybrid),
      ...doubtfulSignatures(hybrid),
      forgedFile(hybrid),
    ],
    longFiles: longFiles(),
    legacy: legacyFiles(),
  };
  return { vectors, hybrid };
}
