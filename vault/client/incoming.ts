// Ciphertext as it comes in: never more than was to be expected, given up when nothing comes for a while,
// and cut to the part that was asked for where a server sends the whole.

import { ToolError } from "../../containment/error.ts";
import type { Part } from "./api.ts";
import { dismiss, meaningOf } from "./bodies.ts";
import { badAnswer } from "./refusals.ts";
import { IDLE_MS, orAborted, type Watch } from "./timing.ts";

export interface IncomingOptions {
  part: Part | undefined;
  /** Bytes above which it is refused. */
  most: number;
  /** Rings when nothing comes. */
  watch: Watch;
  /** Aborted by the watch, and by the caller. */
  until: AbortSignal;
}

export function tooLarge(most: number): ToolError {
  return new ToolError(
    "too_large",
    `the file has more bytes than the ${most} that may be fetched here; raise the limit of the call, or ` +
      "open the file in ShieldFive",
  );
}

/** What of an answer is wanted. */
interface Cut {
  /** Bytes to leave out in front. */
  skip: number;
  /** Bytes to pass on after that. */
  take: number;
  /** Whether more than that is another answer than was asked for, rather than the rest of the file. */
  exact: boolean;
}

/** The bytes of an answer, or of the part of it that was asked for. @throws ToolError `too_large` */
export async function incoming(
  response: Response,
  { part, most, watch, until }: IncomingOptions,
): Promise<ReadableStream<Uint8Array>> {
  const refuse = async (error: ToolError) => {
    await dismiss(response.body);
    throw error;
  };
  const cut = cutOf(response, part);
  if (cut === undefined) return await refuse(badAnswer("another part of the file than was asked"));
  const announced = Number(response.headers.get("content-length") ?? 0);
  if (part === undefined && announced > most) return await refuse(tooLarge(most));
  const body = response.body ?? new Blob().stream();
  return passed(body, { ...cut, most: part === undefined ? most : Infinity }, watch, until);
}

const FROM = /^bytes (\d{1,16})-/;

function cutOf({ status, headers }: Response, part: Part | undefined): Cut | undefined {
  if (part === undefined) return { skip: 0, take: Infinity, exact: true };
  const take = part.end - part.start;
  // A server without ranges sends everything.
  if (status !== 206) return { skip: part.start, take, exact: false };
  const from = FROM.exec(headers.get("content-range") ?? "")?.[1];
  return Number(from) === part.start ? { skip: 0, take, exact: true } : undefined;
}

/** The wanted bytes of a body. */
function passed(
  body: ReadableStream<Uint8Array>,
  { skip, take, exact, most }: Cut & { most: number },
  watch: Watch,
  until: AbortSignal,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let received = 0;
  const read = async () => {
    watch.arm(IDLE_MS);
    const { done, value } = await orAborted(reader.read(), until).finally(() => watch.disarm());
    if (done) return undefined;
    received += value.length;
    if (received > most) throw tooLarge(most);
    const wanted = value.subarray(skip, skip + take);
    if (exact && wanted.length < value.length) throw badAnswer("more of the file than was asked");
    skip -= Math.min(skip, value.length);
    take -= wanted.length;
    return wanted;
  };
  // Not awaited: who sends nothing may not hear of this either.
  const leave = (reason: unknown) => void reader.cancel(reason).catch(() => {});
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        let piece = await read();
        while (piece?.length === 0) piece = await read();
        if (piece !== undefined) controller.enqueue(piece);
        if (piece !== undefined && (exact || take > 0)) return;
        if (piece !== undefined) leave("the rest is not needed");
        controller.close();
      } catch (error) {
        leave(error);
        throw meaningOf(error, until);
      }
    },
    cancel: leave,
  }, { highWaterMark: 0 });
}
