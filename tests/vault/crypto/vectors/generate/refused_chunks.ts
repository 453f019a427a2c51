// Chunks that a reader must refuse: framed as none may be, out of their places, cut off, and sealed in
// ways that are not the format's.

import {
  assemble,
  chunkAad,
  type ChunkCipher,
  chunkCipher,
  type FileInput,
  type FileParts,
  fileParts,
  frame,
  headerMac,
  signatureBlock,
  transcript,
} from "../../second/container.ts";
import { bigEndian, ed25519, hkdf, join, xchachaSeal } from "../../second/primitives.ts";
import { draw, drawRowId } from "./draw.ts";
import { flipped, type Refusal } from "./refusal.ts";

/** Chunks that are sealed as a writer would and framed as none may. */
function framing(parts: FileParts, cipher: ChunkCipher, plaintext: Uint8Array): Refusal[] {
  const [first, second, third, last] = parts.chunks;
  const seal = (index: number, from: number, to: number) =>
    cipher.seal(index, 4, plaintext.subarray(from, to));
  const withChunks = (...chunks: Uint8Array[]) => assemble({ ...parts, chunks });
  return [
    {
      what: "a last chunk of no bytes",
      code: "chunk_length_out_of_range",
      file: withChunks(first, second, third, seal(3, 96, 96)),
    },
    {
      what: "a first chunk that is a byte too long",
      code: "chunk_length_out_of_range",
      file: withChunks(seal(0, 0, 33), second, third, last),
    },
    {
      what: "a last chunk that is longer than a chunk",
      code: "chunk_length_out_of_range",
      file: withChunks(first, second, third, seal(3, 0, 33)),
    },
    {
      what: "a second chunk that is a byte too short",
      code: "non_final_chunk_wrong_size",
      file: withChunks(first, seal(1, 32, 63), third, last),
    },
    {
      what: "a last chunk with a byte less than the header says",
      code: "plaintext_size_mismatch",
      file: withChunks(first, second, third, seal(3, 96, 100)),
    },
    {
      what: "a last chunk with a byte more than the header says",
      code: "plaintext_size_mismatch",
      file: withChunks(first, second, third, seal(3, 95, 101)),
    },
  ];
}

/** Honest chunks in other places, and chunks of other files. */
function places(parts: FileParts, input: FileInput): Refusal[] {
  const [first, second, third, last] = parts.chunks;
  const withChunks = (...chunks: Uint8Array[]) => assemble({ ...parts, chunks });
  const sibling = fileParts({ ...input, fileId: drawRowId("sibling") }).chunks;
  const empty = join(
    parts.underMac.subarray(0, 27),
    new Uint8Array(16),
    parts.underMac.subarray(43),
  );
  const longer = chunkCipher(input.suite, input.key, input.fileId);
  const unfinished = longer.seal(3, 5, input.plaintext.subarray(96));
  return [
    { what: "two chunks changed about", file: withChunks(second, first, third, last) },
    { what: "a chunk twice", file: withChunks(first, first, third, last) },
    {
      what: "a chunk of another file of the same key",
      file: withChunks(first, sibling[1], third, last),
    },
    {
      what: "a last chunk that was not the last",
      file: withChunks(first, second, third, unfinished),
    },
    {
      what: "the header of an empty file",
      file: assemble({ underMac: empty, mac: headerMac(empty, input.key), chunks: parts.chunks }),
    },
    {
      what: "a bit of a ciphertext flipped",
      file: withChunks(first, flipped(second, 0), third, last),
    },
    { what: "a bit of a tag flipped", file: withChunks(first, second, third, flipped(last, 20)) },
  ];
}

/** Files that end too early or too late. */
function ends(parts: FileParts, file: Uint8Array): Refusal[] {
  const body = parts.underMac.length + 32;
  const cut = (length: number, code: string, streamCode = code) => ({
    what: `cut after ${length} bytes`,
    file: file.slice(0, length),
    code,
    ...(streamCode !== code ? { streamCode } : {}),
  });
  return [
    cut(0, "header_too_short"),
    cut(76, "header_too_short"),
    cut(body - 1, "header_truncated", "header_too_short"),
    cut(body, "chunk_length_truncated"),
    cut(body + 3, "chunk_length_truncated"),
    cut(body + 4, "chunk_truncated"),
    cut(body + 51, "chunk_truncated"),
    cut(body + 52, "chunk_length_truncated"),
    cut(file.length - 1, "chunk_truncated"),
    {
      what: "a byte behind the end",
      file: join(file, Uint8Array.of(1)),
      code: "signature_block_block_truncated",
    },
    {
      what: "a zero behind the end",
      file: join(file, Uint8Array.of(0)),
      code: "signature_block_algorithm_reserved",
    },
    {
      what: "the last chunk twice",
      file: join(file, frame(parts.chunks[3])),
      code: "signature_block_algorithm_reserved",
    },
  ];
}

/** Signature blocks that are malformed, or are not the end. */
function blocks(parts: FileParts, file: Uint8Array): Refusal[] {
  const { publicKey, sign } = ed25519(draw("signer", 32));
  const signature = sign(transcript(parts));
  const block = signatureBlock(1, publicKey, signature);
  const wrong = "signature_block_ed25519";
  const cases: [string, Uint8Array, string][] = [
    ["a byte behind its signature", Uint8Array.of(1), "trailing_bytes_after_signature_block"],
    ["two signatures", block, "trailing_bytes_after_signature_block"],
  ];
  const behind = cases.map(([what, rest, code]) => ({
    what,
    code,
    file: join(file, block, rest),
  }));
  const malformed: [string, Uint8Array, string][] = [
    ["half a signature", block.slice(0, 70), "signature_block_block_truncated"],
    [
      "a signer's key of 31 bytes",
      signatureBlock(1, publicKey.slice(1), signature),
      `${wrong}_public_key_wrong_length`,
    ],
    [
      "a signature of 63 bytes",
      signatureBlock(1, publicKey, signature.slice(1)),
      `${wrong}_signature_wrong_length`,
    ],
    [
      "a signature by no algorithm",
      signatureBlock(0, publicKey, signature),
      "signature_block_algorithm_reserved",
    ],
  ];
  return [
    ...behind,
    ...malformed.map(([what, rest, code]) => ({ what, code, file: join(file, rest) })),
  ];
}

/** "Repairs" of the format that would break every file there is. */
function repairs(parts: FileParts, input: FileInput): Refusal[] {
  const { key, fileId, plaintext } = input;
  const pieces = [0, 32, 64, 96].map((from) => plaintext.subarray(from, from + 32));
  if (input.suite !== 3) return [];
  const sealed = (ikm: Uint8Array, aad: Uint8Array) => {
    const chunkKey = hkdf(ikm, fileId, "shieldfive/v1/pq-hybrid/chunk-key", 32);
    const prefix = hkdf(fileId, undefined, "shieldfive/v1/pq-hybrid/nonce-prefix", 16);
    const chunks = pieces.map((piece, i) =>
      xchachaSeal(chunkKey, join(prefix, bigEndian(i, 8)), piece, join(chunkAad(i, 4), aad))
    );
    return assemble({ ...parts, chunks });
  };
  const nothing = new Uint8Array();
  return [
    { what: "labels of its own for the chunk keys", file: sealed(key, nothing) },
    {
      what: "the suite's number in the chunk keys",
      file: sealed(join(Uint8Array.of(3), key), nothing),
    },
    { what: "the file id in what the tags cover", file: sealed(key, fileId) },
  ];
}

/** All that is wrong behind a file's header. */
export function refusedChunks(parts: FileParts, input: FileInput, file: Uint8Array): Refusal[] {
  const cipher = chunkCipher(input.suite, input.key, input.fileId);
  return [
    ...framing(parts, cipher, input.plaintext),
    ...places(parts, input),
    ...ends(parts, file),
    ...(input.suite === 1 || input.suite === 3 ? blocks(parts, file) : []),
    ...repairs(parts, input),
  ];
}
