// What runs inside the page: a vault from its making to an upload and back, with keys derived in workers.

import { type File, KdfWorkers, OwnerVault, type Progress } from "../../../../vault/owner/mod.ts";

const PASSPHRASE = "typed into a page";
/** Milliseconds between two looks at whether the page still reacts. */
const LOOK_MS = 20;

/** What the page saw. */
export interface Report {
  recoveryKey: string;
  names: string[];
  /** The text of the small file. */
  text: string;
  /** Whether the large file came back as it went. */
  same: boolean;
  sent: Progress[];
  /** The longest time in which the page did not react while keys were derived, in milliseconds. */
  longestPause: number;
  /** What the refusals said. */
  codes: string[];
}

/** Measures pauses of the page until it is stopped. */
function pauses(): { stop(): number } {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - LOOK_MS);
    last = now;
  }, LOOK_MS);
  return {
    stop() {
      clearInterval(timer);
      return longest;
    },
  };
}

function numbers(size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  for (let i = 0; i < size; i++) bytes[i] = i * 2654435761 >>> 24;
  return bytes;
}

async function sha256(blob: Blob): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", await blob.arrayBuffer());
  return Array.from(new Uint8Array(digest)).join();
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "done";
  } catch (error) {
    const { code, name } = error as { code?: unknown; name: string };
    return typeof code === "string" ? code : name;
  }
}

async function uploadLarge(
  vault: OwnerVault,
  folderId: string,
  size: number,
): Promise<{ file: File; content: Blob; sent: Progress[] }> {
  const content = new Blob([numbers(size)]);
  const sent: Progress[] = [];
  const file = await vault.upload(folderId, {
    name: "large.bin",
    size,
    content,
    verify: true,
    onProgress: (progress) => {
      if (progress.phase === "sending") sent.push(progress);
    },
  });
  return { file, content, sent };
}

/** Makes a vault, fills it, locks it and opens it again. */
async function live(setupToken: string, largeSize: number): Promise<Report> {
  const kdf = new KdfWorkers(() => new Worker("/kdf_worker.js", { type: "module" }));
  const { origin } = location;
  const pause = pauses();
  const { vault, recoveryKey } = await OwnerVault.create({
    origin,
    setupToken,
    passphrase: PASSPHRASE,
    kdf,
  });
  await vault.refresh();
  const folder = await vault.createFolder(null, "Päpers");
  const longestPause = pause.stop();
  const small = new Blob(["a note"]);
  await vault.upload(folder.id, { name: "note.txt", size: small.size, content: small });
  const { content, sent } = await uploadLarge(vault, folder.id, largeSize);
  const stopped = AbortSignal.abort(new DOMException("stopped", "AbortError"));
  const codes = [
    await codeOf(OwnerVault.unlock({ origin, passphrase: "another", kdf })),
    await codeOf(vault.upload(null, { name: "x", size: 7, content: small })),
    await codeOf(vault.upload(null, { name: "x", size: 6, content: small, signal: stopped })),
  ];
  await vault.lock();

  const again = await OwnerVault.unlock({ origin, passphrase: PASSPHRASE, kdf });
  const tree = await again.refresh();
  const files = new Map([...tree.files.values()].map((file) => [file.name, file]));
  const read = async (name: string) => {
    const download = await again.download(files.get(name)!.id);
    return await new Response(download.content).blob();
  };
  const text = await (await read("note.txt")).text();
  const same = await sha256(await read("large.bin")) === await sha256(content);
  await again.lock();
  kdf.close();
  const names = [...tree.folders.values(), ...tree.files.values()].map((item) => tree.path(item));
  return { recoveryKey, names: names.sort(), text, same, sent, longestPause, codes };
}

/** By these names the test calls them. */
export interface Runner {
  live: typeof live;
}

Object.assign(globalThis, { runner: { live } satisfies Runner });
