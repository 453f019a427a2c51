// The side of the user's folders: what the room for changes does for the tools of the vault. It trusts the
// other room with nothing: every path is resolved inside the granted folders again, every file compared
// again. Originals go to the trash between two calls of the room, never during one.

import { asToolError, type SharedFlag } from "../../../containment/mod.ts";
import { servePort } from "../../../containment/rooms/port.ts";
import type { InTurn } from "../../../containment/rooms/worker.ts";
import { rootsWithin } from "../../roots_within.ts";
import type { DiskRequest, Question, Source } from "../disk_gateway.ts";
import { contentOf } from "./content.ts";
import { look, type Place } from "./look.ts";
import { type Going, Originals } from "./originals.ts";

/** What the folders' side stands on. */
export interface DiskSide {
  /** The granted folders and what looks at them. */
  place: Omit<Place, "now">;
  /** Does something between two calls of the room. */
  inTurn: InTurn;
  /** Raised when the vault's room is no more. */
  gone?: SharedFlag;
}

/** Serves the tools of the vault over the port. */
export function serveDisk(port: MessagePort, { place, inTurn, gone }: DiskSide): void {
  const originals = new Originals();
  const narrowed = ({ within }: DiskRequest<object>): Place => ({
    ...place,
    roots: rootsWithin(place.roots, within, place.disk),
    now: Date.now,
  });
  servePort(port, {
    describe(args) {
      const request = args as DiskRequest<{ question: Question }>;
      const { paths } = request.question;
      return told("looking at the disk", paths[0], () => look(narrowed(request), request.question));
    },
    open(args) {
      const request = args as DiskRequest<{ source: Source }>;
      const { source } = request;
      return told("opening", source.path, () => contentOf(narrowed(request), source));
    },
    trash(args, signal) {
      const request = args as DiskRequest<Going>;
      return inTurn(() =>
        told(
          "moving to the trash",
          request.source.path,
          () => originals.trash(narrowed(request), request, signal),
        )
      );
    },
  }, gone);
}

/** Does something; a system error that nothing expected is told with its code. */
function told<T>(operation: string, path: string, body: () => T): T {
  try {
    return body();
  } catch (error) {
    throw asToolError(error, operation, path);
  }
}
