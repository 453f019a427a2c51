// Opens the rooms of `serve` as it would, has them try their walls, and closes them again. Nothing is
// served, and a vault's folder that is there is neither locked nor looked into.

import { errnoOf, nativeRules, realDisk } from "../../../containment/mod.ts";
import type { Room } from "../../../containment/rooms/host.ts";
import { type ProofRequest, PROVE, type Trial } from "../../../containment/rooms/proof.ts";
import type { Environment } from "../../environment.ts";
import { placesOf } from "../../places.ts";
import { DEFAULT_HOST, DEFAULT_PORT } from "../serve/options.ts";
import { openServingRooms } from "../serve/rooms.ts";
import { inTime, type Proven } from "./open_rooms.ts";

/** Tries both rooms on the address and the folder that `serve` takes when it is told nothing. */
export async function proveServing(
  environment: Environment,
  log: (line: string) => void,
): Promise<Proven[]> {
  const address = `${DEFAULT_HOST}:${DEFAULT_PORT}`;
  const data = vaultFolder(environment);
  const listens = { kind: "serve-front" as const, granted: [address] };
  const holds = { kind: "serve-store" as const, granted: data === undefined ? [] : [data] };
  if (Deno.permissions.querySync({ name: "net", host: address }).state !== "granted") {
    return [{ ...listens, withheld: "net" }];
  }
  const everything = nativeRules.resolve(nativeRules.sep);
  const outside = data === undefined ? everything : nativeRules.dirname(data);
  let rooms: { front: Room; store: Room } | undefined;
  try {
    rooms = openServingRooms(address, data, log);
    const { front, store } = rooms;
    return [
      { ...listens, trials: await prove(front, { inside: [], outside: everything }) },
      { ...holds, trials: await prove(store, { inside: holds.granted, outside }) },
    ];
  } catch (error) {
    const failure = (error as Error).message;
    return [{ ...listens, failure }, { ...holds, failure }];
  } finally {
    rooms?.front.close();
    rooms?.store.close();
  }
}

function prove(room: Room, request: ProofRequest): Promise<Trial[]> {
  return inTime(async () => await room.call(PROVE, request) as Trial[]);
}

/** The real path of the folder with this user's vault; undefined when there is none. */
function vaultFolder({ variables, home }: Environment): string | undefined {
  const vault = placesOf(variables, home)?.vault;
  if (vault === undefined) return undefined;
  try {
    return realDisk.realPath(vault);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
