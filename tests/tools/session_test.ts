// What a caller is told when the room for changes is lost in the middle of a call: what is certain.

import { deepEqual, equal, rejects } from "node:assert/strict";
import { openRoots, type ToolError } from "../../containment/mod.ts";
import { trash } from "../../tools/local/trash.ts";
import { Session } from "../../tools/session.ts";
import { type Death, letDie } from "../dying.ts";
import { inTempDir, plant } from "../support.ts";

const NAMES = ["a", "b", "c", "d", "e"];

/** Runs the body with five files and a session whose room for changes will be lost. */
async function withDyingWriter(
  death: Omit<Death, "kind">,
  body: (session: Session, input: Record<string, unknown>, dir: string) => Promise<void>,
): Promise<void> {
  await inTempDir(async (dir) => {
    plant(dir, Object.fromEntries(NAMES.map((name) => [name, `content of ${name}`])));
    const session = new Session({
      roots: openRoots([dir]).roots,
      version: "0",
      protectedPaths: [],
      log: () => {},
    });
    using _ = letDie({ kind: "disk-write", ...death });
    session.open([trash]);
    try {
      await session.ready();
      await body(session, { paths: NAMES.map((name) => `${dir}/${name}`) }, dir);
    } finally {
      session.close();
    }
  });
}

/** The contents of all files below a folder that were planted there, each once. */
function planted(folder: string): string[] {
  const found = new Set<string>();
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) { for (const content of planted(path)) found.add(content); }
    else if (NAMES.includes(name)) found.add(Deno.readTextFileSync(path));
  }
  return [...found].sort();
}

const namesIn = (dir: string) => [...Deno.readDirSync(dir)].map(({ name }) => name).sort();

Deno.test("a room that is lost while it carries out a plan leaves what it changed unknown, and nothing gone", () =>
  withDyingWriter({ operation: "link", after: 3 }, async (session, input, dir) => {
    await session.preview(trash, input);
    await rejects(session.perform(trash, input, () => {}), (error) => {
      deepEqual((error as ToolError).toRecord(), {
        code: "internal",
        message: "the disk-write room stopped before it had finished trash_local; " +
          "what was changed is not known",
        changed_anything: true,
      });
      return true;
    });
    deepEqual(namesIn(dir).filter((name) => NAMES.includes(name)), ["c", "d", "e"]);
    deepEqual(planted(dir), NAMES.map((name) => `content of ${name}`));
  }));

Deno.test("a room that is lost before the approval has changed nothing, and that is said", () =>
  withDyingWriter({ operation: "lstat", after: 3 }, async (session, input, dir) => {
    let asked = 0;
    await rejects(session.perform(trash, input, () => void asked++), {
      code: "internal",
      message:
        "the disk-write room stopped before it had finished trash_local; nothing was changed",
      changedAnything: false,
    });
    equal(asked, 0);
    await rejects(session.preview(trash, input), {
      code: "internal",
      message: "the disk-write room stopped, so trash_local cannot run; start shieldfive again",
      changedAnything: false,
    });
    deepEqual(namesIn(dir), NAMES);
  }));
