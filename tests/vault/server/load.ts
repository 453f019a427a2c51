// Many clients at once: downloads and uploads side by side, every byte compared. Prints throughput, the
// times of the calls and the server's memory. `deno run -A tests/vault/server/load.ts [DOWNLOADS] [UPLOADS]`

import { createHash } from "node:crypto";
import { KeylessOwner, type Stored } from "./keyless/parties.ts";
import { startServing } from "./serving.ts";

export interface LoadOptions {
  downloads: number;
  uploads: number;
  /** Bytes of plaintext of each file. */
  size: number;
  /** Different files that are downloaded. */
  files: number;
}

export interface LoadResult {
  /** Transfers whose bytes were not those that were stored, or that failed. */
  wrong: string[];
  seconds: number;
  bytes: number;
  /** Milliseconds of each, ascending. */
  downloadTimes: number[];
  uploadTimes: number[];
  /** Resident bytes of the server: before, and the most that was seen. */
  memoryBefore: number;
  memoryPeak: number;
}

/** The SHA-256 of a stream that is not kept. */
async function hashOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of body) hash.update(piece);
  return hash.digest("hex");
}

/** Runs a transfer and notes how long it took, or what went wrong. */
async function timed(
  times: number[],
  wrong: string[],
  transfer: () => Promise<string | undefined>,
) {
  const start = performance.now();
  try {
    const problem = await transfer();
    if (problem !== undefined) wrong.push(problem);
  } catch (error) {
    wrong.push(String(error));
  }
  times.push(performance.now() - start);
}

/** Starts a server, and lets all of them begin at the same moment. */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const { downloads, uploads, size, files } = options;
  const data = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "shieldfive-load-" }));
  const serving = await startServing(data);
  try {
    const owner = await KeylessOwner.setUp(serving.origin, serving.setupToken!);
    const folderId = await owner.createFolder();
    const agents = await Promise.all(
      Array.from({ length: 4 }, () => owner.grant({ rootIds: [folderId] })),
    );
    const stored: Stored[] = [];
    for (let i = 0; i < files; i++) stored.push(await owner.upload(folderId, size));
    const memoryBefore = serving.memory();
    let memoryPeak = memoryBefore;
    const watch = setInterval(() => memoryPeak = Math.max(memoryPeak, serving.memory()), 50);
    const [wrong, downloadTimes, uploadTimes]: [string[], number[], number[]] = [[], [], []];
    let bytes = 0;
    const download = async (index: number) => {
      const file = stored[index % stored.length];
      const answer = await agents[index % agents.length].download(file.id);
      if (answer.status !== 200) return `download: ${answer.status} ${await answer.text()}`;
      const hash = await hashOf(answer.body!);
      bytes += file.ciphertext.length;
      return hash === file.sha256 ? undefined : `download ${index}: another hash`;
    };
    const upload = async (index: number) => {
      const file = await agents[index % agents.length].upload(folderId, size);
      bytes += file.ciphertext.length;
      const back = await hashOf((await owner.content(file.id)).body!);
      return back === file.sha256 ? undefined : `upload ${index}: another hash`;
    };
    const start = performance.now();
    await Promise.all([
      ...Array.from(
        { length: downloads },
        (_, i) => timed(downloadTimes, wrong, () => download(i)),
      ),
      ...Array.from({ length: uploads }, (_, i) => timed(uploadTimes, wrong, () => upload(i))),
    ]);
    const seconds = (performance.now() - start) / 1000;
    clearInterval(watch);
    const ascending = (times: number[]) => times.sort((a, b) => a - b);
    ascending(downloadTimes);
    ascending(uploadTimes);
    return { wrong, seconds, bytes, downloadTimes, uploadTimes, memoryBefore, memoryPeak };
  } finally {
    await serving.stop();
    Deno.removeSync(data, { recursive: true });
  }
}

function print(what: string, times: number[]): void {
  const at = (part: number) => (times[Math.floor(part * (times.length - 1))] / 1000).toFixed(2);
  console.log(
    `${what.padEnd(10)} ${times.length}, p50 ${at(0.5)} s, p95 ${at(0.95)} s, all ${at(1)} s`,
  );
}

if (import.meta.main) {
  const [downloads = 200, uploads = 50] = Deno.args.map(Number);
  const result = await load({ downloads, uploads, size: 4 * 1024 * 1024, files: 10 });
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
  print("downloads", result.downloadTimes);
  print("uploads", result.uploadTimes);
  console.log(
    `${megabytes(result.bytes)} in ${result.seconds.toFixed(1)} s, ` +
      `${megabytes(result.bytes / result.seconds)}/s`,
  );
  console.log(
    `memory     ${megabytes(result.memoryBefore)} before, at most ${megabytes(result.memoryPeak)}`,
  );
  for (const problem of result.wrong) console.log(`WRONG: ${problem}`);
  Deno.exit(result.wrong.length === 0 ? 0 : 1);
}
