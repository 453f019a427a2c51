// Names in their envelopes, and what takes an Argon2id besides.

import { reDeriveMasterSecret } from "@shieldfive/crypto/kdf/argon2id";
import {
  decryptName,
  decryptNameWithKey,
  deriveNameKey,
  deriveNameKeyForEnvelope,
  parseNameEnvelope,
} from "@shieldfive/crypto/vault";
import type { Argon2Vectors, RefusalVectors } from "../format.ts";
import { type Check, refused, same, unhex } from "./expect.ts";

type Name = Argon2Vectors["names"][number];

/** The key that opens an envelope, by the levels that its label leaves to be tried. */
async function checkDerivation({ envelope, rowId, ...name }: Name): Promise<void> {
  const parentKey = unhex(name.parent);
  if (name.plaintext === undefined) {
    const open = () => decryptName({ envelope, folderKey: parentKey, rowId });
    await refused(open, name.code, name.name);
    return;
  }
  const key = await deriveNameKeyForEnvelope({ envelope, parentKey, rowId });
  same(key, unhex(name.nameKey), "the key of the envelope");
  // What follows derives the same once more.
  if (envelope.kdf !== "interactive") return;
  const opened = await decryptName({ envelope, folderKey: parentKey, rowId });
  same(new TextEncoder().encode(opened), unhex(name.plaintext), "the name");
}

/** Everything about an envelope that takes no derivation. */
async function checkEnvelope({ envelope, nameKey, plaintext, rowId, name }: Name): Promise<void> {
  same(parseNameEnvelope(JSON.stringify(envelope)), envelope, "the envelope");
  const key = unhex(nameKey);
  const open = (changed: object, row: string | undefined = rowId) =>
    decryptNameWithKey({ envelope: { ...envelope, ...changed }, nameKey: key, rowId: row });
  const failed = "name_decrypt_failed";
  if (plaintext === undefined) return;
  same(new TextEncoder().encode(await open({})), unhex(plaintext), name);
  const other = Uint8Array.from(key, (byte) => byte ^ 1);
  const call = () => decryptNameWithKey({ envelope, nameKey: other, rowId });
  await refused(call, failed, "another key");
  await refused(() => open({ v: 10 - envelope.v }), failed, "the other version");
  await refused(() => open({ tag: envelope.tag.slice(4) }), "unsupported_envelope", "a short tag");
  await refused(() => open({ iv: envelope.salt }), "unsupported_envelope", "a long IV");
  await refused(() => open({ ct: "?" }), "unsupported_envelope", "no base64");
  if (envelope.v === 6) {
    await refused(() => open({}, rowId.replace("0", "1")), failed, "another row");
    await refused(() => open({}, rowId.toUpperCase()), failed, "the row in capitals");
    const rowless = () => decryptNameWithKey({ envelope, nameKey: key });
    await refused(rowless, "invalid_input", "no row");
  }
}

/** The names whose levels are worth the time. */
function derived({ names }: Argon2Vectors): Name[] {
  const [first, ...rest] = names;
  return [first, ...rest.filter(({ name }) => /version 4|moderate|no text/.test(name))];
}

export function nameChecks(argon2: Argon2Vectors, { envelopes }: RefusalVectors): Check[] {
  return [
    ...envelopes.map(({ name, value }) => ({
      name: `a text is no envelope: ${name}`,
      run: () => same(parseNameEnvelope(value), null, "the envelope"),
    })),
    ...argon2.names.map((name) => ({
      name: `a name opens in its row alone: ${name.name}`,
      run: () => checkEnvelope(name),
    })),
    ...argon2.nameKeys.map(({ parent, salt, level, key }) => ({
      name: `a name key is derived: ${level}`,
      run: async () =>
        same(await deriveNameKey(unhex(parent), unhex(salt), level), unhex(key), level),
    })),
    ...derived(argon2).map((name) => ({
      name: `a name is opened by the levels of its label: ${name.name}`,
      costly: /^moderate( without|$)/.test(name.name),
      run: () => checkDerivation(name),
    })),
  ];
}

/** Master secrets; `sensitive` takes a gibibyte. */
export function passphraseChecks(
  { passphrases }: Argon2Vectors,
  presets: readonly string[],
): Check[] {
  return passphrases.filter(({ preset }) => presets.includes(preset)).map(
    ({ passphrase, salt, preset, masterSecret }) => ({
      name: `a passphrase gives its master secret: ${preset}, salt of ${salt.length / 2} bytes`,
      costly: salt.length === 32,
      async run() {
        const derived = await reDeriveMasterSecret({ passphrase, salt: unhex(salt), preset });
        same(derived, unhex(masterSecret), "the secret");
      },
    }),
  );
}
