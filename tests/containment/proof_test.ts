// What a room shows of its walls: that they stand where they do, that a missing one is noticed, and that
// finding out changes nothing even then.

import assert from "node:assert/strict";
import { openRoots } from "../../containment/mod.ts";
import { Room } from "../../containment/rooms/host.ts";
import type { RoomKind } from "../../containment/rooms/permissions.ts";
import {
  misfits,
  type ProofRequest,
  PROVE,
  type Trial,
  tryLinks,
  tryRights,
} from "../../containment/rooms/proof.ts";
import { localTools } from "../../tools/catalogue.ts";
import { Session } from "../../tools/session.ts";
import { inTempDir, plant } from "../support.ts";

const PROBE = new URL("./room_probe.ts", import.meta.url);

/** A granted folder with something in it, and the folder around it. */
async function inPlace(
  body: (request: Required<ProofRequest> & { folder: string }) => void | Promise<void>,
): Promise<void> {
  await inTempDir(async (dir) => {
    plant(dir, { "inside/file": "mine", "outside": "theirs" });
    const folder = `${dir}/inside`;
    const before = seen(dir);
    await body({ inside: [folder], outside: dir, folder });
    assert.deepEqual(seen(dir), before, "trying may change nothing");
  });
}

/** Whatever is made in a folder or taken out of it changes the folder's own times. */
function seen(dir: string): unknown {
  return [dir, `${dir}/inside`, `${dir}/inside/file`, `${dir}/outside`].map((path) => {
    const { size, mode, nlink, mtime, ctime } = Deno.lstatSync(path);
    const names = Deno.lstatSync(path).isDirectory ? [...Deno.readDirSync(path)] : [];
    return [size, mode, nlink, mtime, ctime, names.map(({ name }) => name).sort()];
  });
}

async function proof(kind: RoomKind, folder: string, request: ProofRequest): Promise<Trial[]> {
  const room = new Room({ kind, module: PROBE, folders: [folder], log: () => {} });
  try {
    return await room.call(PROVE, request) as Trial[];
  } finally {
    room.close();
  }
}

/** Faults as text: "too much: write /somewhere". */
function told(kind: RoomKind, folder: string, trials: Trial[]): string[] {
  return misfits(kind, [folder], trials).map(({ fault, trial }) =>
    `${fault}: ${trial.what} ${trial.folder ?? "anything"}`
  );
}

Deno.test("a room that stands as the table has it shows no fault, and works where it may", () =>
  inPlace(async ({ folder, ...request }) => {
    for (const kind of ["disk-read", "disk-write"] as const) {
      const trials = await proof(kind, folder, request);
      assert.deepEqual(told(kind, folder, trials), [], kind);
      const allowed = trials.filter((trial) => trial.allowed);
      assert.deepEqual(
        allowed.map(({ what, folder, errno }) => [what, folder, errno]),
        (kind === "disk-read" ? ["read"] : ["read", "write", "space"])
          .map((what) => [what, folder, undefined]),
      );
      assert.ok(trials.some((trial) => trial.folder === request.outside && !trial.allowed));
    }
  }));

Deno.test("a room that could do too much is noticed, whatever it is too much of", () =>
  inPlace(async ({ folder, outside, ...rest }) => {
    const request = { ...rest, outside };
    assert.deepEqual(told("disk-read", folder, await proof("disk-write", folder, request)), [
      `too much: write ${folder}`,
      `too much: space ${folder}`,
    ]);
    assert.deepEqual(told("disk-write", folder, await proof("link", folder, request)), [
      "too much: read anything",
      "too much: write anything",
      `too little: space ${folder}`,
      `too much: read ${outside}`,
      `too much: write ${outside}`,
    ]);
    // This thread may do everything, as a room would whose permissions were forgotten.
    assert.deepEqual(told("disk-read", folder, tryRights(request)), [
      ...["read", "write", "net", "env", "run", "ffi", "sys", "import"]
        .map((right) => `too much: ${right} anything`),
      `too much: write ${folder}`,
      `too much: space ${folder}`,
      `too much: read ${outside}`,
      `too much: write ${outside}`,
      `too much: space ${outside}`,
    ]);
  }));

Deno.test("a room that can do too little is noticed", () =>
  inPlace(async ({ folder, ...request }) => {
    assert.deepEqual(told("disk-write", folder, await proof("disk-read", folder, request)), [
      `too little: write ${folder}`,
      `too little: space ${folder}`,
    ]);
  }));

Deno.test("links are made in granted folders only, and a check that lets more through is noticed", () =>
  inPlace(({ folder, outside, ...rest }) => {
    const request = { ...rest, outside };
    const narrow = tryLinks(request, [folder]);
    assert.deepEqual(narrow, [
      { what: "link", folder, allowed: true },
      { what: "link", folder: outside, allowed: false },
    ]);
    assert.deepEqual(told("link", folder, narrow), []);
    assert.deepEqual(told("link", folder, tryLinks(request, [outside])), [
      `too much: link ${outside}`,
    ]);
    assert.deepEqual(told("link", folder, tryLinks(request, [])), [`too little: link ${folder}`]);
    assert.deepEqual(tryLinks({ inside: ["/"] }, ["/"]).map(({ allowed }) => allowed), [true]);
  }));

Deno.test("every room of a session shows its walls, each as its kind", () =>
  inPlace(async ({ folder, ...request }) => {
    const session = new Session({
      roots: openRoots([folder]).roots,
      version: "0",
      protectedPaths: [],
      log: () => {},
    });
    try {
      session.open(localTools);
      await session.ready();
      const proven = await session.prove(request);
      assert.deepEqual(proven.map(({ kind }) => kind), ["disk-read", "disk-write", "link"]);
      for (const { kind, trials } of proven) {
        assert.deepEqual(told(kind, folder, trials), [], kind);
        assert.equal(trials.some(({ what }) => what === "link"), kind === "link");
      }
    } finally {
      session.close();
    }
  }));
