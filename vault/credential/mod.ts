// What the rest of the program uses of where a connection is kept.

export { KEYRING, KEYRING_PACKAGES } from "./addon.ts";
export { CredentialFiles } from "./files.ts";
export { Keychain, keychainGrants, PATIENCE_MS } from "./keychain.ts";
export { type CredentialPlaces, filesGranted, keptFile } from "./places.ts";
export { DEFAULT_SERVER, serverFor, type Servers } from "./servers.ts";
export { type Changed, CredentialStore, type Found, type Kept, type Source } from "./store.ts";
export { keychainError, type Trouble, troubleOf } from "./trouble.ts";
