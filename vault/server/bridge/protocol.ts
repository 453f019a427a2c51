// What the room that speaks HTTP and the room that holds the vault say to each other over their one port.
// A request has a number; so have, under the same number, the bytes of its body and those of its answer.

import type { BodyMessage } from "../../../containment/rooms/bodies/protocol.ts";
import type { ServiceAnswer, ServiceRequest } from "../service/message.ts";

export type ToStore =
  | BodyMessage
  | { type: "request"; id: number; head: Omit<ServiceRequest, "body">; body: boolean };

export type ToFront =
  | BodyMessage
  | {
    type: "answer";
    id: number;
    head: Omit<ServiceAnswer, "body">;
    /** True when the bytes follow. */
    body: string | true | null;
  };

/** Whoever answers requests: the service itself, or the way to it through a port. */
export interface Answers {
  handle(request: ServiceRequest): Promise<ServiceAnswer>;
}
