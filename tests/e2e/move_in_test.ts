// Files into the vault by the real program, against a real server, through its real rooms: what a person sees,
// how it ends, and that a kill at any moment loses no byte.

import assert from "node:assert/strict";
import { COMMAND, type Finished, shieldfive, start } from "../cli/program.ts";
import { sideBySide } from "../faults/side_by_side.ts";
import { rules, STRACE, unable } from "../faults/strace.ts";
import { exists, plant } from "../support.ts";
import { paths, readText } from "../vault/owner/support.ts";
import { between, type Meddler } from "./vault_between.ts";
import { type ServedVault, withServedVault } from "./vault_served.ts";

const TRASH = ".shieldfive-mcp-trash";

interface Finding {
  state: string;
  text: string;
}

interface Section {
  section: string;
  findings: Finding[];
}

interface Writing extends ServedVault {
  /** The local folder. */
  local: string;
  run(...args: string[]): Promise<Finished>;
}

/** A vault with the folder `/Docs`, and a connection that may add files to it. */
function withWriting(body: (writing: Writing) => Promise<void>): Promise<void> {
  return withServedVault({ "Docs/": "" }, async (served) => {
    const { home, connect } = served;
    const env = {
      ...served.env,
      SHIELDFIVE_GRANT: await connect({ scopes: ["read", "organize", "write"] }),
    };
    const local = `${home.dir}/local`;
    Deno.mkdirSync(local);
    const run = (...args: string[]) => shieldfive(args, { cwd: local, env });
    await body({ ...served, env, local, run });
  });
}

/** The text of every file of a name in `/Docs`. */
async function textsOf({ vault }: ServedVault, name: string): Promise<string[]> {
  await vault.refresh();
  const { tree } = vault;
  const files = [...tree.files.values()].filter((file) => tree.path(file) === `/Docs/${name}`);
  return await Promise.all(files.map(({ id }) => readText(vault, id)));
}

Deno.test("files go into the vault, their originals to the trash, and come back with restore", () =>
  withWriting(async (writing) => {
    const { local, run, vault } = writing;
    plant(local, { "a.txt": "hello", "sub/b.txt": "world" });
    const shown = await run("move-in", "a.txt", "sub/b.txt", "--to", "/Docs");
    assert.equal(shown.code, 3, shown.stderr);
    assert.match(shown.stdout, /Planned \(nothing changed\): move 2 files \(10 B\) into "\/Docs"/);
    assert.ok(exists(`${local}/a.txt`));

    const done = await run("move-in", "a.txt", "sub/b.txt", "--to", "/Docs", "--yes", "--json");
    assert.equal(done.code, 0, done.stderr);
    const { moved, trash_batch, space_freed_bytes } = JSON.parse(done.stdout);
    assert.deepEqual([moved.length, space_freed_bytes], [2, 0]);
    assert.ok(!exists(`${local}/a.txt`) && !exists(`${local}/sub/b.txt`));
    assert.equal(Deno.readTextFileSync(moved[1].trashed_to), "world");
    assert.deepEqual([await textsOf(writing, "a.txt"), await textsOf(writing, "b.txt")], [
      ["hello"],
      ["world"],
    ]);
    await vault.refresh();
    assert.ok(paths(vault).includes("/Docs/b.txt"));

    const { sections } = JSON.parse((await run("doctor", "--json", "--root", local)).stdout);
    const findings = sections.flatMap(({ section, findings }: Section) =>
      ["trash", "remains"].includes(section) ? findings : []
    );
    assert.ok(findings.some(({ text }: Finding) => text.includes(`${local}/${TRASH}`)));
    for (const { state, text } of findings as Finding[]) assert.equal(state, "ok", text);

    const back = await run("restore", trash_batch, "--yes");
    assert.equal(back.code, 0, back.stderr);
    assert.equal(Deno.readTextFileSync(`${local}/a.txt`), "hello");
    assert.equal(Deno.readTextFileSync(`${local}/sub/b.txt`), "world");
  }));

Deno.test("a copy goes with `vault upload`, and the file stays; what may be touched is told", () =>
  withWriting(async (writing) => {
    const { local, run } = writing;
    plant(local, { "scan.txt": "a scan" });
    const words = ["vault", "upload", "scan.txt", "--to", "/Docs", "--name", "2024.txt"];
    const rights = (await run(...words, "--show-permissions")).stdout.split(/^room /m);
    const of = (room: string) => rights.find((lines) => lines.startsWith(`${room}\n`)) ?? "";
    assert.match(of("vault"), /net: 127\.0\.0\.1:\d+/);
    assert.doesNotMatch(of("vault"), /read|write|run|ffi/);
    assert.ok(of("disk-write").includes(local) && !of("disk-write").includes("net"));
    const done = await run(...words, "--yes");
    assert.equal(done.code, 0, done.stderr);
    assert.deepEqual(await textsOf(writing, "2024.txt"), ["a scan"]);
    assert.equal(Deno.readTextFileSync(`${local}/scan.txt`), "a scan");
    assert.ok(!exists(`${local}/${TRASH}`));
  }));

Deno.test("what cannot be done is refused with its code, and a connection that may not add files too", () =>
  withWriting(async ({ local, run, home, env, connect }) => {
    plant(local, { "a.txt": "x", "empty": "", "folder/": "" });
    Deno.symlinkSync(`${local}/a.txt`, `${local}/link`);
    const cases: [string[], string][] = [
      [["move-in", "link", "--to", "/Docs"], "not_a_file"],
      [["move-in", "a.txt", "folder", "--to", "/Docs"], "not_a_file"],
      [["vault", "upload", "empty", "--to", "/Docs"], "empty_file"],
      [["vault", "upload", "a.txt", "--to", "/Nowhere"], "not_found"],
      [
        ["vault", "upload", `${home.dir}/data/vault.db`, "--to", "/Docs", "--root", local],
        "outside_roots",
      ],
    ];
    for (const [words, code] of cases) {
      const { code: exit, stderr } = await run(...words, "--yes");
      assert.equal(exit, 1, stderr);
      assert.ok(stderr.includes(`[${code}]`), stderr);
    }
    const weaker = { ...env, SHIELDFIVE_GRANT: await connect() };
    const { code, stderr } = await shieldfive(["move-in", "a.txt", "--to", "/Docs", "--yes"], {
      cwd: local,
      env: weaker,
    });
    assert.equal(code, 1);
    assert.match(stderr, /\[missing_scope\]/);
    assert.ok(exists(`${local}/a.txt`) && !exists(`${local}/${TRASH}`));
  }));

Deno.test("when it stops in the middle, the exit code is 4 and every file is accounted for", () =>
  withWriting(async ({ local, serving, env }) => {
    plant(local, { "a.txt": "hello", "b.txt": "world", "c.txt": "!" });
    let reservations = 0;
    await using proxy = between(serving.origin, async ({ method, path, forward }) => {
      if (method === "POST" && path === "/files" && ++reservations === 2) {
        return Response.json({ code: "storage_full" }, { status: 507 });
      }
      return await forward();
    });
    const { code, stdout, stderr } = await shieldfive(
      ["move-in", "a.txt", "b.txt", "c.txt", "--to", "/Docs", "--yes", "--json"],
      { cwd: local, env: { ...env, SHIELDFIVE_API_URL: proxy.origin } },
    );
    assert.equal(code, 4, stderr);
    const { error } = JSON.parse(stdout);
    assert.deepEqual([error.code, error.changed_anything], ["storage_full", true]);
    assert.equal(error.detail.moved.length, 1);
    assert.deepEqual(error.detail.untouched, [`${local}/b.txt`, `${local}/c.txt`]);
    assert.match(stderr, /hint: .*restore/);
    assert.equal(Deno.readTextFileSync(error.detail.moved[0].trashed_to), "hello");
  }));

Deno.test("Ctrl-C stops it in good order, within a file, and says what is done", () =>
  withWriting(async ({ local, serving, env }) => {
    plant(local, { "a.txt": "hello", "b.txt": "world" });
    const started = Promise.withResolvers<Deno.ChildProcess>();
    let downloads = 0;
    await using proxy = between(serving.origin, async ({ path, forward }) => {
      if (path.endsWith("/download") && ++downloads === 2) {
        (await started.promise).kill("SIGINT");
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
      return await forward();
    });
    const child = start(["move-in", "a.txt", "b.txt", "--to", "/Docs", "--yes"], {
      cwd: local,
      env: { ...env, SHIELDFIVE_API_URL: proxy.origin },
    });
    started.resolve(child);
    await child.stdin.close();
    const { code, stderr } = await child.output();
    const said = new TextDecoder().decode(stderr);
    assert.equal(code, 130, said);
    assert.match(said, /error: 1 of 2 files moved into the vault, then it stopped at .*b\.txt"/);
    assert.match(said, /still on disk; its copy in the vault is not verified/);
    assert.ok(!exists(`${local}/a.txt`));
    assert.equal(Deno.readTextFileSync(`${local}/b.txt`), "world");
  }));

/** Where the program is killed: at a request, or at a system call of the trash. */
type Point = [method: string, path: string, nth: number, when: "before" | "amid" | "after"] | {
  call: string;
  nth: number;
};

const POINTS: Point[] = [
  ["PUT", "/storage", 1, "amid"],
  ["POST", "/files/:id/finalize", 1, "after"],
  { call: "linkat", nth: 2 },
  { call: "unlink", nth: 2 },
];

/** Starts a move-in of both files, and kills it at the point. */
async function killedAt(point: Point, writing: Writing, folder: string): Promise<void> {
  const { env, serving } = writing;
  const words = ["move-in", "a.txt", "b.txt", "--to", "/Docs", "--yes"];
  if (!Array.isArray(point)) {
    const inject = rules([{ kind: point.call, when: String(point.nth), what: "KILL" }]);
    const { signal, stderr } = await new Deno.Command(STRACE, {
      args: ["-f", "-o", "/dev/null", "-e", `trace=${point.call}`, ...inject, ...COMMAND, ...words],
      cwd: folder,
      env,
      stdin: "null",
    }).output();
    assert.equal(signal, "SIGKILL", new TextDecoder().decode(stderr));
    return;
  }
  const [method, path, nth, when] = point;
  let count = 0;
  const started = Promise.withResolvers<Deno.ChildProcess>();
  const meddler: Meddler = async (passing) => {
    if (passing.method !== method || passing.path !== path || ++count !== nth) {
      return await passing.forward();
    }
    if (when === "amid") await passing.firstBytes();
    if (when === "after") await passing.forward();
    (await started.promise).kill("SIGKILL");
    return new Response(null, { status: 503 });
  };
  await using proxy = between(serving.origin, meddler);
  const running = start(words, {
    cwd: folder,
    env: { ...env, SHIELDFIVE_API_URL: proxy.origin },
  });
  started.resolve(running);
  await running.stdin.close();
  const { signal, stderr } = await running.output();
  assert.equal(signal, "SIGKILL", new TextDecoder().decode(stderr));
}

/** The files below the trash that have this name. */
function trashed(folder: string, name: string): string[] {
  const trash = `${folder}/${TRASH}`;
  if (!exists(trash)) return [];
  return [...Deno.readDirSync(trash)].flatMap((batch) =>
    ["1", "2"].map((id) => `${trash}/${batch.name}/items/${id}/${name}`).filter(exists)
  );
}

const reason = await unable();
if (reason !== undefined) console.log(`kills at system calls are skipped: ${reason}`);

/** One kill, and what it left. */
async function killAndLook(point: Point, writing: Writing, folder: string): Promise<void> {
  const texts = { "a.txt": `first, ${folder}`, "b.txt": `second, ${folder}` };
  plant(folder, texts);
  await killedAt(point, writing, folder);
  const left: string[] = [];
  for (const [name, text] of Object.entries(texts)) {
    const at = `${JSON.stringify(point)}: ${name}`;
    const original = exists(`${folder}/${name}`);
    if (original) {
      left.push(name);
      assert.equal(Deno.readTextFileSync(`${folder}/${name}`), text, at);
    }
    const places = trashed(folder, name);
    assert.ok(original || places.length === 1, at);
    if (places.length === 0) continue;
    assert.equal(Deno.readTextFileSync(places[0]), text, at);
    assert.ok((await textsOf(writing, name)).includes(text), at);
  }
  await again(writing, folder, left, texts);
}

Deno.test("a kill at any moment leaves each file at its place, or in the trash with a verified copy", () =>
  withWriting(async (writing) => {
    const points = POINTS.filter((point) => Array.isArray(point) || reason === undefined);
    await sideBySide(
      points.map((point, i) => ({ point, folder: `${writing.local}/${i}` })),
      ({ point, folder }) => killAndLook(point, writing, folder),
      () => {},
    );
  }));

/** What is left goes in when it is tried again, and all of it comes back. */
async function again(
  { env }: Writing,
  folder: string,
  left: string[],
  texts: Record<string, string>,
): Promise<void> {
  const run = (...words: string[]) => shieldfive([...words, "--yes"], { cwd: folder, env });
  if (left.length > 0) {
    const { code, stderr } = await run("move-in", ...left, "--to", "/Docs");
    assert.equal(code, 0, stderr);
  }
  for (const name of Object.keys(texts)) assert.ok(!exists(`${folder}/${name}`));
  const { code, stderr } = await run("restore", ...Object.keys(texts));
  assert.equal(code, 0, stderr);
  for (const [name, text] of Object.entries(texts)) {
    assert.equal(Deno.readTextFileSync(`${folder}/${name}`), text);
  }
}
