// Opens every room as a command would, has it try its walls, and closes it again.

import { type RoomKind, ToolError } from "../../../containment/mod.ts";
import type { ProofRequest, Trial } from "../../../containment/rooms/proof.ts";
import { catalogue } from "../../../tools/catalogue.ts";
import { roomKinds, Session, type SessionOptions } from "../../../tools/session.ts";
import type { Tool } from "../../../tools/tool.ts";

/** Milliseconds that a room has to open and to try its walls. */
const PATIENCE = 20_000;

/** A room that was opened and asked; or why that did not work. */
export type Proven =
  | { kind: RoomKind; trials: Trial[] }
  | { kind: RoomKind; failure: string };

/** Opens the rooms of every tool. It must be done before the main thread gives up its rights. */
export async function proveRooms(
  options: SessionOptions,
  request: ProofRequest,
): Promise<Proven[]> {
  const proven: Proven[] = [];
  // Apart, since what keeps the rooms that change things from opening need not touch the others.
  for (const effect of ["read", "change"]) {
    const tools = catalogue.filter((tool) => tool.effect === effect);
    proven.push(...await proveSession(tools, options, request));
  }
  return proven;
}

async function proveSession(
  tools: readonly Tool[],
  options: SessionOptions,
  request: ProofRequest,
): Promise<Proven[]> {
  const session = new Session(options);
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new ToolError("io_error", `it did not answer in ${PATIENCE / 1000} seconds`)),
    PATIENCE,
  );
  try {
    session.open(tools);
    const answers = session.ready().then(() => session.prove(request));
    return await Promise.race([answers, late]);
  } catch (error) {
    const failure = (error as Error).message;
    return roomKinds(tools).map((kind) => ({ kind, failure }));
  } finally {
    clearTimeout(timer);
    session.close();
  }
}
