// Moves between two real volumes, for the tests of what arrives and of what goes wrong.

import {
  CancelFlag,
  type ContentPorts,
  type Disk,
  moveAcrossVolumes,
  realDisk,
  type VolumeMove,
} from "../../containment/mod.ts";
import { inTempDir } from "../support.ts";
import { hasOtherVolume } from "../tools/changing.ts";

/** Runs the body with a folder on the temporary volume and one on another volume. */
export async function onTwoVolumes(body: (from: string, to: string) => void): Promise<void> {
  if (!hasOtherVolume()) return;
  await inTempDir((from) => inTempDir((to) => body(from, to), { on: "/dev/shm" }));
}

/** Moves an entry to the other volume; pass `over` to replace parts of what the move works with. */
export function move(
  from: string,
  to: string,
  disk: Disk = realDisk,
  over: Partial<ContentPorts> = {},
): VolumeMove {
  const ports = { disk, signal: new CancelFlag(), ...over };
  return moveAcrossVolumes(from, to, Deno.lstatSync(from), ports);
}
