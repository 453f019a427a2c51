// How two rooms send each other bytes over a port that they share: in pieces whose buffers change hands, and
// no more of them than the receiver has room for. A body has a number. The messages are the same in both
// directions: who sends a piece says whose body it is of.

import type { ErrorRecord } from "../../error.ts";

/** Most bytes in one message; less only goes out at the end of a body. */
export const PIECE = 256 * 1024;

/** Most buffers in one message: a body may come in very small ones. */
export const BUFFERS = 64;

/** Bytes of one body that may be under way before the receiver has taken any of them. */
export const WINDOW = 4 * PIECE;

/** About the bytes of a body. */
export type BodyMessage =
  /** The next bytes. The buffers are transferred: the sender has them no longer. */
  | { type: "piece"; id: number; buffers: ArrayBuffer[] }
  /** That was all. */
  | { type: "end"; id: number }
  /** The rest will not come; why is told where it is meant to be. */
  | { type: "fail"; id: number; error?: ErrorRecord }
  /** From the receiver: so many bytes were taken, and so many more may come. */
  | { type: "credit"; id: number; bytes: number }
  /** From the receiver: the rest is not wanted. */
  | { type: "cancel"; id: number };

/** Posts a message to the other room. */
export type Send = (message: BodyMessage, transfer?: Transferable[]) => void;
