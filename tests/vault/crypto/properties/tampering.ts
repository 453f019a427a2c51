// Everything that can be done to a small file by who does not have its key, and what has to come of it.

import {
  collect,
  type Keys,
  type NamedReader,
  readersOf,
  streamOf,
  type Suite,
} from "../vectors/checks/readers.ts";
import { decryptStreamV0 } from "@shieldfive/crypto/extra/legacy_v0.ts";
import { encryptV0 } from "../second/vault.ts";
import { encrypt, encryptSigned, fileParts, frame, takeApart } from "../second/container.ts";
import { ed25519, join } from "../second/primitives.ts";
import { refused, same } from "../vectors/checks/expect.ts";
import { inputOf, type Sample } from "./files.ts";

const CHUNK = 16;

/** Three chunks, the last of which is not full. */
const SMALL: Sample = {
  fileId: Uint8Array.from({ length: 16 }, (_, i) => 0x50 + i),
  key: Uint8Array.from({ length: 32 }, (_, i) => 0xa0 + i),
  chunkSize: CHUNK,
  plaintext: Uint8Array.from({ length: 2 * CHUNK + 5 }, (_, i) => i),
  pieces: [CHUNK],
  signer: new Uint8Array(32).fill(3),
};
const SIGNER = ed25519(SMALL.signer!).publicKey;

export interface Target {
  suite: Suite;
  keys: Keys;
  /** Without a signature. */
  unsigned: Uint8Array;
  signed: Uint8Array;
  readers: NamedReader[];
}

/** The small file of a suite; `byKem` keeps the readers that open it by ML-KEM, which is slow. */
export function targetOf(suite: Suite, { byKem = false } = {}): Target {
  const { input, keys } = inputOf(suite, SMALL);
  return {
    suite,
    keys,
    unsigned: encrypt(input),
    signed: encryptSigned(input, SMALL.signer!),
    readers: readersOf(suite, [1_000_000, 61]).filter((reader) => reader.byKem === byKem),
  };
}

/** Fails unless every reader refuses the file. */
export async function mustBeRefused(
  { readers, keys }: Target,
  file: Uint8Array,
  what: string,
): Promise<void> {
  for (const { what: reader, read } of readers) {
    await refused(() => read(file, keys), undefined, `${what}, ${reader}`);
  }
}

/** Fails unless every reader refuses the file, or opens it whole and does not call it signed. */
export async function mustLoseItsSignature(
  { readers, keys }: Target,
  file: Uint8Array,
  what: string,
): Promise<void> {
  for (const { what: reader, read } of readers) {
    let opened;
    try {
      opened = await read(file, keys, SIGNER);
    } catch (error) {
      await refused(() => Promise.reject(error), undefined, `${what}, ${reader}`);
      continue;
    }
    same(opened.plaintext, SMALL.plaintext, `${what}, ${reader}`);
    if (opened.signature?.verified === true) throw new Error(`${what} is signed all the same`);
  }
}

export function flip(file: Uint8Array, bit: number): Uint8Array {
  const changed = file.slice();
  changed[bit >> 3] ^= 1 << (bit & 7);
  return changed;
}

/** The longest payload that is tried bit by bit in a short run. */
const SHORT_PAYLOAD = 100;

/** Each bit of the unsigned file flipped; of a long payload, or of everything, every so manieth. */
export async function flipBits(
  target: Target,
  steps: { payload?: number; all?: number } = {},
): Promise<number> {
  const { payload } = takeApart(target.unsigned);
  const [start, end] = [8 * 45, 8 * (45 + payload.length)];
  const stepAt = (bit: number) =>
    payload.length > SHORT_PAYLOAD && bit >= start && bit < end
      ? steps.payload ?? steps.all ?? 1
      : steps.all ?? 1;
  let count = 0;
  for (let bit = 0; bit < 8 * target.unsigned.length; bit++) {
    if (bit % stepAt(bit) !== 0) continue;
    count++;
    await mustBeRefused(target, flip(target.unsigned, bit), `bit ${bit}`);
  }
  return count;
}

/** Each bit of the signature's block flipped, or every so manieth. Nothing there protects the content. */
export async function flipBitsOfTheSignature(target: Target, step = 1): Promise<number> {
  const from = 8 * target.unsigned.length;
  let count = 0;
  for (let bit = from; bit < 8 * target.signed.length; bit += step) {
    count++;
    await mustLoseItsSignature(target, flip(target.signed, bit), `bit ${bit - from} of the block`);
  }
  return count;
}

/** The file cut after every byte. The one cut that opens takes the signature off, and nothing else. */
export async function cutEverywhere(target: Target): Promise<number> {
  for (let length = 0; length < target.signed.length; length++) {
    const cut = target.signed.slice(0, length);
    const what = `cut after ${length} bytes`;
    if (length === target.unsigned.length) await mustLoseItsSignature(target, cut, what);
    else await mustBeRefused(target, cut, what);
  }
  return target.signed.length;
}

/** Chunks in every order and number but the right one, and chunks of another file of the same key. */
export async function rearrange(target: Target): Promise<number> {
  const { underMac, mac, chunks } = takeApart(target.unsigned);
  const head = join(underMac, mac);
  const made = (...picked: Uint8Array[]) => join(head, ...picked.map(frame));
  const places = [0, 1, 2, undefined];
  let count = 0;
  for (const first of places) {
    for (const second of places) {
      for (const third of places) {
        const order = [first, second, third].filter((place) => place !== undefined);
        if (order.join() === "0,1,2") continue;
        count++;
        await mustBeRefused(target, made(...order.map((i) => chunks[i])), `chunks ${order}`);
      }
    }
  }
  for (const extra of chunks) {
    count++;
    await mustBeRefused(target, made(...chunks, extra), "a chunk more");
  }
  const { input } = inputOf(target.suite, SMALL);
  const sibling = fileParts({ ...input, fileId: SMALL.fileId.toReversed() });
  for (let i = 0; i < chunks.length; i++) {
    count++;
    const spliced = chunks.with(i, sibling.chunks[i]);
    await mustBeRefused(target, made(...spliced), `chunk ${i} of another file`);
  }
  return count;
}

/** Content without a header, in three chunks. */
export function legacyTarget() {
  const options = { contentKey: SMALL.key, noncePrefix: SMALL.key.slice(0, 4), chunkSize: CHUNK };
  const file = encryptV0(options.contentKey, options.noncePrefix, CHUNK, SMALL.plaintext);
  return {
    file,
    /** Where a cut leaves whole chunks. */
    borders: [0, CHUNK + 16, 2 * (CHUNK + 16)],
    /** @param recorded whether the size was recorded when the file was stored. */
    open(bytes: Uint8Array, recorded: boolean): Promise<Uint8Array> {
      const size = recorded ? { ciphertextSize: file.length } : {};
      return collect(decryptStreamV0(streamOf(bytes, 13), { ...options, ...size }));
    },
  };
}
