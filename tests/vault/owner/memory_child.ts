// Sends a large stream into a vault and reads it back, in a process of its own, and says by how much that
// made the process grow.

import { createHash } from "node:crypto";
import { OwnerVault } from "../../../vault/owner/mod.ts";
import { QUICK_KDF, uploadText } from "./support.ts";

export interface MemoryReport {
  /** Whether the file came back as it went. */
  same: boolean;
  /** Bytes. */
  grown: number;
}

/** So many bytes, in pieces of 256 KiB that differ. */
export function numbers(
  size: number,
  seen?: (at: number) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= size) return controller.close();
      const piece = new Uint8Array(Math.min(262_144, size - at)).fill(at / 262_144 % 251);
      at += piece.length;
      seen?.(at);
      controller.enqueue(piece);
    },
  }, { highWaterMark: 0 });
}

async function sha256Of(stream: ReadableStream<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of stream) hash.update(piece);
  return hash.digest("hex");
}

async function run(origin: string, setupToken: string, size: number): Promise<MemoryReport> {
  const options = { origin, setupToken, passphrase: "for one test", kdf: QUICK_KDF };
  const { vault } = await OwnerVault.create(options);
  await vault.refresh();
  // What has to be loaded for it is loaded.
  await uploadText(vault, null, "first", "x");
  const rss = () => Deno.memoryUsage().rss;
  const before = rss();
  let most = before;
  const look = () => most = Math.max(most, rss());
  const { id } = await vault.upload(null, {
    name: "large",
    size,
    content: () => numbers(size, look),
  });
  const { content } = await vault.download(id, { onProgress: look });
  const same = await sha256Of(content) === await sha256Of(numbers(size));
  await vault.lock();
  return { same, grown: most - before };
}

if (import.meta.main) {
  const [origin, setupToken, size] = Deno.args;
  console.log(JSON.stringify(await run(origin, setupToken, Number(size))));
}
