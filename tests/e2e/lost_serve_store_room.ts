// The room that holds the vault, which ends itself in the middle of its work: when there is a file `lost` in
// its data folder.

/// <reference lib="deno.worker" />

import "../../vault/server/store_room.ts";

let folder: string | undefined;
(self as unknown as DedicatedWorkerGlobalScope).addEventListener("message", ({ data }) => {
  if (data.type === "start") folder = data.init;
});

setInterval(() => {
  if (folder !== undefined && [...Deno.readDirSync(folder)].some(({ name }) => name === "lost")) {
    self.close();
  }
}, 20);
