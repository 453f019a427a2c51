// What comes to a room over a port of its own waits its turn among the room's calls.

import assert from "node:assert/strict";
import { Room } from "../../containment/rooms/host.ts";
import { PortCalls } from "../../containment/rooms/port.ts";

Deno.test("calls of a room and what comes over its port never overlap, and a failure holds up nothing", async () => {
  const { port1, port2 } = new MessageChannel();
  const room = new Room({
    kind: "disk-read",
    module: new URL("./turn_room.ts", import.meta.url),
    folders: [],
    ports: { other: port2 },
    log: () => {},
  });
  try {
    const other = new PortCalls(port1, undefined, "the other room");
    const mixed = Array.from(
      { length: 6 },
      (_, i) => i % 2 === 0 ? room.call("work", `call ${i}`) : other.call("work", `port ${i}`),
    );
    const failure = other.call("fail", {});
    await assert.rejects(failure, { code: "internal" });
    await Promise.all(mixed);
    const notes = await room.call("notes", undefined) as string[];
    assert.equal(notes.length, 12);
    for (let i = 0; i < notes.length; i += 2) {
      assert.equal(notes[i].replace("begins", "ends"), notes[i + 1]);
    }
  } finally {
    room.close();
    port1.close();
  }
});
