// The strings that keep one use of a key apart from every other (crypto spec, 18). A string is used
// for one purpose and never changes: a changed letter is another file format.

/**
 * HKDF `info` strings. `shieldfive/v1/pq-hybrid/chunk-key` and `…/nonce-prefix` are missing on
 * purpose: suite 0x03 uses the two of XChaCha (crypto spec, 0).
 */
export const HKDF_INFO = Object.freeze({
  HEADER_MAC: "shieldfive/v1/header-mac",
  AES_GCM_CHUNK_KEY: "shieldfive/v1/aes-gcm/chunk-key",
  AES_GCM_NONCE_PREFIX: "shieldfive/v1/aes-gcm/nonce-prefix",
  AES_GCM_V2_NONCE_PREFIX: "shieldfive/v1/aes-gcm-v2/nonce-prefix",
  XCHACHA_CHUNK_KEY: "shieldfive/v1/xchacha/chunk-key",
  XCHACHA_NONCE_PREFIX: "shieldfive/v1/xchacha/nonce-prefix",
  PQ_HYBRID_COMBINE: "shieldfive/v1/pq-hybrid/combine",
  ML_KEM_1024_SEED: "shieldfive/v1/pq-hybrid/ml-kem-1024-seed",
  SHARE_TRANSPORT: "shieldfive/v1/share-transport",
  INBOUND_X25519_STATIC_SEED: "shieldfive/v1/inbound/x25519-static-seed",
  INBOUND_ENVELOPE: "shieldfive/v1/inbound/envelope-key",
  INBOUND_SIGNING_SEED: "shieldfive/v1/inbound/ed25519-signing-seed",
  ARGON2ID_SALT_COMPRESSION: "shieldfive/v1/argon2id/salt-compression",
  AGENT_GRANT_WRAP: "shieldfive/v1/agent-grant/wrap",
  AGENT_GRANT_SECRET: "shieldfive/v1/agent-grant/secret",
});

/** What the authenticated data of every chunk begins with (crypto spec, 3). */
export const CHUNK_AAD_DOMAIN = "shieldfive/v1/chunk";
