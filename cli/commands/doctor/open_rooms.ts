// Opens every room as a command would, has it try its walls, and closes it again.

import { type RoomKind, ToolError } from "../../../containment/mod.ts";
import type { ProofRequest, Trial } from "../../../containment/rooms/proof.ts";
import { localTools } from "../../../tools/catalogue.ts";
import { roomKinds, Session, type SessionOptions } from "../../../tools/session.ts";
import type { Tool } from "../../../tools/tool.ts";

/** Milliseconds that a room has to open and to try its walls. */
const PATIENCE = 20_000;

/** A right that not every start of the program is given. */
export type Withheld = "net" | "run" | "ffi";

/** A room that was opened and asked; or why that did not work. */
export type Proven =
  & {
    kind: RoomKind;
    /** What it may touch, where that is not the folders of the report. */
    granted?: readonly string[];
  }
  & (
    | { trials: Trial[] }
    | { failure: string }
    /** The right that the program was started without, so that it cannot be given to a room. */
    | { withheld: Withheld }
  );

/** Opens the rooms of every local tool. It must be done before the main thread gives up its rights. */
export async function proveRooms(
  options: SessionOptions,
  request: ProofRequest,
): Promise<Proven[]> {
  const proven: Proven[] = [];
  // Apart, since what keeps the rooms that change things from opening need not touch the others.
  for (const effect of ["read", "change"]) {
    const tools = localTools.filter((tool) => tool.effect === effect);
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
  try {
    return await inTime(async () => {
      session.open(tools);
      await session.ready();
      return await session.prove(request);
    });
  } catch (error) {
    const failure = (error as Error).message;
    return roomKinds(tools).map((kind) => ({ kind, failure }));
  } finally {
    session.close();
  }
}

/** @throws ToolError `io_error` when it takes too long. */
export async function inTime<T>(work: () => Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new ToolError("io_error", `it did not answer in ${PATIENCE / 1000} seconds`)),
    PATIENCE,
  );
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
