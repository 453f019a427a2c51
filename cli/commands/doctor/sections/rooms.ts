// The rooms: what each may touch, and whether it can do that and nothing else.

import { describePermissions, type RoomKind } from "../../../../containment/mod.ts";
import { misfits, type Trial } from "../../../../containment/rooms/proof.ts";
import { permissionLines } from "../../../permissions.ts";
import { type Finding, note, ok, problem } from "../finding.ts";
import type { Proven } from "../open_rooms.ts";
import type { Section } from "../section.ts";

export const rooms: Section = {
  name: "rooms",
  title: "Rooms",
  look: ({ rooms, folders }) => {
    const paths = folders.roots.map(({ path }) => path);
    return [...rooms.map((room) => judged(room, room.granted ?? paths)), mainThread()];
  },
};

/** Why there may be nothing that a room is given, with nothing amiss. */
const IDLE: Partial<Record<RoomKind, string>> = {
  "serve-store": "there is no vault to serve yet",
  connect: "nothing here opens a browser",
  keychain: "there is no native code for a keychain of this system",
  kdf: "keys are derived in WebAssembly, which takes no right",
};

/** What a room is worth that was opened and tried its walls. */
export function judged(room: Proven, folders: readonly string[]): Finding {
  const { kind } = room;
  // With no folders, a right that is for them alone is no right.
  const permissions = describePermissions(kind, folders).filter((line) => !line.endsWith(": "));
  const lines = [...permissions, "nothing else"];
  if ("failure" in room) {
    return problem(
      "room",
      `room ${kind} cannot be opened: ${room.failure}`,
      "see the rights under Program; with all of them this is a bug, to be reported",
      { lines, data: { kind, permissions } },
    );
  }
  if ("withheld" in room) {
    const text = kind === "serve-front"
      ? "the rooms of `serve` were not tried: this was started without the right to listen"
      : `room ${kind} was not tried: this was started without a right of its own (${room.withheld})`;
    return note("room", text, { lines, data: { kind, permissions } });
  }
  const { trials } = room;
  const details = { lines, data: { kind, permissions, trials } };
  const faults = misfits(kind, folders, trials);
  const much = faults.filter(({ fault }) => fault === "too much");
  if (much.length > 0) {
    const text = `ROOM ${kind} COULD DO TOO MUCH: ${
      much.map(({ trial }) => told(trial)).join(", ")
    }`;
    const fix = "do not use this installation; install it anew, and report this";
    return problem("room", text, fix, details);
  }
  const weak = [...faults.map(({ trial }) => trial), ...failures(trials, folders)];
  if (weak.length > 0) {
    const text = `room ${kind} cannot do its work: ${weak.map(told).join(", ")}`;
    return problem("room", text, "see Roots and Program", details);
  }
  const idle = IDLE[kind];
  if (idle !== undefined && folders.length === 0) {
    return ok("room", `the walls of room ${kind} stand; ${idle}`, details);
  }
  if (folders.length > 0) return ok("room", `room ${kind} works, and its walls stand`, details);
  return note("room", `the walls of room ${kind} stand; it has no folder to work in`, details);
}

/** Reads of the granted folders themselves that the system failed. */
function failures(trials: readonly Trial[], folders: readonly string[]): Trial[] {
  return trials.filter(({ what, folder, errno }) =>
    what === "read" && errno !== undefined && folders.includes(folder ?? "")
  );
}

function told({ what, folder, address, file, errno }: Trial): string {
  return [what, folder ?? address ?? file ?? "anything", errno].filter((part) => part !== undefined)
    .join(
      " ",
    );
}

function mainThread(): Finding {
  const [, ...lines] = permissionLines([], []);
  return ok("room.main", "main thread", { lines: lines.map((line) => line.trim()) });
}
