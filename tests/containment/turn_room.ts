// A room whose calls and whose port write down when they begin and end.

import { servePort } from "../../containment/rooms/port.ts";
import { serveRoom } from "../../containment/rooms/worker.ts";

serveRoom((_init, ports, inTurn) => {
  const notes: string[] = [];
  const work = async (name: string) => {
    notes.push(`${name} begins`);
    await new Promise((resolve) => setTimeout(resolve, 20));
    notes.push(`${name} ends`);
  };
  servePort(ports.other, {
    work: (name) => inTurn(() => work(String(name))),
    fail: () =>
      inTurn(() => {
        throw new Error("a bug");
      }),
  });
  return { work: (name) => work(String(name)), notes: () => notes };
});
