// The room that speaks HTTP, which ends itself some time after it was told to listen.

/// <reference lib="deno.worker" />

import "../../vault/server/front_room.ts";

(self as unknown as DedicatedWorkerGlobalScope).addEventListener("message", ({ data }) => {
  if (data.type === "call" && data.method === "listen") setTimeout(() => self.close(), 1500);
});
