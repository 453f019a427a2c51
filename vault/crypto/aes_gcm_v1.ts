// `@shieldfive/crypto/aes-gcm-v1`: suite 0x01, AES-256-GCM with a four-byte nonce prefix. New files
// are written in another suite; the writers exist for what has to be made again in this one.

import { SUITE } from "./suites.ts";
import { wholeFileFunctions } from "./whole_file.ts";

export type { DecryptOptions, EncryptedFile, EncryptOptions } from "./whole_file.ts";

const functions = wholeFileFunctions(SUITE.AES_256_GCM_V1);

/** Encrypts a blob; the content key comes back and is the caller's to wrap and wipe. */
export const encryptBlob = functions.encryptBlob;

/** As `encryptBlob`, for bytes in memory. */
export const encryptBytes = functions.encryptBytes;

/** Decrypts a blob, or fails: nothing comes back of a file that is damaged anywhere. */
export const decryptBlob = functions.decryptBlob;

/** As `decryptBlob`, into memory. */
export const decryptToBytes = functions.decryptToBytes;
