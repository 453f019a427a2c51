// The published vectors of the vault's formats, and those computed beside them for what they leave open:
// chains, names, grants, scopes, connection strings, rows and passphrases.

import assert from "node:assert/strict";
import { reDeriveMasterSecret } from "@shieldfive/crypto/kdf/argon2id";
import {
  contentFitsRow,
  fileIdOfRow,
  isRowBound,
  nameFitsRow,
} from "@shieldfive/crypto/extra/row_binding.ts";
import {
  canonicalLegacyGrantScope,
  unwrapLegacyGrantSecret,
} from "@shieldfive/crypto/extra/legacy_scope.ts";
import { uuidV7 } from "@shieldfive/crypto/extra/uuid7.ts";
import {
  canonicalGrantScope,
  decryptName,
  decryptNameWithKey,
  deriveGrantWrapKey,
  deriveNameKey,
  deriveNameKeyForEnvelope,
  formatConnectionString,
  grantBearerToken,
  type GrantKeyKind,
  type GrantScope,
  hashGrantToken,
  keyFingerprint,
  type NameEnvelope,
  parseConnectionString,
  parseNameEnvelope,
  publicKeyFingerprint,
  unwrapChainKey,
  unwrapGrantSecret,
  unwrapKeyForGrant,
} from "@shieldfive/crypto/vault";
import { published } from "./published.ts";
import { refused, same, unhex } from "./vectors/checks/expect.ts";

interface VaultVectors {
  chain: Record<"root_key_hex" | "folder_key_hex" | "fk_wrapped" | "fk_iv", string>;
  names: {
    folder_key_hex: string;
    row_id: string;
    plaintext: string;
    v6: NameEnvelope;
    v4_no_kdf: NameEnvelope;
  };
  grant:
    & Record<
      | "grant_id"
      | "token_hex"
      | "secret_hex"
      | "pk_fingerprint"
      | "connection_string"
      | "token_hash"
      | "wrap_key_hex"
      | "folder_id"
      | "folder_key_wrapped"
      | "folder_key_iv"
      | "scope_canonical"
      | "secret_wrapped"
      | "secret_iv",
      string
    >
    & { ml_kem_pk_fill_start: number };
}

const vault = published<VaultVectors>("vault-vectors.json");

if (vault !== undefined) {
  const { chain, names, grant } = vault;

  Deno.test("published: a folder's key opens under the root key alone", async () => {
    const root = unhex(chain.root_key_hex);
    const wrapped = { wrapped: chain.fk_wrapped, iv: chain.fk_iv };
    same(await unwrapChainKey(root, wrapped), unhex(chain.folder_key_hex), "the folder's key");
    await refused(
      () => unwrapChainKey(unhex(chain.folder_key_hex), wrapped),
      "unwrap_failed",
      "another key",
    );
  });

  Deno.test("published: names of both versions open", async () => {
    const folderKey = unhex(names.folder_key_hex);
    for (const envelope of [names.v6, names.v4_no_kdf]) {
      assert.deepEqual(parseNameEnvelope(JSON.stringify(envelope)), envelope);
      const name = await decryptName({ envelope, folderKey, rowId: names.row_id });
      assert.equal(name, names.plaintext);
    }
    const elsewhere = { envelope: names.v6, folderKey, rowId: grant.folder_id };
    await refused(() => decryptName(elsewhere), "name_decrypt_failed", "another row");
  });

  Deno.test("published: a connection string, its token and its fingerprint", () => {
    const credential = parseConnectionString(grant.connection_string);
    same(credential.token, unhex(grant.token_hex), "the token");
    same(credential.secret, unhex(grant.secret_hex), "the secret");
    assert.equal(credential.grantId, grant.grant_id);
    assert.equal(formatConnectionString(credential), grant.connection_string);
    assert.equal(hashGrantToken(grantBearerToken(credential)), grant.token_hash);
    const key = Uint8Array.from({ length: 1568 }, (_, i) => i + grant.ml_kem_pk_fill_start);
    assert.equal(publicKeyFingerprint(key), grant.pk_fingerprint);
    assert.equal(credential.publicKeyFingerprint, grant.pk_fingerprint);
  });

  Deno.test("published: a grant's wrap, and the owner's copy by its older scope", async () => {
    const grantWrapKey = await deriveGrantWrapKey(unhex(grant.secret_hex), grant.grant_id);
    same(grantWrapKey, unhex(grant.wrap_key_hex), "the wrapping key");
    const key = await unwrapKeyForGrant({
      grantWrapKey,
      grantId: grant.grant_id,
      kind: "folder",
      objectId: grant.folder_id,
      wrapped: { wrapped: grant.folder_key_wrapped, iv: grant.folder_key_iv },
    });
    same(key, unhex(chain.folder_key_hex), "the folder's key");
    const scope = {
      grantId: grant.grant_id,
      scopeAll: false,
      includeMedia: false,
      rootIds: [grant.folder_id],
      trashFolderId: null,
      excludedIds: [],
    };
    assert.equal(canonicalLegacyGrantScope(scope), grant.scope_canonical);
    const rootKey = unhex(chain.root_key_hex);
    const wrapped = { wrapped: grant.secret_wrapped, iv: grant.secret_iv };
    const secret = await unwrapLegacyGrantSecret({ rootKey, scope, wrapped });
    same(secret, unhex(grant.secret_hex), "the secret");
    const today = { ...scope, excludedKeyFingerprints: [] };
    await refused(
      () => unwrapGrantSecret({ rootKey, scope: today, wrapped }),
      "unwrap_failed",
      "the older copy by today's scope",
    );
  });
}

interface Supplementary {
  grant_scope_current: {
    root_key_hex: string;
    grant_id: string;
    secret_hex: string;
    iv_base64: string;
    cases: {
      scope: Omit<GrantScope, "grantId">;
      canonical: string;
      wrapped_base64: string;
    }[];
  };
  key_fingerprint: { key_hex: string; fingerprint_hex: string };
  grant_wraps: {
    grant_id: string;
    secret_hex: string;
    wrap_key_hex: string;
    object_id: string;
    key_hex: string;
    iv_base64: string;
    by_kind: Record<GrantKeyKind, { wrapped_base64: string }>;
  };
  names:
    & {
      folder_key_hex: string;
      salt_hex: string;
      name_key_interactive_hex: string;
      name_key_moderate_hex: string;
      row_id: string;
      plaintext: string;
    }
    & Record<
      | "v6_interactive"
      | "v6_moderate"
      | "v6_sealed_interactive_labelled_moderate"
      | "v4_no_kdf_sealed_moderate"
      | "v4_on_row_bound_id_must_be_refused",
      NameEnvelope
    >;
  passphrase_kdf: {
    passphrase: string;
    moderate_16_byte_salt: { salt_hex: string; master_secret_hex: string };
    moderate_24_byte_salt: { salt_hex: string; master_secret_hex: string };
  };
  row_binding: {
    cases: { row_id: string; row_bound: boolean; file_id_hex?: string }[];
    uuid_v7_from_ms: { unix_ms: number; first_6_bytes_hex: string };
  };
  connection_strings: { accept: string[]; reject: { value: string; why: string }[] };
}

const supplementary = published<Supplementary>("supplementary-vectors.json");

if (supplementary !== undefined) {
  const { grant_scope_current, grant_wraps, names, passphrase_kdf, row_binding } = supplementary;

  Deno.test("supplementary: scopes and the owner's copies", async () => {
    const { root_key_hex, grant_id, secret_hex, iv_base64, cases } = grant_scope_current;
    for (const { scope, canonical, wrapped_base64 } of cases) {
      const whole = { grantId: grant_id, ...scope };
      assert.equal(canonicalGrantScope(whole), canonical);
      const wrapped = { wrapped: wrapped_base64, iv: iv_base64 };
      const rootKey = unhex(root_key_hex);
      const secret = await unwrapGrantSecret({ rootKey, scope: whole, wrapped });
      same(secret, unhex(secret_hex), canonical);
    }
    const { key_hex, fingerprint_hex } = supplementary.key_fingerprint;
    assert.equal(keyFingerprint(unhex(key_hex)), fingerprint_hex);
  });

  Deno.test("supplementary: a grant's wraps of every kind", async () => {
    const { grant_id, object_id, secret_hex, wrap_key_hex, key_hex, iv_base64 } = grant_wraps;
    const grantWrapKey = await deriveGrantWrapKey(unhex(secret_hex), grant_id);
    same(grantWrapKey, unhex(wrap_key_hex), "the wrapping key");
    const kinds = Object.entries(grant_wraps.by_kind);
    assert.equal(kinds.length, 4);
    for (const [kind, { wrapped_base64 }] of kinds) {
      const wrapped = { wrapped: wrapped_base64, iv: iv_base64 };
      const at = { grantWrapKey, grantId: grant_id, objectId: object_id, wrapped };
      const key = await unwrapKeyForGrant({ ...at, kind: kind as GrantKeyKind });
      same(key, unhex(key_hex), kind);
    }
  });

  Deno.test("supplementary: name keys and levels", async () => {
    const folderKey = unhex(names.folder_key_hex);
    const rowId = names.row_id;
    const keys = {
      interactive: unhex(names.name_key_interactive_hex),
      moderate: unhex(names.name_key_moderate_hex),
    };
    for (const level of ["interactive", "moderate"] as const) {
      same(await deriveNameKey(folderKey, unhex(names.salt_hex), level), keys[level], level);
    }
    for (
      const [envelope, key] of [
        [names.v6_interactive, keys.interactive],
        [names.v6_moderate, keys.moderate],
        [names.v6_sealed_interactive_labelled_moderate, keys.interactive],
        [names.v4_no_kdf_sealed_moderate, keys.moderate],
      ] as const
    ) {
      const found = await deriveNameKeyForEnvelope({ envelope, parentKey: folderKey, rowId });
      same(found, key, JSON.stringify(envelope));
      const name = await decryptNameWithKey({ envelope, nameKey: key, rowId });
      assert.equal(name, names.plaintext);
    }
    assert.ok(!nameFitsRow(names.v4_on_row_bound_id_must_be_refused, rowId));
    assert.ok(nameFitsRow(names.v6_interactive, rowId));
  });

  Deno.test("supplementary: rows and their ids", () => {
    for (const { row_id, row_bound, file_id_hex } of row_binding.cases) {
      assert.equal(isRowBound(row_id), row_bound, row_id);
      if (file_id_hex === undefined) continue;
      const fileId = unhex(file_id_hex);
      same(fileIdOfRow(row_id), fileId, row_id);
      assert.ok(contentFitsRow(fileId, row_id));
      fileId[15] ^= 1;
      assert.ok(!contentFitsRow(fileId, row_id));
    }
    const { unix_ms, first_6_bytes_hex } = row_binding.uuid_v7_from_ms;
    const id = uuidV7(unix_ms).replaceAll("-", "");
    assert.ok(id.startsWith(first_6_bytes_hex + "7"), id);
  });

  Deno.test("supplementary: connection strings, good and refused", async () => {
    const { accept, reject } = supplementary.connection_strings;
    assert.equal(accept.length, 2);
    assert.equal(reject.length, 9);
    for (const text of accept) {
      assert.equal(formatConnectionString(parseConnectionString(text)), text.trim());
    }
    for (const { value, why } of reject) {
      await refused(() => parseConnectionString(value), "invalid_connection_string", why);
    }
  });

  Deno.test("supplementary: passphrases", async () => {
    const { passphrase, moderate_16_byte_salt, moderate_24_byte_salt } = passphrase_kdf;
    for (const { salt_hex, master_secret_hex } of [moderate_16_byte_salt, moderate_24_byte_salt]) {
      const stored = { passphrase, salt: unhex(salt_hex), preset: "moderate" } as const;
      same(await reDeriveMasterSecret(stored), unhex(master_secret_hex), salt_hex);
    }
  });
}
