// What a disk room runs: any tool of the catalogue, with only the rights of the room that it was
// opened in.

import "../containment/native_path.ts";
import { linkThrough } from "../containment/rooms/link.ts";
import { serveRoom } from "../containment/rooms/worker.ts";
import {
  type Disk,
  narrowRoots,
  preloadNode,
  realDisk,
  type Root,
  SharedFlag,
  ToolError,
} from "../containment/mod.ts";
import { findTool } from "./catalogue.ts";
import { servePeer } from "./local/duplicates/share.ts";
import { throttled, toolMethods } from "./serve.ts";

/** What the main thread tells a disk room at its start. */
export interface DiskRoomInit {
  roots: Root[];
  uid?: number;
  protectedPaths: string[];
  version: string;
  /** Of a room that shares its work: raised when the other one is no more. */
  peerGone?: SharedArrayBuffer;
}

serveRoom((start, ports) => {
  const { peerGone, ...init } = start as DiskRoomInit;
  const disk: Disk = ports.links === undefined
    ? realDisk
    : { ...realDisk, symlink: linkThrough(ports.links) };
  // The other room for reading hands over a share of its work here. There is going to be some, so
  // what it takes to read files is loaded while nobody waits for it.
  if (ports.peer !== undefined) {
    servePeer(ports.peer, disk);
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

/**
 * The roots that a call may use.
 *
 * @throws ToolError `no_roots` when the narrowing leaves none.
 */
function rootsWithin(roots: Root[], within: readonly string[] | undefined, disk: Disk): Root[] {
  if (within === undefined) return roots;
  const narrowed = narrowRoots(roots, within, disk);
  if (narrowed.length > 0 || roots.length === 0) return narrowed;
  throw new ToolError(
    "no_roots",
    "none of the folders that the client works in overlaps a granted folder, so nothing is " +
      "allowed; nothing was changed. Open a granted folder in the client, or start the server " +
      "without --client-roots narrow",
  );
}
