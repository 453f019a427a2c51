// Parsers and readers against bytes and texts that nobody meant for them: by chance, and by chance out of
// something that is well-formed. Whatever comes, they return or refuse by a typed error, soon, and without
// asking for more memory than there is input.

import fc from "fast-check";
import { autoDecryptBlob, parseHeader } from "@shieldfive/crypto";
import {
  decodeIdentityBundle,
  encodeIdentityBundle,
  openShareAsRecipient,
  parseSignatureBlock,
} from "@shieldfive/crypto/identity";
import { formatOwnerRecord, parseOwnerRecord } from "@shieldfive/crypto/extra/owner_record.ts";
import { ChunkOpener, headerLengthOf } from "@shieldfive/crypto/extra/range.ts";
import { formatRecoveryKey, parseRecoveryKey } from "@shieldfive/crypto/extra/recovery_key.ts";
import { decryptV0ToBytes } from "@shieldfive/crypto/legacy-v0";
import {
  buildUploadProofV3,
  decryptNameWithKey,
  parseConnectionString,
  parseNameEnvelope,
} from "@shieldfive/crypto/vault";
import { encrypt, encryptSigned, header, signatureBlock } from "../second/container.ts";
import { connectionString, encryptV0, sealName, wrap } from "../second/vault.ts";
import { largestAllocation } from "./allocations.ts";
import { RECIPIENT } from "./files.ts";

const KEY = new Uint8Array(32).fill(5);
const FILE_ID = new Uint8Array(16).fill(6);
const ROW_ID = "0199c0ff-ee00-7abc-8def-0123456789ab";

/** Changes to bytes, as places of 0 to 1 and what is done there. */
type Change =
  | { kind: "set"; at: number; value: number }
  | { kind: "insert"; at: number; bytes: Uint8Array }
  | { kind: "remove"; at: number; length: number }
  | { kind: "repeat"; at: number; length: number };

const at = fc.double({ min: 0, max: 1, noNaN: true });
const length = fc.integer({ min: 1, max: 40 });
const interesting = fc.oneof(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), fc.nat(255));
const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("set" as const), at, value: interesting }),
  },
  fc.record({
    kind: fc.constant("insert" as const),
    at,
    bytes: fc.uint8Array({ minLength: 1, maxLength: 9 }),
  }),
  fc.record({ kind: fc.constant("remove" as const), at, length }),
  fc.record({ kind: fc.constant("repeat" as const), at, length }),
);

function apply(input: Uint8Array, change: Change): Uint8Array {
  const index = Math.floor(change.at * input.length);
  const [before, after] = [input.subarray(0, index), input.subarray(index)];
  if (change.kind === "set") {
    return input.length === 0 ? input : input.with(Math.min(index, input.length - 1), change.value);
  }
  if (change.kind === "insert") return Uint8Array.of(...before, ...change.bytes, ...after);
  if (change.kind === "remove") return Uint8Array.of(...before, ...after.subarray(change.length));
  return Uint8Array.of(...before, ...after.subarray(0, change.length), ...after);
}

/** Bytes by chance, and well-formed ones with a few changes. */
function bytesLike(models: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> {
  const changed = fc.tuple(
    fc.constantFrom(...models),
    fc.array(change, { minLength: 1, maxLength: 5 }),
  )
    .map(([model, changes]) => changes.reduce(apply, model));
  return fc.oneof(
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 400 }) },
    { weight: 4, arbitrary: changed },
  );
}

/** Texts by chance, JSON by chance, and well-formed ones with a few changes. */
function textLike(models: readonly string[]): fc.Arbitrary<string> {
  const encoded = models.map((model) => new TextEncoder().encode(model));
  return fc.oneof(
    { weight: 1, arbitrary: fc.string({ maxLength: 400, unit: "binary" }) },
    { weight: 1, arbitrary: fc.json() },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom(...models), fc.nat(20_000)).map(([model, more]) =>
        model + " ".repeat(more)
      ),
    },
    { weight: 4, arbitrary: bytesLike(encoded).map((input) => new TextDecoder().decode(input)) },
  );
}

const FIELDS = { fileId: FILE_ID, chunkSize: 16, totalChunks: 3, plaintextSize: 40 };
const HEADERS = [72, 96, 1664, 72].map((payload, i) =>
  header({ ...FIELDS, suite: i + 1, payload: new Uint8Array(payload) }, KEY)
);
const INPUT = { key: KEY, fileId: FILE_ID, chunkSize: 16, plaintext: new Uint8Array(40) };
const FILES = [
  ...([1, 2, 4] as const).map((suite) => encrypt({ suite, ...INPUT })),
  encryptSigned({ suite: 1, ...INPUT }, KEY),
];
const IDENTITY = encodeIdentityBundle({
  userId: "u",
  issuedAt: 1,
  mlKemPublicKey: RECIPIENT.publicKey,
  metadata: new Uint8Array(20),
});
const SHARE = Uint8Array.of(0x53, 0x46, 0x35, 0x53, 2, 0, 0, 6, 0x80, ...new Uint8Array(1736));
const CONNECTION = connectionString({
  grantId: ROW_ID,
  token: KEY,
  secret: KEY,
  publicKey: RECIPIENT.publicKey,
});
const ENVELOPES = ([6, 4] as const).map((v) =>
  JSON.stringify(sealName({
    key: KEY,
    name: new Uint8Array(30).fill(0x61),
    iv: new Uint8Array(12),
    salt: new Uint8Array(16),
    ...(v === 6 ? { rowId: ROW_ID, kdf: "interactive" } : {}),
  }))
);

const PREFIX = new Uint8Array(4);
const WRAP = wrap(KEY, new Uint8Array(12), KEY);
const RECORDS = [
  formatOwnerRecord({ opens: "recovery", owner: ROW_ID, ...WRAP }),
  formatOwnerRecord({
    opens: "passphrase",
    owner: ROW_ID,
    salt: KEY.slice(16).toBase64(),
    ...WRAP,
  }),
];

export interface Target<Input = unknown> {
  name: string;
  input: fc.Arbitrary<Input>;
  call(input: Input): unknown;
  /** Errors that are not of our own kind and are promised all the same. */
  promised?: (error: unknown) => boolean;
}

function target<Input>(target: Target<Input>): Target {
  return target as Target;
}

/** A number that a header cannot hold is a RangeError (crypto spec, 1). */
const isRangeError = (error: unknown) => error instanceof RangeError;

export const TARGETS: readonly Target[] = [
  target({
    name: "headers",
    input: bytesLike(HEADERS),
    call: parseHeader,
    promised: isRangeError,
  }),
  target({
    name: "signature blocks",
    input: bytesLike([signatureBlock(1, KEY, new Uint8Array(64)), signatureBlock(7, KEY, KEY)]),
    call: (input) => parseSignatureBlock(input),
  }),
  target({ name: "identities", input: bytesLike([IDENTITY]), call: decodeIdentityBundle }),
  target({
    name: "shares",
    input: bytesLike([SHARE]),
    call: (shareBundle) =>
      openShareAsRecipient({
        shareBundle,
        fileId: FILE_ID,
        recipientSecretKey: RECIPIENT.recipientSecretKey,
        recipientEnvelopeKey: RECIPIENT.envelopeKey,
      }),
  }),
  target({
    name: "files",
    input: bytesLike(FILES),
    call: (file) => autoDecryptBlob({ blob: new Blob([file.slice()]), contentKey: KEY }),
    promised: isRangeError,
  }),
  target({
    name: "upload proofs",
    input: bytesLike(HEADERS.map((head) => Uint8Array.of(...head, 0, 0, 0, 32, ...KEY))),
    call: (ciphertext) => buildUploadProofV3({ proofKeyHex: "ab".repeat(32), ciphertext }),
  }),
  target({ name: "name envelopes", input: textLike(ENVELOPES), call: parseNameEnvelope }),
  target({
    name: "names",
    input: textLike(ENVELOPES),
    call(text) {
      const envelope = parseNameEnvelope(text);
      return envelope && decryptNameWithKey({ envelope, nameKey: KEY, rowId: ROW_ID });
    },
  }),
  target({
    name: "files without a header",
    input: bytesLike([0, 16, 47].map((size) => encryptV0(KEY, PREFIX, 16, new Uint8Array(size)))),
    call: (file) =>
      decryptV0ToBytes({
        blob: new Blob([file.slice()]),
        contentKey: KEY,
        noncePrefix: PREFIX,
        chunkSize: 16,
      }),
  }),
  target({
    name: "parts of files",
    input: bytesLike(FILES),
    async call(file) {
      const options = { keys: { contentKey: KEY }, allowedSuites: [1, 2, 4] as const };
      const opener = new ChunkOpener(file.slice(0, headerLengthOf(file)), options);
      const range = opener.range(1, opener.header.plaintextSize);
      const source = ReadableStream.from([file.slice(range.start, range.end)]);
      for await (const _ of opener.stream(source, range));
    },
    promised: isRangeError,
  }),
  target({ name: "records of a root key", input: textLike(RECORDS), call: parseOwnerRecord }),
  target({
    name: "recovery keys",
    input: textLike([formatRecoveryKey(KEY)]),
    call: parseRecoveryKey,
  }),
  target({
    name: "connection strings",
    input: textLike([CONNECTION]),
    call: parseConnectionString,
  }),
];

/** No single input may take longer, in milliseconds; a busy machine is no fault of the parser. */
const PATIENCE = 2000;
/** Bytes that may be asked for beside the input: the most that one payload can say that it has. */
const ALLOWANCE = 2 ** 17;

function isTyped(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}

/** That a target keeps to the rules for whatever comes. */
export function holds({ input, call, promised }: Target): fc.IAsyncPropertyWithHooks<[unknown]> {
  return fc.asyncProperty(input, async (value) => {
    const size = (value as Uint8Array | string).length;
    const start = performance.now();
    const largest = await largestAllocation(async () => {
      try {
        await call(value);
      } catch (error) {
        if (!isTyped(error) && !promised?.(error)) {
          throw new Error("not a typed refusal", { cause: error });
        }
      }
    });
    const took = performance.now() - start;
    if (took > PATIENCE) throw new Error(`it took ${took} ms`);
    if (largest > 4 * size + ALLOWANCE) throw new Error(`it asked for ${largest} bytes`);
  });
}
