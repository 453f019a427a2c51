// What the rooms of the commands about a connection may touch, for `--show-permissions`.

import { realDisk } from "../../containment/mod.ts";
import { addressOf } from "../../vault/client/origin.ts";
import { connectGrants } from "../../vault/connect/mod.ts";
import {
  type CredentialPlaces,
  filesGranted,
  keychainGrants,
  serverFor,
} from "../../vault/credential/mod.ts";
import { readServers } from "../../vault/credential/servers.ts";
import type { Environment } from "../environment.ts";
import type { GrantedRoom } from "../permissions.ts";
import { findOpener } from "./opener.ts";
import { credentialPlaces } from "./places.ts";

/** The rooms that find and keep a connection. */
export function storeRooms(environment: Environment): GrantedRoom[] {
  return [
    { kind: "keychain", granted: keychainGrants() },
    { kind: "credential", granted: filesGranted(credentialPlaces(environment)) },
  ];
}

/** The room that asks the server; a connection can be for another one than the last. */
export function serverRoom(environment: Environment, said: string | undefined): GrantedRoom {
  const servers = lastServers(credentialPlaces(environment));
  return { kind: "vault", granted: [addressOf(serverFor({ said, servers, isNew: true }))] };
}

/** The room that hears from the browser. */
export function browserRoom(environment: Environment, browser: boolean): GrantedRoom {
  const opener = browser ? findOpener(environment) : undefined;
  return { kind: "connect", granted: connectGrants(opener) };
}

function lastServers({ servers }: CredentialPlaces) {
  return servers === undefined ? { byGrant: new Map() } : readServers(realDisk, servers);
}
