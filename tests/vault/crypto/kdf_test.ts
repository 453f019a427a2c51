// Argon2id in every way that it is done, and the master secrets of passphrases.

import assert from "node:assert/strict";
import fc from "fast-check";
import { argon2id as hashWasm } from "hash-wasm";
import {
  ARGON2ID_SALT_BYTES,
  deriveMasterSecret,
  MASTER_SECRET_BYTES,
  reDeriveMasterSecret,
  type StoredPassphrase,
  verifyPassphrase,
} from "@shieldfive/crypto/kdf/argon2id";
import { bytesToHex, hexToBytes, utf8 } from "../../../vault/crypto/bytes.ts";
import { CryptoError } from "../../../vault/crypto/errors.ts";
import { installedAddon } from "../../../vault/crypto/kdf/addon.ts";
import { argon2id, chooseArgon2 } from "../../../vault/crypto/kdf/argon2.ts";
import { nativeArgon2 } from "../../../vault/crypto/kdf/native.ts";
import {
  type Argon2,
  ARGON2_LEVELS,
  type Argon2Request,
} from "../../../vault/crypto/kdf/parameters.ts";
import { wasmArgon2 } from "../../../vault/crypto/kdf/wasm.ts";
import { inTempDir } from "../../support.ts";

/** The native way, or undefined, after saying so, on a system that has none. */
function native(): Argon2 | undefined {
  const addon = installedAddon();
  if (addon === undefined) console.log(`skipped: no native addon for ${Deno.build.target}`);
  return addon === undefined ? undefined : nativeArgon2(addon);
}

function ways(): Argon2[] {
  return [native(), wasmArgon2].filter((way) => way !== undefined);
}

const PASSWORD = utf8("QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl8=");
const SALT = hexToBytes("c0c1c2c3c4c5c6c7c8c9cacbcccdcecf");
const SMALL = { password: PASSWORD, salt: SALT, passes: 1, memoryKiB: 8 };

async function refusal(promise: Promise<unknown>): Promise<CryptoError> {
  const error = await promise.then(() => undefined, (error) => error);
  assert.ok(error instanceof CryptoError, `it was not refused: ${error}`);
  return error;
}

Deno.test("the keys of names are the known ones, in each way", async () => {
  const known = {
    interactive: "ff343a2de5537b49602da27aff97102e6146d2e42bad52683ce03c398b44a1d6",
    moderate: "2e636b9688d13127da4953f4605882aac5bd5ac9b3d2afbbd44e83383e0e0206",
  };
  for (const way of ways()) {
    for (const level of ["interactive", "moderate"] as const) {
      const key = await way.derive({ password: PASSWORD, salt: SALT, ...ARGON2_LEVELS[level] });
      assert.equal(bytesToHex(key), known[level], `${way.implementation} ${level}`);
    }
  }
});

Deno.test("native code and two WebAssembly builds agree", async () => {
  const request = fc.record({
    password: fc.uint8Array({ minLength: 1, maxLength: 100 }),
    salt: fc.uint8Array({ minLength: 16, maxLength: 16 }),
    passes: fc.integer({ min: 1, max: 3 }),
    memoryKiB: fc.integer({ min: 8, max: 1500 }),
    length: fc.integer({ min: 16, max: 100 }),
  });
  await fc.assert(
    fc.asyncProperty(request, async ({ password, salt, passes, memoryKiB, length }) => {
      const third = await hashWasm({
        password,
        salt,
        iterations: passes,
        memorySize: memoryKiB,
        parallelism: 1,
        hashLength: length,
        outputType: "hex",
      });
      for (const way of ways()) {
        const derived = await way.derive({ password, salt, passes, memoryKiB, length });
        assert.equal(bytesToHex(derived), third, way.implementation);
      }
    }),
    { seed: 1, numRuns: 40 },
  );
});

Deno.test("a result is bytes of its own, and what was asked with may be wiped at once", async () => {
  for (const way of ways()) {
    const expected = await way.derive(SMALL);
    const password = PASSWORD.slice();
    const salt = SALT.slice();
    const deriving = way.derive({ ...SMALL, password, salt });
    password.fill(0);
    salt.fill(0);
    const derived = await deriving;
    assert.deepEqual(derived, expected);
    assert.equal(derived.constructor, Uint8Array);
    assert.equal(derived.buffer.byteLength, 32);
  }
});

Deno.test("each way refuses what another could not do", async () => {
  const wrong: Partial<Argon2Request>[] = [
    { password: new Uint8Array() },
    { salt: new Uint8Array(15) },
    { salt: new Uint8Array(17) },
    { passes: 0 },
    { passes: 1.5 },
    { memoryKiB: 7 },
    { memoryKiB: 2 ** 21 + 1 },
    { memoryKiB: NaN },
    { length: 15 },
    { length: 0x1_0000 },
  ];
  for (const way of ways()) {
    for (const over of wrong) {
      const { code } = await refusal(way.derive({ ...SMALL, ...over }));
      assert.equal(code, "invalid_input", JSON.stringify(over));
    }
  }
});

Deno.test("a refusal does not hold the password", async () => {
  for (const way of ways()) {
    const error = await refusal(way.derive({ ...SMALL, salt: new Uint8Array(3) }));
    const told = `${error.message} ${JSON.stringify(error)} ${Deno.inspect(error)}`;
    assert.ok(!told.includes("QEFC"), told);
    assert.ok(!told.includes("81, 69"), told);
  }
});

Deno.test("the native way is chosen where it can be, and else it is said why not", async () => {
  const addon = installedAddon();
  if (addon !== undefined) {
    const { argon2, why } = await chooseArgon2();
    assert.deepEqual([argon2.implementation, why], ["native", undefined]);
  }
  await inTempDir(async (dir) => {
    for (const [file, reason] of [["missing", /missing/], ["no-addon", /no-addon/]] as const) {
      if (file === "no-addon") Deno.writeTextFileSync(`${dir}/no-addon`, "text");
      const { argon2, why } = await chooseArgon2(`${dir}/${file}`);
      assert.equal(argon2.implementation, "wasm");
      assert.match(why ?? "", reason);
    }
  });
});

Deno.test("without the right to load the addon the result is the same, and with only that right it is used", async () => {
  const addon = installedAddon();
  const program = `
    import { argon2id, chooseArgon2 } from ${
    JSON.stringify(import.meta.resolve("../../../vault/crypto/kdf/argon2.ts"))
  };
    const bytes = (n, x) => new Uint8Array(n).fill(x);
    const { argon2, why } = await chooseArgon2();
    const key = await argon2id({ password: bytes(9, 1), salt: bytes(16, 2), passes: 1, memoryKiB: 64 });
    console.log(JSON.stringify({ way: argon2.implementation, why, key: [...key] }));`;
  const expected = await argon2id({
    password: new Uint8Array(9).fill(1),
    salt: new Uint8Array(16).fill(2),
    passes: 1,
    memoryKiB: 64,
  });
  await inTempDir(async (dir) => {
    Deno.writeTextFileSync(`${dir}/program.ts`, program);
    const run = async (flags: string[]) => {
      const config = new URL("../../../deno.json", import.meta.url).pathname;
      const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "--no-check", "--config", config, "--frozen", ...flags, `${dir}/program.ts`],
        env: { NO_COLOR: "1" },
        stdin: "null",
      }).output();
      const text = new TextDecoder();
      assert.equal(text.decode(stderr), "");
      return JSON.parse(text.decode(stdout));
    };
    const { way, why, key } = await run(["--no-prompt"]);
    assert.equal(way, "wasm");
    if (addon !== undefined) assert.equal(why, `no right (ffi) to load ${addon}`);
    assert.deepEqual(key, [...expected]);
    if (addon === undefined) return;
    const narrow = await run(["--no-prompt", `--allow-ffi=${addon}`]);
    assert.deepEqual(narrow, { way: "native", key: [...expected] });
  });
});

const PASSPHRASE = "correct horse battery staple";
const SALT_16 = hexToBytes("202122232425262728292a2b2c2d2e2f");
const SALT_24 = hexToBytes("202122232425262728292a2b2c2d2e2f3031323334353637");

Deno.test("the master secrets of passphrases are the known ones", async () => {
  const known: [Uint8Array, string][] = [
    [SALT_16, "3a1ef23b49175faaa772bc3cf420e18a812f814356157c5c8674a667190fd94c"],
    [SALT_24, "18c083f44aacb5d03c07b338ecc4a0042dd98d09f5b2c597800a6d19b86532a9"],
  ];
  for (const [salt, secret] of known) {
    const derived = await deriveMasterSecret({ passphrase: PASSPHRASE, salt });
    assert.equal(bytesToHex(derived.masterSecret), secret);
    assert.deepEqual(derived.salt, salt); // the original one
    assert.equal(derived.preset, "moderate");
  }
});

Deno.test("a passphrase is found again with what was stored, and no other is", async () => {
  const { masterSecret, ...stored } = await deriveMasterSecret({ passphrase: PASSPHRASE });
  assert.equal(stored.salt.length, ARGON2ID_SALT_BYTES);
  assert.equal(masterSecret.length, MASTER_SECRET_BYTES);
  const verify = (over: object) =>
    verifyPassphrase({ passphrase: PASSPHRASE, masterSecret, ...stored, ...over });
  assert.equal(await verify({}), true);
  assert.equal(await verify({ passphrase: PASSPHRASE + " " }), false);
  assert.equal(await verify({ salt: SALT_16 }), false);
  assert.equal(await verify({ masterSecret: masterSecret.subarray(1) }), false);
});

Deno.test("a passphrase counts as it is typed", async () => {
  const salt = SALT_16;
  const [composed, decomposed] = await Promise.all(
    ["\u00e9", "e\u0301"].map((passphrase) =>
      reDeriveMasterSecret({ passphrase, salt, preset: "moderate" })
    ),
  );
  assert.notDeepEqual(composed, decomposed);
});

Deno.test("an empty passphrase, half a character, a short salt and another preset are refused", async () => {
  const wrong = [
    { passphrase: "" },
    { passphrase: "\ud83d" },
    { salt: new Uint8Array(15) },
    { salt: new Uint8Array() },
    { preset: "interactive" },
    { preset: "toString" },
    { preset: "" },
  ];
  for (const over of wrong) {
    const stored = { passphrase: PASSPHRASE, salt: SALT_16, preset: "moderate", ...over };
    const call = stored as StoredPassphrase;
    for (
      const promise of [
        deriveMasterSecret(call),
        reDeriveMasterSecret(call),
        verifyPassphrase({ ...call, masterSecret: new Uint8Array(32) }),
      ]
    ) {
      const { code, message } = await refusal(promise);
      assert.equal(code, "invalid_input");
      assert.ok(!message.includes(PASSPHRASE), message);
    }
  }
});
