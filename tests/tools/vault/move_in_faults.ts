// Lets every single step of a move-in of three files fail once, and looks at what is left: no byte may be lost,
// and what was told must be so. `deno run -A tests/tools/vault/move_in_faults.ts` goes through all of them.

import assert from "node:assert/strict";
import { type Disk, realDisk, ToolError } from "../../../containment/mod.ts";
import type { StoragePut } from "../../../vault/client/types.ts";
import { exists, plant } from "../../support.ts";
import { broken } from "../../vault/client/wire.ts";
import { type Joined, joined, perform } from "./joined.ts";

const CONTENTS: Record<string, string> = { "a.txt": "hello", "b.txt": "", "c.txt": "!" };
CONTENTS["b.txt"] = "0123456789abcdef".repeat(20_000);
const NAMES = Object.keys(CONTENTS);

/** One way in which one step fails. */
export interface Fault {
  where: "disk" | "request" | "storage";
  /** Which step of that kind, from 1. */
  step: number;
  how: string;
}

/** Operations of the disk that change something: these may also fail after they were done. */
const CHANGING = new Set<keyof Disk>([
  "link",
  "unlink",
  "rename",
  "mkdir",
  "rmdir",
  "chmod",
  "create",
  "writeAt",
  "sync",
]);

const REQUEST_FAULTS = [
  "lost before",
  "lost after",
  "500 before",
  "500 after",
  "429 once",
  "429 from then on",
  "401",
  "cut body",
  "wrong body",
] as const;
const STORAGE_FAULTS = ["lost before", "lost in the middle", "lost after", "500", "429"] as const;

/** What a run has done so far, and what is to fail in it. */
interface Run {
  /** Operations of the disk, in their order. */
  disk: (keyof Disk)[];
  requests: number;
  puts: number;
  fault?: Fault;
}

function newRun(fault?: Fault): Run {
  return { disk: [], requests: 0, puts: 0, fault };
}

function systemError(): Error {
  return Object.assign(new Error("EIO: injected"), { code: "EIO" });
}

/** Makes the disk count its operations, and fail at one. */
function onDisk({ disk }: Joined, run: Run): void {
  for (const operation of Object.keys(realDisk) as (keyof Disk)[]) {
    const original = realDisk[operation] as (...args: unknown[]) => unknown;
    Object.assign(disk, {
      [operation](...args: unknown[]) {
        run.disk.push(operation);
        const { fault } = run;
        const isNow = fault?.where === "disk" && fault.step === run.disk.length;
        // A file descriptor that stays open would be this process's to keep.
        if (isNow && operation === "close") {
          original(...args);
          throw systemError();
        }
        if (isNow && fault.how === "before") throw systemError();
        const result = original(...args);
        if (isNow) {
          if (operation === "create") realDisk.close(result as number);
          throw systemError();
        }
        return result;
      },
    });
  }
}

/** The same for requests. */
function onWire({ wire }: Joined, run: Run): void {
  wire.answer = async (_asked, forward) => {
    const step = ++run.requests;
    const { fault } = run;
    if (fault?.where !== "request") return await forward();
    const { how } = fault;
    const isNow = fault.step === step || how === "429 from then on" && step >= fault.step;
    if (!isNow) return await forward();
    if (how === "lost before") throw broken();
    if (how === "500 before") return Response.json({ code: "internal" }, { status: 500 });
    if (how === "401") return Response.json({ code: "grant_invalid" }, { status: 401 });
    if (how.startsWith("429")) {
      return Response.json({ code: "slow_down" }, { status: 429, headers: { "retry-after": "1" } });
    }
    const response = await forward();
    if (how === "lost after") throw broken();
    if (how === "500 after") return Response.json({ code: "internal" }, { status: 500 });
    const bytes = await response.bytes();
    const { status, headers } = response;
    if (how === "wrong body") {
      bytes[bytes.length >> 1] ^= 1;
      return new Response(bytes, { status, headers });
    }
    const cut = new ReadableStream({
      pull(controller) {
        if (bytes.length > 1) controller.enqueue(bytes.slice(0, bytes.length >> 1));
        controller.error(broken());
      },
    });
    return new Response(cut, { status, headers });
  };
}

/** The same for what goes to storage. */
function storageOf(at: () => Joined, run: Run): StoragePut {
  return async (request) => {
    const put = () => at().world.storage(request);
    run.puts++;
    const { fault } = run;
    if (fault?.where !== "storage" || fault.step !== run.puts) return await put();
    if (fault.how === "lost before") throw broken();
    if (fault.how === "500") return { status: 500 };
    if (fault.how === "429") return { status: 429 };
    if (fault.how === "lost after") {
      await put();
      throw broken();
    }
    const reader = request.body.getReader();
    await reader.read();
    throw broken();
  };
}

/** What came of a run. */
interface Outcome {
  at: Joined;
  // deno-lint-ignore no-explicit-any -- the fields are what is tested
  moved: Record<string, any>[];
  error?: ToolError;
}

/** Runs a move-in of the three files, with a fault where there is one, and looks at what came of it. */
async function moveIn(run: Run): Promise<string> {
  let now: Joined | undefined;
  let code = "";
  await joined(async (at) => {
    now = at;
    plant(at.dir, CONTENTS);
    onDisk(at, run);
    onWire(at, run);
    const first = await outcomeOf(at, NAMES);
    code = first.error?.code ?? "done";
    await check(first);
    run.fault = undefined;
    // It is safe to try again with what is left.
    const left = NAMES.filter((name) => exists(`${at.dir}/${name}`));
    if (left.length > 0) {
      const { error, moved } = await outcomeOf(at, left);
      assert.equal(error, undefined, "the second try");
      assert.equal(moved.length, left.length);
    }
    for (const name of NAMES) {
      assert.ok(placesOf(at.dir, name).trashed.length > 0);
      assert.ok([...(await copiesOf(at, name)).values()].includes(true));
    }
  }, { over: { storage: storageOf(() => now!, run) } });
  return code;
}

async function outcomeOf(at: Joined, names: string[]): Promise<Outcome> {
  const paths = names.map((name) => `${at.dir}/${name}`);
  try {
    const { moved } = await perform("vault_move_in", at, {
      paths,
      destination_folder_id: at.folder,
    });
    return { at, moved };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { at, moved: (error.detail?.moved ?? []) as Outcome["moved"], error };
  }
}

/** Where a file's content is now: at its place, in the trash, or both. */
function placesOf(dir: string, name: string): { original: boolean; trashed: string[] } {
  const holds = (path: string) => exists(path) && Deno.readTextFileSync(path) === CONTENTS[name];
  const trashed: string[] = [];
  const trash = `${dir}/.shieldfive-mcp-trash`;
  const look = (folder: string) => {
    for (const { name: entry, isDirectory } of exists(folder) ? Deno.readDirSync(folder) : []) {
      const path = `${folder}/${entry}`;
      if (isDirectory) look(path);
      else if (entry === name && holds(path)) trashed.push(path);
    }
  };
  look(trash);
  return { original: holds(`${dir}/${name}`), trashed };
}

/** Ids of the vault's files with a name, and whether each has the content. */
async function copiesOf({ world, folder }: Joined, name: string): Promise<Map<string, boolean>> {
  const copies = new Map<string, boolean>();
  for (const { id, folderId } of world.rows.files({ limit: 100, after: null })) {
    if (folderId !== folder || await world.nameOf(id) !== name) continue;
    const content = new TextDecoder().decode(await world.contentOf(id));
    copies.set(id, content === CONTENTS[name]);
  }
  return copies;
}

/** Paths that the manifests in the trash name as being there. */
function recorded(dir: string): Map<string, Record<string, unknown>> {
  const lines = new Map<string, Record<string, unknown>>();
  const trash = `${dir}/.shieldfive-mcp-trash`;
  for (const { name } of exists(trash) ? Deno.readDirSync(trash) : []) {
    const path = `${trash}/${name}/manifest.json`;
    if (!exists(path)) continue;
    for (const line of JSON.parse(Deno.readTextFileSync(path)).items) {
      lines.set(line.trashed_to, line);
    }
  }
  return lines;
}

/** No byte is lost, and what was told is so. */
async function check({ at, moved, error }: Outcome): Promise<void> {
  // deno-lint-ignore no-explicit-any -- the fields are what is tested
  const detail: Record<string, any> = error?.detail ?? {};
  const both = detail.in_vault_and_still_on_disk ?? undefined;
  const lines = recorded(at.dir);
  for (const name of NAMES) {
    const path = `${at.dir}/${name}`;
    const { original, trashed } = placesOf(at.dir, name);
    assert.ok(original || trashed.length > 0, `${name} is lost`);
    for (const place of trashed) {
      const line = lines.get(place);
      assert.ok(line !== undefined, `${place} is in no manifest`);
      const { vault_file_id } = line;
      assert.ok((await copiesOf(at, name)).get(String(vault_file_id)), `${name} has no copy`);
    }
    const copies = await copiesOf(at, name);
    const told = moved.find(({ source }) => source === path);
    if (told !== undefined) {
      assert.ok(!original && trashed.includes(told.trashed_to), `${name} is not where it was told`);
      assert.equal(copies.get(told.vault_file_id), true, `${name} is not in the vault as told`);
    } else if (both?.source === path) {
      // A step that could not be undone leaves a second name of the same file, and says so.
      assert.ok(original, `${name} is not on disk as told`);
      assert.ok(copies.has(both.vault_file_id), `${name} is not in the vault as told`);
      if (both.verified) assert.equal(copies.get(both.vault_file_id), true);
    } else {
      assert.ok(original, `${name} was told to be untouched`);
      assert.deepEqual(trashed, [], `${name} was told to be untouched`);
      const isUnknown = error?.code === "outcome_unknown";
      assert.ok(isUnknown || copies.size === 0, `${name} is in the vault, and nobody was told`);
    }
    if (error !== undefined && told === undefined && both?.source !== path) {
      assert.ok(detail.untouched === undefined || detail.untouched.includes(path));
    }
  }
  if (error === undefined) assert.equal(moved.length, NAMES.length);
  else {
    assert.equal(detail.performed ?? false, moved.length > 0);
    const isChanged = moved.length > 0 || both !== undefined || error.code === "outcome_unknown";
    if (isChanged) assert.ok(error.changedAnything, "something was changed, and nobody was told");
  }
}

/** All faults that a move-in can have, step by step. */
export async function allFaults(): Promise<Fault[]> {
  const run = newRun();
  await moveIn(run);
  const faults: Fault[] = [];
  for (const [i, operation] of run.disk.entries()) {
    faults.push({ where: "disk", step: i + 1, how: "before" });
    if (CHANGING.has(operation)) faults.push({ where: "disk", step: i + 1, how: "after" });
  }
  for (let step = 1; step <= run.requests; step++) {
    faults.push(...REQUEST_FAULTS.map((how) => ({ where: "request" as const, step, how })));
  }
  for (let step = 1; step <= run.puts; step++) {
    faults.push(...STORAGE_FAULTS.map((how) => ({ where: "storage" as const, step, how })));
  }
  return faults;
}

/** How a move-in with the fault ended: its code, or `done`. @throws what is not as it should be. */
export async function outcomeWith(fault: Fault): Promise<string> {
  const run = newRun(fault);
  try {
    return await moveIn(run);
  } catch (error) {
    const { where, step, how } = fault;
    const what = where === "disk" ? `${step} (${run.disk[step - 1]})` : step;
    throw new Error(`${where} ${what}, ${how}: ${(error as Error).message}`, { cause: error });
  }
}

if (import.meta.main) {
  const faults = await allFaults();
  const codes = new Map<string, number>();
  let wrong = 0;
  for (const fault of faults) {
    try {
      const code = `${fault.where}: ${await outcomeWith(fault)}`;
      codes.set(code, (codes.get(code) ?? 0) + 1);
    } catch (error) {
      wrong++;
      console.error((error as Error).message);
    }
  }
  const lines = [...codes].sort().map(([code, count]) => `  ${count} × ${code}`);
  console.log(
    [`${faults.length} faults, ${wrong} of them with a wrong outcome`, ...lines].join("\n"),
  );
  Deno.exit(wrong === 0 ? 0 : 1);
}
