// The other end of the port, in the room that holds the vault: hands each request to the service and
// carries back what it answers.

import { Bodies } from "../../../containment/rooms/bodies/bodies.ts";
import type { ServiceAnswer, ServiceRequest } from "../service/message.ts";
import { Refusal } from "../service/refusal.ts";
import type { Answers, ToFront, ToStore } from "./protocol.ts";

/** What a bug in the service is answered with. */
const INTERNAL: ServiceAnswer = {
  status: 500,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ code: "internal" }),
  route: "(internal)",
};

/** Serves what comes over the port, as many requests at a time as come. */
export function serveBridge(
  port: MessagePort,
  service: Answers,
  log: (line: string) => void,
): void {
  const post = (message: ToFront, transfer: Transferable[] = []) =>
    port.postMessage(message, transfer);
  const bodies = new Bodies(post, log);
  const tell = (error: unknown) => log((error as Error)?.stack ?? String(error));

  async function answered(request: ServiceRequest): Promise<ServiceAnswer> {
    try {
      return await service.handle(request);
    } catch (error) {
      tell(error);
      return INTERNAL;
    }
  }

  async function serve({ id, head, body }: ToStore & { type: "request" }): Promise<void> {
    const answer = await answered({ ...head, body: body ? bodies.receive(id) : null });
    // Whatever is left of the request decides nothing any more.
    bodies.stop(id);
    const { body: content, ...answerHead } = answer;
    const streams = content instanceof ReadableStream;
    post({ type: "answer", id, head: answerHead, body: streams ? true : content });
    if (!streams) return;
    try {
      await bodies.send(id, content);
    } catch (error) {
      // The one refusal that comes so late: the caller was shut out in the middle.
      if (!(error instanceof Refusal)) tell(error);
    }
  }

  port.onmessage = ({ data }: MessageEvent<ToStore>) => {
    if (data.type === "request") void serve(data);
    else bodies.handle(data);
  };
}
