// Makes streams of the engine. Nothing is read or computed before it is asked for; a failure or a
// cancellation on either side reaches the other, and takes the keys with it.

import type { Bytes } from "../bytes.ts";
import { ChunkError } from "../errors.ts";
import { piecesOfReader, type ReadPiece } from "../pieces.ts";
import { ContainerReader, type ReaderOptions } from "../reader.ts";
import type { VerifiedSignature } from "../signature.ts";
import type { ContainerWriter } from "../writer.ts";

/** Known when the whole file was checked, which is before its last chunk is given out. */
export interface StreamMetadata {
  /** Null for a file without a signature. */
  signature: VerifiedSignature | null;
}

/** Both ends of a pipe, as `pipeThrough` takes them. */
export interface StreamPair {
  readable: ReadableStream<Uint8Array>;
  writable: WritableStream<Uint8Array>;
}

/** What makes pieces out of pieces. */
export interface Engine<Piece extends Uint8Array> {
  run(read: ReadPiece): AsyncGenerator<Piece, void, void>;
  /** Forgets the keys. */
  close?(): void;
  /** Told why the stream came to no end. */
  failed?(reason: unknown): void;
}

/** The stream of what an engine makes out of a source. */
export function streamOf<Piece extends Uint8Array>(
  source: ReadableStream<Uint8Array>,
  engine: Engine<Piece>,
): ReadableStream<Piece> {
  const reader = source.getReader();
  const pieces = engine.run(piecesOfReader(reader));
  const stop = async (reason: unknown) => {
    engine.close?.();
    engine.failed?.(reason);
    try {
      await reader.cancel(reason);
    } catch {
      // A source that failed already cannot be cancelled. What is told is the reason, not this.
    }
  };
  return new ReadableStream<Piece>({
    async pull(controller) {
      try {
        const { done, value } = await pieces.next();
        if (!done) return controller.enqueue(value);
        reader.releaseLock();
        controller.close();
      } catch (error) {
        // Not awaited: a source that never answers must not hold up the news.
        void stop(error);
        throw error;
      }
    },
    async cancel(reason) {
      await stop(reason ?? new ChunkError("closed", "the stream was cancelled before its end"));
      await pieces.return();
    },
  }, { highWaterMark: 0 });
}

/** The ciphertext of a plaintext. */
export function encryptStream(
  source: ReadableStream<Uint8Array>,
  writer: ContainerWriter,
): ReadableStream<Bytes> {
  return streamOf(source, { run: (read) => writer.write(read), close: () => writer.close() });
}

/** The plaintext of a ciphertext, and what is known of it at its end. */
export function decryptStream(
  source: ReadableStream<Uint8Array>,
  options: ReaderOptions,
): { plaintext: ReadableStream<Bytes>; metadata: Promise<StreamMetadata> } {
  const { promise: metadata, resolve, reject } = Promise.withResolvers<StreamMetadata>();
  // Whoever reads the plaintext learns of a failure there; the metadata may not interest them.
  metadata.catch(() => {});
  const reader = new ContainerReader({
    ...options,
    onSignature(signature) {
      options.onSignature?.(signature);
      resolve({ signature });
    },
  });
  const plaintext = streamOf(source, {
    run: (read) => reader.read(read),
    close: () => reader.close(),
    failed: reject,
  });
  return { plaintext, metadata };
}

/** The engine between the two ends of a pipe. */
export function encryptPair(writer: ContainerWriter): StreamPair {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  return { readable: encryptStream(readable, writer), writable };
}

/** The engine between the two ends of a pipe, and what is known of the file at its end. */
export function decryptPair(
  options: ReaderOptions,
): { stream: StreamPair; metadata: Promise<StreamMetadata> } {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const { plaintext, metadata } = decryptStream(readable, options);
  return { stream: { readable: plaintext, writable }, metadata };
}
