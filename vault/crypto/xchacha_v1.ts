// `@shieldfive/crypto/xchacha-v1`: suite 0x02, XChaCha20-Poly1305 under a content key.

import { SUITE } from "./suites.ts";
import { wholeFileFunctions } from "./whole_file.ts";

export type { DecryptOptions, EncryptedFile, EncryptOptions } from "./whole_file.ts";

const functions = wholeFileFunctions(SUITE.XCHACHA20_POLY1305_V1);

/** Encrypts a blob; the content key comes back and is the caller's to wrap and wipe. */
export const encryptBlob = functions.encryptBlob;

/** As `encryptBlob`, for bytes in memory. */
export const encryptBytes = functions.encryptBytes;

/** Decrypts a blob, or fails: nothing comes back of a file that is damaged anywhere. */
export const decryptBlob = functions.decryptBlob;

/** As `decryptBlob`, into memory. */
export const decryptToBytes = functions.decryptToBytes;
