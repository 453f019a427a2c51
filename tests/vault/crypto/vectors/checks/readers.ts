// Every way to open a file of the vectors: whole, by each key that opens it, and as a stream in pieces.

import { openFileStream } from "@shieldfive/crypto/extra/file_stream.ts";
import * as aesGcmV1 from "@shieldfive/crypto/aes-gcm-v1";
import * as aesGcmV2 from "@shieldfive/crypto/aes-gcm-v2";
import * as pqHybridV1 from "@shieldfive/crypto/pq-hybrid-v1";
import { decryptStreamAesGcmV1 } from "@shieldfive/crypto/streams/aes-gcm-v1";
import { decryptStreamPqHybridV1 } from "@shieldfive/crypto/streams/pq-hybrid-v1";
import * as xchachaV1 from "@shieldfive/crypto/xchacha-v1";

export type Suite = 1 | 2 | 3 | 4;

/** The modules of the suites that have a content key. */
export const WITH_CONTENT_KEY = { 1: aesGcmV1, 2: xchachaV1, 4: aesGcmV2 } as const;

/** What opens a file; suite 0x03 opens by K or by what K is found with. */
export interface Keys {
  key: Uint8Array;
  /** The row that the file should belong to. */
  fileId: Uint8Array;
  recipient?: { recipientSecretKey: Uint8Array; envelopeKey: Uint8Array };
}

/** What a reader says of the signature; `undefined` before it said anything. */
export interface FoundSignature {
  algorithm: number;
  publicKey: Uint8Array;
  signature: Uint8Array;
  verified: boolean | null;
}

export interface Opened {
  plaintext: Uint8Array;
  signature: FoundSignature | null | undefined;
}

/** Opens one file; `expected` is the public key of the signer that is expected. */
export type Reader = (file: Uint8Array, keys: Keys, expected?: Uint8Array) => Promise<Opened>;

/** By the function that takes a whole file. */
function whole(suite: Suite): Reader {
  return async (file, { key, recipient }, expectedSignerPublicKey) => {
    const opened: { signature?: FoundSignature | null } = {};
    const options = {
      blob: new Blob([file.slice()]),
      expectedSignerPublicKey,
      onSignature(found: FoundSignature | null) {
        opened.signature = found;
      },
    };
    const plaintext = suite === 3
      ? await pqHybridV1.decryptToBytes({ ...options, ...recipient! })
      : await WITH_CONTENT_KEY[suite].decryptToBytes({ ...options, contentKey: key });
    return { plaintext, signature: opened.signature };
  };
}

/** The bytes as a stream of pieces of so many bytes; the last may be shorter. */
export function streamOf(bytes: Uint8Array, pieceSize: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + pieceSize));
      at += pieceSize;
    },
  });
}

/** All bytes of a stream; it fails as the stream does, where a Response would hide why. */
export async function collect(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    parts.push(next.value.slice());
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

type Streamed = (source: ReadableStream<Uint8Array>, keys: Keys, expected?: Uint8Array) => {
  plaintext: ReadableStream<Uint8Array>;
  metadata: Promise<{ signature: FoundSignature | null }>;
};

/** By a stream, fed in pieces of so many bytes. */
function inPieces(open: Streamed, pieceSize: number): Reader {
  return async (file, keys, expected) => {
    const opened = open(streamOf(file, pieceSize), keys, expected);
    // Whoever reads may look at one of the two alone, so neither failure may be lost on its own.
    const [plaintext, metadata] = await Promise.allSettled([
      collect(opened.plaintext),
      opened.metadata,
    ]);
    if (plaintext.status === "rejected" && metadata.status === "rejected") throw plaintext.reason;
    if (plaintext.status === "rejected" || metadata.status === "rejected") {
      throw new Error("one end of the stream failed alone");
    }
    return { plaintext: plaintext.value, signature: metadata.value.signature };
  };
}

const byAesGcm: Streamed = (source, { key }, expectedSignerPublicKey) =>
  decryptStreamAesGcmV1(source, { contentKey: key, expectedSignerPublicKey });

const byK: Streamed = (source, { key }, expectedSignerPublicKey) =>
  decryptStreamPqHybridV1(source, { combinedKey: key, expectedSignerPublicKey });

const byRecipient: Streamed = (source, { recipient }, expectedSignerPublicKey) =>
  decryptStreamPqHybridV1(source, { ...recipient!, expectedSignerPublicKey });

/** By the stream that is bound to a row, which takes every suite. */
function byRow(suite: Suite): Streamed {
  return (source, { key, fileId }, expectedSignerPublicKey) => {
    const options = { keys: { contentKey: key }, allowedSuites: [suite], fileId };
    return openFileStream(source, { ...options, expectedSignerPublicKey });
  };
}

export interface NamedReader {
  what: string;
  streamed: boolean;
  byKem: boolean;
  read: Reader;
}

/** The sizes of the pieces that streams are fed: all of it, single bytes, and across every border. */
export const PIECES = [1_000_000, 1, 7, 52, 64];

/** All readers of a suite's files. */
export function readersOf(suite: Suite, pieces: readonly number[] = PIECES): NamedReader[] {
  const streams = (what: string, open: Streamed, sizes = pieces) =>
    sizes.map((size) => ({
      what: `${what} in pieces of ${size}`,
      streamed: true,
      byKem: open === byRecipient,
      read: inPieces(open, size),
    }));
  return [
    { what: "whole", streamed: false, byKem: suite === 3, read: whole(suite) },
    ...(suite === 1 ? streams("by the stream", byAesGcm) : []),
    ...(suite === 3 ? streams("by the stream", byK) : []),
    ...(suite === 3 ? streams("by the stream and ML-KEM", byRecipient, pieces.slice(-1)) : []),
    ...streams("by the row's stream", byRow(suite)),
  ];
}
