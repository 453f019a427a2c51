// What a disk room runs: any tool of the catalogue, with only the rights of the room that it was
// opened in.

import "../containment/native_path.ts";
import { linkThrough } from "../containment/rooms/link.ts";
import { serveRoom } from "../containment/rooms/worker.ts";
import { type Disk, preloadNode, realDisk, type Root, SharedFlag } from "../containment/mod.ts";
import { findTool } from "./catalogue.ts";
import { servePeer } from "./local/duplicates/share.ts";
import { rootsWithin } from "./roots_within.ts";
import { throttled, toolMethods } from "./serve.ts";
import { serveDisk } from "./vault/disk/side.ts";

/** What the main thread tells a disk room at its start. */
export interface DiskRoomInit {
  roots: Root[];
  uid?: number;
  protectedPaths: string[];
  version: string;
  /** Of a room that shares its work: raised when the other one is no more. */
  peerGone?: SharedArrayBuffer;
  /** Of a room that the vault's room asks for files: raised when that one is no more. */
  vaultGone?: SharedArrayBuffer;
}

serveRoom((start, ports, inTurn) => {
  const { peerGone, vaultGone, ...init } = start as DiskRoomInit;
  const disk: Disk = ports.links === undefined
    ? realDisk
    : { ...realDisk, symlink: linkThrough(ports.links) };
  // The other room for reading hands over a share of its work here. There is going to be some, so
  // what it takes to read files is loaded while nobody waits for it.
  if (ports.peer !== undefined) {
    servePeer(ports.peer, disk);
    preloadNode();
  }
  if (ports.vault !== undefined) {
    const gone = new SharedFlag(vaultGone);
    serveDisk(ports.vault, { place: { ...init, disk }, inTurn, gone });
    preloadNode();
  }
  const peer = ports.peer && { port: ports.peer, gone: new SharedFlag(peerGone) };
  return toolMethods({
    find: findTool,
    context: ({ within }, { signal, progress }) => ({
      ...init,
      roots: rootsWithin(init.roots, within, disk),
      disk,
      peer,
      signal,
      now: Date.now,
      progress: throttled(progress),
      log: (line) => console.log(line),
    }),
  });
});
