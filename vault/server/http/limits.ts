// What a client may cost before it has shown who it is: how long it may say nothing, how much it may send,
// and how many there may be at once.

/** Milliseconds and numbers that the HTTP side holds clients to. */
export interface HttpLimits {
  /** Until a connection's TLS is agreed on. */
  handshakeMs: number;
  /** Until a request's head has come, whole. */
  headMs: number;
  /** Until the next request on a connection that is kept open. */
  keepAliveMs: number;
  /** Without a byte of a body that is waited for. */
  idleMs: number;
  /** For all of a body that is not an upload. */
  bodyMs: number;
  /** For all of an upload, on top of what its bytes gain it. */
  uploadMs: number;
  /** Bytes of an upload that gain it another second: who sends fewer holds a place for nothing. */
  uploadRate: number;
  /** Without taking any of an answer that is ready. The system takes megabytes ahead of a slow reader. */
  stallMs: number;
  /** For the service to begin its answer once all of the request has come. */
  answerMs: number;
  /** For a client to end a request that was answered before it was whole. */
  lingerMs: number;
  /** Bytes of a request's head. */
  headBytes: number;
  /** Characters of a request's target. */
  targetLength: number;
  connections: number;
  /** Requests being answered. */
  requests: number;
}

export const HTTP_LIMITS: HttpLimits = {
  handshakeMs: 10_000,
  headMs: 15_000,
  keepAliveMs: 15_000,
  idleMs: 30_000,
  bodyMs: 30_000,
  uploadMs: 60_000,
  uploadRate: 1024,
  stallMs: 120_000,
  answerMs: 120_000,
  lingerMs: 2_000,
  headBytes: 16 * 1024,
  targetLength: 4096,
  connections: 512,
  requests: 256,
};
