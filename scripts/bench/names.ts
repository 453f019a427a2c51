// What opening a name costs, nearly all of which is Argon2id: one after another, and as a listing does it,
// by way of the pool, beside libsodium's Argon2id one after another.

import sodium from "libsodium-wrappers-sumo";
import { chooseArgon2, KeyDerivationPool } from "@shieldfive/crypto/extra/kdf_pool.ts";
import { pooledNameKeys } from "@shieldfive/crypto/extra/pooled_name_keys.ts";
import { decryptName, encryptNameV6 } from "@shieldfive/crypto/vault";
import type { Contest } from "./contest.ts";

const NAMES = 8;
const FOLDER_KEY = new Uint8Array(32).fill(2);
const ROW = "0199c0ff-ee00-7abc-8def-0123456789ab";

async function sealed() {
  const names = Array.from({ length: NAMES }, (_, i) => `Statement ${2010 + i}.pdf`);
  return await Promise.all(
    names.map((name) => encryptNameV6({ name, folderKey: FOLDER_KEY, rowId: ROW })),
  );
}

function withLibsodium(): void {
  const algorithm = sodium.crypto_pwhash_ALG_ARGON2ID13;
  for (let i = 0; i < NAMES; i++) {
    const salt = crypto.getRandomValues(new Uint8Array(16));
    sodium.crypto_pwhash(32, sodium.to_base64(FOLDER_KEY), salt, 2, 64 * 1024 * 1024, algorithm);
  }
}

/** The contests of names. */
export async function names(): Promise<Contest[]> {
  await sodium.ready;
  const envelopes = await sealed();
  const { argon2, why } = await chooseArgon2();
  if (why !== undefined) console.log(`no native Argon2id: ${why}`);
  const open = { folderKey: FOLDER_KEY, rowId: ROW };
  const common = {
    against: "libsodium, one after another",
    amount: { count: NAMES, unit: "names" } as const,
    peer: withLibsodium,
  };
  return [
    {
      ...common,
      what: "a name, one after another",
      target: 1.5,
      async ours() {
        for (const envelope of envelopes) await decryptName({ ...open, envelope });
      },
    },
    {
      ...common,
      what: "a name, through the pool",
      target: 2.5,
      async ours() {
        // A new one each time, since it remembers what it derived.
        const backend = { concurrency: 2, derive: argon2.derive.bind(argon2) };
        const pool = new KeyDerivationPool({ backend });
        const deriver = pooledNameKeys(pool);
        await Promise.all(envelopes.map((envelope) => decryptName({ ...open, envelope }, deriver)));
        pool.close();
      },
    },
  ];
}
