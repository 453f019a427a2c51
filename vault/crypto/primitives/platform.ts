// Where the choice between the runtime's own cryptography and the portable one is made. Under Deno large
// messages go to node:crypto; small ones, and everything in a browser, go to JavaScript that needs
// nothing of its host. Both give the same bytes.
//
// Measured on Deno 2.9.6 as throughput against @noble at 4 MiB unless said otherwise:
//   XChaCha20-Poly1305   node 6 to 7 times; against libsodium 2.5 times       node from NODE_FROM
//   SHA-256, HMAC        node 8 times, and 1.4 times crypto.subtle.digest     node from NODE_FROM
//   SHA-1                node 6 times                                         node
//   AES-256-GCM          WebCrypto 7 times node and 20 times noble            WebCrypto everywhere
//   HKDF                 node 2.7 times, that is 8 µs a key                   noble everywhere
//   ML-KEM-1024          WebCrypto 2.8 to 6 times, that is 0.6 ms a file, but it is asynchronous and
//                        does not take a secret key in the format's form      noble everywhere
//   Ed25519, secretbox   one a file                                           noble everywhere

import type * as NodeCrypto from "node:crypto";

/**
 * Bytes from which node:crypto repays the way to it. Below, it would save 5 to 40 µs a message, and
 * loading it costs a thread 25 ms once, which a command that opens a few names need not pay.
 */
export const NODE_FROM = 4096;

interface Runtime {
  process?: { getBuiltinModule?(name: "node:crypto"): typeof NodeCrypto | undefined };
}

/**
 * node:crypto, or undefined where the runtime has none. It is asked for and not imported: a browser
 * cannot load a module that imports it, and a room without any permission can ask.
 */
export function nodeCrypto(): typeof NodeCrypto | undefined {
  return (globalThis as Runtime).process?.getBuiltinModule?.("node:crypto");
}

/** {@link nodeCrypto} for a message of so many bytes; undefined as well when it would not repay. */
export function nodeCryptoFor(length: number): typeof NodeCrypto | undefined {
  return length < NODE_FROM ? undefined : nodeCrypto();
}
