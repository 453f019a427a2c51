// The four suites of container v1 (crypto spec, 4): what each is called, how long its header
// payload is, and how a chunk's key and nonce come from the file's key and id.

import { type Bytes, putUint32, putUint64 } from "./bytes.ts";
import { HeaderError } from "./errors.ts";
import { HKDF_INFO } from "./labels.ts";
import { hkdf } from "./primitives/hkdf.ts";

/** The suite byte of the header. */
export const SUITE = {
  AES_256_GCM_V1: 0x01,
  XCHACHA20_POLY1305_V1: 0x02,
  PQ_HYBRID_XCHACHA_MLKEM1024_V1: 0x03,
  AES_256_GCM_V2: 0x04,
} as const;

export type SuiteId = (typeof SUITE)[keyof typeof SUITE];

export const SUITE_NAMES = {
  [SUITE.AES_256_GCM_V1]: "aes-256-gcm-v1",
  [SUITE.XCHACHA20_POLY1305_V1]: "xchacha20-poly1305-v1",
  [SUITE.PQ_HYBRID_XCHACHA_MLKEM1024_V1]: "pq-hybrid-xchacha-mlkem1024-v1",
  [SUITE.AES_256_GCM_V2]: "aes-256-gcm-v2",
} as const;

export type SuiteName = (typeof SUITE_NAMES)[SuiteId];

/** The suite that new files are written in. */
export const DEFAULT_SUITE = SUITE.PQ_HYBRID_XCHACHA_MLKEM1024_V1;

export interface SuiteRules {
  cipher: "aes-gcm" | "xchacha20-poly1305";
  /** Bytes of the header's suite payload. */
  payloadLength: number;
  chunkKeyLabel: string;
  noncePrefixLabel: string;
  noncePrefixLength: number;
  /** Bytes of the chunk index behind the prefix. */
  counterLength: 4 | 8;
}

const AES_GCM: Omit<SuiteRules, "noncePrefixLabel" | "noncePrefixLength" | "counterLength"> = {
  cipher: "aes-gcm",
  payloadLength: 72,
  chunkKeyLabel: HKDF_INFO.AES_GCM_CHUNK_KEY,
};

const XCHACHA: Omit<SuiteRules, "payloadLength"> = {
  cipher: "xchacha20-poly1305",
  chunkKeyLabel: HKDF_INFO.XCHACHA_CHUNK_KEY,
  noncePrefixLabel: HKDF_INFO.XCHACHA_NONCE_PREFIX,
  noncePrefixLength: 16,
  counterLength: 8,
};

const RULES: Record<SuiteId, SuiteRules> = {
  [SUITE.AES_256_GCM_V1]: {
    ...AES_GCM,
    noncePrefixLabel: HKDF_INFO.AES_GCM_NONCE_PREFIX,
    noncePrefixLength: 4,
    counterLength: 8,
  },
  [SUITE.XCHACHA20_POLY1305_V1]: { ...XCHACHA, payloadLength: 96 },
  // The same labels as 0x02, with no suite byte in the key material: files in the world depend on
  // it.
  [SUITE.PQ_HYBRID_XCHACHA_MLKEM1024_V1]: { ...XCHACHA, payloadLength: 1664 },
  [SUITE.AES_256_GCM_V2]: {
    ...AES_GCM,
    noncePrefixLabel: HKDF_INFO.AES_GCM_V2_NONCE_PREFIX,
    noncePrefixLength: 8,
    counterLength: 4,
  },
};

/** Whether a suite byte is one of the four. */
export function isSuite(value: number): value is SuiteId {
  return Object.hasOwn(RULES, value);
}

export function suiteRules(suite: SuiteId): SuiteRules {
  return RULES[suite];
}

/** The 32-byte key of a file's chunks. */
export function deriveChunkKey(suite: SuiteId, key: Uint8Array, fileId: Uint8Array): Bytes {
  return hkdf(key, fileId, RULES[suite].chunkKeyLabel, 32);
}

/** What all nonces of a file begin with. */
export function deriveNoncePrefix(suite: SuiteId, fileId: Uint8Array): Bytes {
  const { noncePrefixLabel, noncePrefixLength } = RULES[suite];
  return hkdf(fileId, null, noncePrefixLabel, noncePrefixLength);
}

/** The nonce of one chunk: the prefix, then the index. */
export function chunkNonce(suite: SuiteId, prefix: Uint8Array, index: number): Bytes {
  const { noncePrefixLength, counterLength } = RULES[suite];
  const nonce = new Uint8Array(noncePrefixLength + counterLength);
  nonce.set(prefix);
  const put = counterLength === 4 ? putUint32 : putUint64;
  put(nonce, noncePrefixLength, index);
  return nonce;
}

/** Where the parts of a suite 0x03 payload are (crypto spec, 6). */
export const PQ_PAYLOAD = {
  KEM_CIPHERTEXT_END: 1568,
  BOX_END: 1568 + 48,
  PADDING_END: 1568 + 48 + 24,
  LENGTH: 1568 + 48 + 24 + 24,
} as const;

/**
 * Refuses a payload that is not what its suite writes. What the payloads of 0x01, 0x02 and 0x04
 * hold is not looked at: the key may be wrapped there or elsewhere.
 *
 * @throws HeaderError `suite_payload_wrong_length`, `suite_payload_padding_not_zero`.
 */
export function checkSuitePayload(suite: SuiteId, payload: Uint8Array): void {
  const { payloadLength } = RULES[suite];
  if (payload.length !== payloadLength) {
    throw new HeaderError(
      "suite_payload_wrong_length",
      `the ${
        SUITE_NAMES[suite]
      } suite payload must be ${payloadLength} bytes, not ${payload.length}`,
    );
  }
  if (suite !== SUITE.PQ_HYBRID_XCHACHA_MLKEM1024_V1) return;
  const padding = payload.subarray(PQ_PAYLOAD.BOX_END, PQ_PAYLOAD.PADDING_END);
  if (padding.some((byte) => byte !== 0)) {
    throw new HeaderError(
      "suite_payload_padding_not_zero",
      "the padding of the suite payload is not zero",
    );
  }
}
