// One life of the server: it is started on what the last one left, compared with what its clients know,
// put to work, and killed. Then `serve --check` looks at what is left on the disk.

import { fileURLToPath } from "node:url";
import type { seeded } from "../../../faults/seed.ts";
import type { Answered } from "../keyless/caller.ts";
import { KeylessAgent, KeylessOwner, sha256 } from "../keyless/parties.ts";
import { type Serving, startServing } from "../serving.ts";
import { ABSENT, type KnownFile } from "./model.ts";
import { type Kind, type Scene, Worker } from "./workload.ts";

const ENTRY = fileURLToPath(new URL("../../../../mod.ts", import.meta.url));
const WORKERS = 4;
/** What is recorded beside the changes of a file. */
const NO_CHANGE = new Set(["list", "download", "reserve_upload", "abort_upload"]);

/** A vault that is killed again and again, and all that is known of it. */
export interface Killed {
  data: string;
  owner: KeylessOwner;
  agent: KeylessAgent;
  folders: string[];
  /** Those of each worker. */
  files: KnownFile[][];
  random: ReturnType<typeof seeded>;
}

/** What became of one life. */
export interface Life {
  problems: string[];
  /** Changes of each kind that were answered before the end. */
  done: Record<Kind, number>;
}

/** Makes the vault. */
export async function createKilled(
  data: string,
  random: ReturnType<typeof seeded>,
): Promise<Killed> {
  const serving = await startServing(data);
  const owner = await KeylessOwner.setUp(serving.origin, serving.setupToken!);
  const folders = [await owner.createFolder(), await owner.createFolder()];
  folders.push(await owner.createFolder(folders[0]));
  const agent = await owner.grant({ rootIds: folders.slice(0, 2) });
  await serving.stop();
  const files = Array.from({ length: WORKERS }, (): KnownFile[] => []);
  return { data, owner, agent, folders, files, random };
}

/**
 * How the server is ended while it is at work.
 *
 * @param busy settles when the workers found that it is gone.
 * @param answered how many changes were answered so far.
 */
export type Ending = (
  serving: Serving,
  busy: Promise<unknown>,
  answered: () => number,
) => Promise<void>;

/** Kills it so many milliseconds after so many changes were answered. */
export function killAfter(changes: number, ms: number): Ending {
  const later = (time: number) => new Promise((resolve) => setTimeout(resolve, time));
  return async (serving, _busy, answered) => {
    while (answered() < changes && serving.running) await later(1);
    await later(ms);
    await serving.kill();
  };
}

async function allActivity(owner: KeylessOwner): Promise<Answered[]> {
  const entries: Answered[] = [];
  for (let after: string | null = ""; after !== null;) {
    const place: string = after === "" ? "" : `&after=${after}`;
    const page: Answered = await owner.ok("GET", `/activity?limit=1000${place}`);
    entries.push(...page.entries);
    after = page.next;
  }
  return entries;
}

/** Compares what the server says with what its clients know. */
async function compare(owner: KeylessOwner, files: readonly KnownFile[]): Promise<string[]> {
  const rows = new Map((await owner.all("files")).map((row) => [row.id, row]));
  const records = new Map<string, number>();
  for (const { action, result, objectId } of await allActivity(owner)) {
    if (result !== "ok" || NO_CHANGE.has(action)) continue;
    records.set(objectId, (records.get(objectId) ?? 0) + 1);
  }
  const known = new Set(files.map(({ id }) => id));
  const problems = [...rows.keys()].filter((id) => !known.has(id))
    .map((id) => `${id} is listed and was never finalized`);
  for (const file of files) {
    problems.push(...file.compare(rows.get(file.id), records.get(file.id) ?? 0));
    if (file.state === ABSENT) continue;
    const content = new Uint8Array(await (await owner.content(file.id)).arrayBuffer());
    if (sha256(content) !== sha256(file.ciphertext)) {
      problems.push(`LOST: ${file.id} downloads ${content.length} other bytes`);
    }
  }
  return problems;
}

/** Has the program itself check the data folder. */
async function check(data: string): Promise<string[]> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-prompt", "--no-check", ENTRY, "serve"]
      .concat("--check", "--data", data, "--json"),
    stdin: "null",
    env: { NO_COLOR: "1" },
  }).output();
  const text = new TextDecoder();
  if (!success) return [`LOST: the check failed: ${text.decode(stdout)}${text.decode(stderr)}`];
  const { sound, orphans } = JSON.parse(text.decode(stdout));
  const problems = sound ? [] : [`LOST: the vault is not sound: ${text.decode(stdout)}`];
  // Nothing would ever remove an object that no row knows.
  if (orphans.length > 0) problems.push(`${orphans.length} objects belong to nothing`);
  return problems;
}

/** One life: restart, comparison, work, end, check. */
export async function live(killed: Killed, end: Ending, words: string[] = []): Promise<Life> {
  const { data, folders, random, files } = killed;
  const serving = await startServing(data, words);
  try {
    const owner = await killed.owner.signInAgain(serving.origin);
    const { token, grantId, trashFolderId } = killed.agent;
    const agent = new KeylessAgent(serving.origin, token!, grantId, trashFolderId);
    const problems = await compare(owner, files.flat());
    const scene: Scene = { owner, agent, folders, random };
    const workers = files.map((own, index) =>
      new Worker(scene, index % 2 === 0 ? owner : agent, own)
    );
    const busy = Promise.all(workers.map((worker) => worker.work()));
    const answered = () => workers.reduce((sum, worker) => sum + worker.answered, 0);
    await Promise.all([end(serving, busy, answered), busy]);
    const done = workers.map((worker) => worker.done).reduce(added);
    return { problems: [...problems, ...await check(data)], done };
  } finally {
    await serving.kill();
  }
}

/** Both counts together. */
export function added<K extends string>(
  a: Record<K, number>,
  b: Record<K, number>,
): Record<K, number> {
  const sum = { ...a };
  for (const kind in b) sum[kind] += b[kind];
  return sum;
}

/** What is left after the last life, compared once more. */
export async function lastLook(killed: Killed): Promise<Life> {
  return await live(killed, (serving) => serving.kill());
}
