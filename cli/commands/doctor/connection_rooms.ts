// Opens the rooms of a connection as `login` would, has them try their walls, and closes them again. Nothing is
// sent anywhere, and no browser is opened.

import { LOOPBACK } from "../../../containment/mod.ts";
import type { ProofRequest, Trial } from "../../../containment/rooms/proof.ts";
import { kdfRoomGrant } from "../../../tools/vault_rooms.ts";
import { addressOf } from "../../../vault/client/origin.ts";
import { Handoff } from "../../../vault/connect/mod.ts";
import { CredentialFiles, Keychain } from "../../../vault/credential/mod.ts";
import { keychainAddon } from "../../../vault/credential/addon.ts";
import { KdfRooms } from "../../../vault/kdf.ts";
import { browserRoom, storeRooms } from "../../connection/granted.ts";
import { findOpener } from "../../connection/opener.ts";
import { credentialPlaces } from "../../connection/places.ts";
import { ServerRoom } from "../../connection/server.ts";
import type { Environment } from "../../environment.ts";
import type { GrantedRoom } from "../../permissions.ts";
import { inTime, type Proven, type Withheld } from "./open_rooms.ts";

/** A room that can be opened and asked. */
interface Opened {
  prove(request: ProofRequest): Promise<Trial[]>;
  close(): void;
}

/**
 * Tries the rooms that find, make and use a connection.
 *
 * @param origin of the server that one of them could ask.
 */
export async function proveConnection(
  environment: Environment,
  { origin, outside, log }: {
    origin: string;
    outside: string | undefined;
    log(line: string): void;
  },
): Promise<Proven[]> {
  const [keychain, credential] = storeRooms(environment);
  const connect = browserRoom(environment, true);
  const vault: GrantedRoom = { kind: "vault", granted: [addressOf(origin)] };
  const addon = keychainAddon();
  const files = new Map<Withheld, readonly string[]>([["ffi", addon === undefined ? [] : [addon]]]);
  const browser = new Map<Withheld, readonly string[]>([
    ["net", [LOOPBACK]],
    ["run", connect.granted],
  ]);
  const ways: [GrantedRoom, Map<Withheld, readonly string[]>, () => Opened][] = [
    [keychain, files, () => new Keychain({ log })],
    [credential, new Map(), () => new CredentialFiles(credentialPlaces(environment), log)],
    [connect, browser, () => new Handoff(findOpener(environment), log)],
    [vault, new Map([["net", vault.granted]]), () => new ServerRoom(origin, log)],
  ];
  const proven: Proven[] = [];
  for (const [room, rights, open] of ways) {
    const missing = [...rights].find(([right, places]) => !places.every((at) => has(right, at)));
    proven.push(
      missing === undefined
        ? { ...room, ...await triedOut(open, outside) }
        : { ...room, withheld: missing[0] },
    );
  }
  return [...proven, await provenKdf(outside, log)];
}

/** Tries a room that derives keys; where that takes several, they are alike. */
async function provenKdf(
  outside: string | undefined,
  log: (line: string) => void,
): Promise<Proven> {
  const granted = kdfRoomGrant().granted.filter((addon) => has("ffi", addon));
  let rooms: KdfRooms | undefined;
  try {
    const [trials] = await inTime(async () => {
      rooms = await KdfRooms.open({ log });
      return await rooms.prove({ inside: [], outside });
    });
    return { kind: "kdf", granted, trials };
  } catch (error) {
    return { kind: "kdf", granted, failure: (error as Error).message };
  } finally {
    rooms?.close();
  }
}

/** Whether this thread has a right that a room would be given. */
function has(right: Withheld, place: string): boolean {
  const asked: Deno.PermissionDescriptor = right === "net"
    ? { name: right, host: place }
    : right === "run"
    ? { name: right, command: place }
    : { name: right, path: place };
  return Deno.permissions.querySync(asked).state === "granted";
}

async function triedOut(
  open: () => Opened,
  outside: string | undefined,
): Promise<{ trials: Trial[] } | { failure: string }> {
  let room: Opened | undefined;
  try {
    room = open();
    const opened = room;
    return { trials: await inTime(() => opened.prove({ inside: [], outside })) };
  } catch (error) {
    return { failure: (error as Error).message };
  } finally {
    room?.close();
  }
}
