// The formats beside libsodium and WebCrypto, through the functions that the program itself calls. For
// whole files both sides do the same work, from an array into a blob and back. For streams the peer has
// less to do: it seals and opens chunks in memory, without any format.

import sodium from "libsodium-wrappers-sumo";
import * as aesGcmV1 from "@shieldfive/crypto/aes-gcm-v1";
import * as aesGcmV2 from "@shieldfive/crypto/aes-gcm-v2";
import * as pqHybridV1 from "@shieldfive/crypto/pq-hybrid-v1";
import * as aesStreams from "@shieldfive/crypto/streams/aes-gcm-v1";
import * as pqStreams from "@shieldfive/crypto/streams/pq-hybrid-v1";
import * as xchachaV1 from "@shieldfive/crypto/xchacha-v1";
import type { Figure } from "./compare.ts";
import { type Contest, hold } from "./contest.ts";
import { names } from "./names.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const CHUNK = 4 * 1024 * 1024;
const CHUNKS = 16;
const SIZE = CHUNK * CHUNKS;
const TAG = 16;
/** How the source of a stream gives its bytes. */
const PIECE = 256 * 1024;

const KEY = new Uint8Array(32).fill(1);
const AAD = new Uint8Array(36);
const KEM = pqHybridV1.generateMlKemKeypair();

/** A cipher as others have it: a chunk in, a chunk out. */
interface Peer {
  name: string;
  seal(chunk: Bytes): Uint8Array | Promise<Bytes>;
  open(sealed: Bytes): Uint8Array | Promise<Bytes>;
}

function libsodium(): Peer {
  const nonce = new Uint8Array(24);
  const seal = sodium.crypto_aead_xchacha20poly1305_ietf_encrypt;
  const open = sodium.crypto_aead_xchacha20poly1305_ietf_decrypt;
  return {
    name: "libsodium",
    seal: (chunk) => seal(chunk, AAD, null, nonce, KEY),
    open: (sealed) => open(null, sealed, AAD, nonce, KEY),
  };
}

async function webCrypto(): Promise<Peer> {
  const key = await crypto.subtle.importKey("raw", KEY, "AES-GCM", false, ["encrypt", "decrypt"]);
  const algorithm = { name: "AES-GCM", iv: new Uint8Array(12), additionalData: AAD };
  return {
    name: "WebCrypto",
    seal: async (chunk) => new Uint8Array(await crypto.subtle.encrypt(algorithm, key, chunk)),
    open: async (sealed) => new Uint8Array(await crypto.subtle.decrypt(algorithm, key, sealed)),
  };
}

/** One suite's functions for whole files. */
interface WholeFile {
  encrypt(bytes: Uint8Array): Promise<{ blob: Blob }>;
  decrypt(blob: Blob): Promise<Uint8Array>;
}

function withContentKey(suite: typeof xchachaV1 | typeof aesGcmV1 | typeof aesGcmV2): WholeFile {
  return {
    encrypt: (bytes) => suite.encryptBytes(bytes, { contentKey: KEY }),
    decrypt: (blob) => suite.decryptToBytes({ blob, contentKey: KEY }),
  };
}

const HYBRID: WholeFile = {
  encrypt: (bytes) =>
    pqHybridV1.encryptBytes(bytes, { recipientPublicKey: KEM.publicKey, envelopeKey: KEY }),
  decrypt: (blob) =>
    pqHybridV1.decryptToBytes({ blob, recipientSecretKey: KEM.secretKey, envelopeKey: KEY }),
};

/** One suite's functions for streams. */
interface Streams {
  encrypt(source: ReadableStream<Uint8Array>): Promise<ReadableStream<Uint8Array>>;
  decrypt(source: ReadableStream<Uint8Array>): ReadableStream<Uint8Array>;
}

const HYBRID_STREAMS: Streams = {
  async encrypt(source) {
    const options = { recipientPublicKey: KEM.publicKey, envelopeKey: KEY, plaintextSize: SIZE };
    return (await pqStreams.encryptStreamPqHybridV1(source, options)).ciphertext;
  },
  decrypt(source) {
    const options = { recipientSecretKey: KEM.secretKey, envelopeKey: KEY };
    return pqStreams.decryptStreamPqHybridV1(source, options).plaintext;
  },
};

const AES_STREAMS: Streams = {
  encrypt(source) {
    const options = { contentKey: KEY, plaintextSize: SIZE };
    return Promise.resolve(aesStreams.encryptStreamAesGcmV1(source, options).ciphertext);
  },
  decrypt: (source) => aesStreams.decryptStreamAesGcmV1(source, { contentKey: KEY }).plaintext,
};

function split(bytes: Bytes, size: number): Bytes[] {
  return Array.from(
    { length: Math.ceil(bytes.length / size) },
    (_, i) => bytes.subarray(i * size, (i + 1) * size),
  );
}

function plaintext(): Bytes {
  const bytes = new Uint8Array(SIZE);
  for (const piece of split(bytes, 65_536)) crypto.getRandomValues(piece);
  return bytes;
}

async function intoBlob(peer: Peer, bytes: Bytes): Promise<Blob> {
  const parts: Blob[] = [];
  for (const chunk of split(bytes, CHUNK)) parts.push(new Blob([await peer.seal(chunk) as Bytes]));
  return new Blob(parts);
}

async function outOfBlob(peer: Peer, blob: Blob): Promise<void> {
  const opened = new Uint8Array(SIZE);
  for (let i = 0; i < CHUNKS; i++) {
    const sealed = await blob.slice(i * (CHUNK + TAG), (i + 1) * (CHUNK + TAG)).bytes();
    opened.set(await peer.open(sealed), i * CHUNK);
  }
}

async function wholeFile(
  suite: string,
  { encrypt, decrypt }: WholeFile,
  peer: Peer,
  target: number,
): Promise<Contest[]> {
  const bytes = plaintext();
  const { blob } = await encrypt(bytes);
  const peerBlob = await intoBlob(peer, bytes);
  const common = { against: `${peer.name}, the same work`, target, amount: AMOUNT };
  return [
    {
      ...common,
      what: `${suite} whole file, encrypt`,
      ours: () => encrypt(bytes),
      peer: () => intoBlob(peer, bytes),
    },
    {
      ...common,
      what: `${suite} whole file, decrypt`,
      ours: () => decrypt(blob),
      peer: () => outOfBlob(peer, peerBlob),
    },
  ];
}

const AMOUNT = { count: SIZE / 1e6, unit: "MB" } as const;

async function drain(stream: ReadableStream<Uint8Array>): Promise<void> {
  await stream.pipeTo(new WritableStream());
}

async function streams(
  suite: string,
  { encrypt, decrypt }: Streams,
  peer: Peer,
  target: number,
): Promise<Contest[]> {
  const bytes = plaintext();
  const pieces = split(bytes, PIECE);
  const file = await new Response(await encrypt(ReadableStream.from(pieces))).bytes();
  const filePieces = split(file, PIECE);
  const chunks = split(bytes, CHUNK);
  const sealed: Bytes[] = [];
  for (const chunk of chunks) sealed.push(await peer.seal(chunk) as Bytes);
  const common = { against: `${peer.name}, chunks alone`, target, amount: AMOUNT };
  return [
    {
      ...common,
      what: `${suite} stream, encrypt`,
      ours: async () => await drain(await encrypt(ReadableStream.from(pieces))),
      peer: async () => {
        for (const chunk of chunks) await peer.seal(chunk);
      },
    },
    {
      ...common,
      what: `${suite} stream, decrypt`,
      ours: () => drain(decrypt(ReadableStream.from(filePieces))),
      peer: async () => {
        for (const chunk of sealed) await peer.open(chunk);
      },
    },
  ];
}

/** Measures every suite in both directions, and names. */
export async function cryptography(report: (figure: Figure) => void): Promise<void> {
  await sodium.ready;
  const [xchacha, aes] = [libsodium(), await webCrypto()];
  // One after another, each with memory of its own.
  const contests = [
    () => streams("0x03", HYBRID_STREAMS, xchacha, 2.2),
    // The joining of a stream's pieces to chunks, which the peer is spared, takes a tenth.
    () => streams("0x01", AES_STREAMS, aes, 0.9),
    // Half of the time of a whole file goes to the blob and the array, which cost both sides the same.
    () => wholeFile("0x03", HYBRID, xchacha, 2.2),
    () => wholeFile("0x02", withContentKey(xchachaV1), xchacha, 2.2),
    () => wholeFile("0x01", withContentKey(aesGcmV1), aes, 0.9),
    () => wholeFile("0x04", withContentKey(aesGcmV2), aes, 0.9),
    names,
  ];
  for (const make of contests) {
    for (const contest of await make()) await hold(contest, report);
  }
}
