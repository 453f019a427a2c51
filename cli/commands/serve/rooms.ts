// The two rooms of a server, joined by a port of their own that nothing else can speak on.

import { Room } from "../../../containment/rooms/host.ts";
import { roomModule } from "../../../containment/rooms/modules.ts";
import type { GrantedRoom } from "../../permissions.ts";
import { listenAddress, type ServeRequest } from "./request.ts";

/** The rooms that a request opens, with what each may touch. */
export function servingRooms(request: ServeRequest): GrantedRoom[] {
  const store: GrantedRoom = { kind: "serve-store", granted: [request.data] };
  if (request.does === "check") return [store];
  return [{ kind: "serve-front", granted: [listenAddress(request)] }, store];
}

export interface ServingRooms {
  front: Room;
  store: Room;
}

/**
 * Opens both; `ready` of each settles when it has loaded.
 *
 * @param data the real path of the data folder; without one the room that holds the vault can touch nothing.
 */
export function openServingRooms(
  address: string,
  data: string | undefined,
  log: (line: string) => void,
): ServingRooms {
  const channel = new MessageChannel();
  const store = openStoreRoom(data, log, { front: channel.port1 });
  const front = new Room({
    kind: "serve-front",
    module: roomModule("serve-front"),
    folders: [address],
    init: [address],
    ports: { store: channel.port2 },
    log,
  });
  return { front, store };
}

/** Opens the room that holds the vault alone, or joined to another one. */
export function openStoreRoom(
  data: string | undefined,
  log: (line: string) => void,
  ports: Record<string, MessagePort> = {},
): Room {
  return new Room({
    kind: "serve-store",
    module: roomModule("serve-store"),
    folders: data === undefined ? [] : [data],
    init: data,
    ports,
    log,
  });
}
