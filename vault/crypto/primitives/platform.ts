// Where the choice between the runtime's own cryptography and the portable one is made. Under Deno large
// messages go to node:crypto; small ones, and everything in a browser, go to JavaScript that needs
// nothing of its host. Both give the same bytes.
//
// What was measured on Deno 2.9.6, in one process, and what follows from it:
//   XChaCha20-Poly1305   at 4 MiB node 7 times @noble and 2.7 times libsodium      node from NODE_FROM
//   SHA-256, HMAC        at 1 MiB node 8 times @noble, 1.3 times WebCrypto         node from NODE_FROM
//   SHA-1                at 1 MiB node 6 times @noble                              node
//   AES-256-GCM          at 4 MiB WebCrypto 7 times node and 20 times @noble       WebCrypto
//   HKDF                 node 2.7 times @noble, which is 8 µs a key                @noble
//   ML-KEM-1024          WebCrypto 6 times @noble to encapsulate, which is 0.6 ms a file, but it is
//                        asynchronous and takes no secret key in the format's form @noble
//   Ed25519, secretbox   one a file, 0.4 ms and 0.02 ms                            @noble

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
