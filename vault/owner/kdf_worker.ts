// The script of a worker that derives keys for a page, and does nothing else. It is an entry point of its
// own: see kdf_workers.ts.

import { argon2id, type Argon2Request, CryptoError } from "@shieldfive/crypto/extra/kdf_pool.ts";

/** What the page asks; the password's memory is the worker's from then on. */
export type KdfQuestion = Argon2Request & { id: number };

/** What the worker answers. */
export type KdfAnswer =
  | { id: number; key: Uint8Array }
  | { id: number; code: string; message: string };

/** What is used here of a worker's global scope, which has no types beside a page's. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<KdfQuestion>) => void) | null;
  postMessage(message: KdfAnswer, transfer?: Transferable[]): void;
}

async function answerTo({ id, ...request }: KdfQuestion): Promise<KdfAnswer> {
  try {
    return { id, key: await argon2id(request) };
  } catch (error) {
    const code = error instanceof CryptoError ? error.code : "derivation_failed";
    return { id, code, message: (error as Error).message };
  } finally {
    request.password.fill(0);
  }
}

const scope = globalThis as unknown as WorkerScope;
// Whoever takes the types from here is no worker.
if ("WorkerGlobalScope" in globalThis) {
  scope.onmessage = async ({ data }) => {
    const answer = await answerTo(data);
    scope.postMessage(answer, "key" in answer ? [answer.key.buffer as ArrayBuffer] : []);
  };
}
