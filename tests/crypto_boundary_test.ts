// Ciphers, MACs and key derivation stand in vault/crypto alone, which stands alone itself, so that the
// published package can take its place (architecture, "Dependencies").

import assert from "node:assert/strict";
import { code, importsOf, sources, TOP } from "./sources.ts";

const CRYPTO = "vault/crypto/";
/** The bench compares with other libraries, and measures what is inside. */
const BENCH = "scripts/bench/";
/** All that is shipped, and the programs around it. */
const EVERYWHERE = ["cli", "containment", "tools", "vault", "scripts"].flatMap(sources)
  .concat("mod.ts").filter((path) => !path.startsWith(BENCH));
const INSIDE = EVERYWHERE.filter((path) => path.startsWith(CRYPTO));
const OUTSIDE = EVERYWHERE.filter((path) => !path.startsWith(CRYPTO));

const { imports: IMPORT_MAP }: { imports: Record<string, string> } = JSON.parse(
  Deno.readTextFileSync(`${TOP}/deno.json`),
);

const LIBRARIES =
  /^(npm:\/?)?(@noble\/|@node-rs\/(argon2|bcrypt)|argon2|hash-wasm|libsodium|sodium-|tweetnacl|@stablelib\/|crypto-js|node-forge|jose)/;

/** Calls of the platform that encrypt, authenticate or derive; hashing and random numbers are not. */
const USES = new RegExp(
  [
    // WebCrypto, all but its hash.
    String.raw`\bsubtle\b(?!\s*\.\s*digest\b)`,
    // node:crypto.
    String
      .raw`\bcreate(Cipher|Decipher|Hmac|Sign|Verify|DiffieHellman|ECDH|SecretKey|PrivateKey)\w*`,
    String.raw`\b(hkdf|scrypt|pbkdf2|argon2|generateKey|generateKeyPair)(Sync)?\s*\(`,
    String.raw`\b(public|private)(Encrypt|Decrypt)\b`,
    String.raw`\b(encapsulate|decapsulate|diffieHellman)\s*\(`,
  ].join("|"),
);

function useIn(text: string): string | undefined {
  return USES.exec(text)?.[0];
}

Deno.test("what encrypts, authenticates or derives is recognised, and what hashes is not", () => {
  for (
    const use of [
      'createCipheriv("aes-256-gcm", key, iv)',
      "node.createHmac(name, key)",
      "await crypto.subtle.encrypt(algorithm, key, data)",
      "const { subtle } = crypto",
      "crypto.subtle .deriveBits(algorithm, key, 256)",
      'hkdfSync("sha256", key, salt, info, 32)',
      "scrypt(password, salt, 32, done)",
      "generateKeyPairSync(kind)",
    ]
  ) {
    assert.ok(useIn(use), use);
  }
  for (
    const use of [
      'createHash("sha256")',
      "crypto.subtle.digest(name, bytes)",
      "crypto.getRandomValues(bytes)",
      "crypto.randomUUID()",
    ]
  ) {
    assert.equal(useIn(use), undefined, use);
  }
  assert.ok(INSIDE.some((path) => useIn(code(path))), "vault/crypto itself is seen to use some");
});

Deno.test("nothing outside vault/crypto uses a cipher, a MAC or a key derivation", () => {
  for (const path of OUTSIDE) {
    const use = useIn(code(path));
    assert.equal(use, undefined, `${path} uses ${use}`);
  }
});

Deno.test("nothing outside vault/crypto imports a library for cryptography", () => {
  const astray = OUTSIDE.flatMap(importsOf).filter(({ specifier }) => LIBRARIES.test(specifier));
  assert.deepEqual(astray.map(({ from, specifier }) => `${from} imports ${specifier}`), []);
});

Deno.test("vault/crypto is imported by its published name alone", () => {
  for (const { from, specifier, to } of OUTSIDE.flatMap(importsOf)) {
    assert.ok(!to?.startsWith(CRYPTO), `${from} imports ${specifier}`);
    if (!specifier.startsWith("@shieldfive/")) continue;
    const known = specifier in IMPORT_MAP || specifier.startsWith("@shieldfive/crypto/extra/");
    assert.ok(known, `${from} imports ${specifier}, which the import map does not know`);
  }
});

Deno.test("vault/crypto imports nothing of ours outside itself", () => {
  for (const { from, specifier, to } of INSIDE.flatMap(importsOf)) {
    const own = to !== undefined ? to.startsWith(CRYPTO) : !specifier.startsWith("@shieldfive/");
    assert.ok(own, `${from} imports ${specifier}`);
  }
});

Deno.test("vault/crypto imports no module of a runtime, and only the libraries made for its job", () => {
  const foreign = INSIDE.flatMap(importsOf).filter(({ to, typeOnly }) => !to && !typeOnly);
  for (const { from, specifier } of foreign) {
    assert.match(
      specifier,
      /^(@noble\/(ciphers|hashes|curves|post-quantum)\/\w[\w-]*\.js|libsodium-wrappers-sumo)$/,
      `${from} imports ${specifier}`,
    );
  }
});

/** What reaches files, the network, other programs or the environment; to look at the own rights does not. */
const REACHING =
  /\bDeno\s*\.(?!build\.|permissions\.querySync\()|\b(fetch|WebSocket|EventSource|XMLHttpRequest|importScripts)\s*\(|\bprocess\s*\.\s*env\b|\blocalStorage\b|\bconsole\s*\./;

Deno.test("vault/crypto reaches no file, network, environment or console", () => {
  for (const path of INSIDE) {
    assert.equal(REACHING.exec(code(path))?.[0], undefined, path);
  }
});

Deno.test("every name of the published package leads to a file", () => {
  const names = Object.entries(IMPORT_MAP).filter(([name]) => /^@shieldfive\/crypto/.test(name));
  assert.ok(names.length >= 12);
  for (const [name, path] of names) {
    assert.ok(path.startsWith(`./${CRYPTO}`), `${name} leads to ${path}`);
    Deno.statSync(`${TOP}/${path}`);
  }
});
