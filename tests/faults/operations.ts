// The changes that are put under fault, each with its files. Every fixture has one folder on disk and
// one in memory, which are two volumes, and files that the change has no business with.

import { TRASH_NAME } from "../../containment/mod.ts";
import { contextFor, plant } from "../support.ts";
import { perform } from "./driver.ts";
import type { Call } from "./outcome.ts";

/** A change ready to be made. */
export interface Fixture {
  call: Call;
  /** From where to where entries go; what stands at the second place before goes to the trash. */
  moves: [from: string, to: string][];
  /** Entries that go to the trash. */
  trashes: string[];
  /** Folders that are made on the way. */
  creates: string[];
}

/** The two folders of a fixture, on different volumes. */
export interface Places {
  disk: string;
  memory: string;
}

export interface Operation {
  name: string;
  /** True when it makes no sense on one volume. */
  betweenVolumes?: boolean;
  prepare(places: Places): Fixture | Promise<Fixture>;
}

/** More than one step of a copy, and no two bytes of a step alike with the next. */
function large(): Uint8Array {
  return Uint8Array.from({ length: 1_300_000 }, (_, i) => (i * 31 + (i >> 8) * 17) & 255);
}

/** Old times, so that a lost one shows. */
function settle(folder: string): void {
  for (const { name, isDirectory, isSymlink } of Deno.readDirSync(folder)) {
    if (isDirectory) settle(`${folder}/${name}`);
    if (!isSymlink) Deno.utimeSync(`${folder}/${name}`, 1_500_000_000, 1_500_000_000);
  }
}

function lay(folder: string, files: Record<string, string | Uint8Array>): void {
  plant(folder, { ...files, "bystander/keep.txt": "keep", "bystander/empty/": "" });
  Deno.symlinkSync("keep.txt", `${folder}/bystander/link`);
  settle(folder);
}

function fixture(
  { disk, memory }: Places,
  tool: string,
  input: Record<string, unknown>,
  over: Partial<Fixture>,
): Fixture {
  return {
    call: { tool, roots: [disk, memory], input },
    moves: [],
    trashes: [],
    creates: [],
    ...over,
  };
}

function move(places: Places, from: string, to: string, over: Partial<Fixture> = {}): Fixture {
  const input = { source: from, destination: to, overwrite: true };
  return fixture(places, "move_local", input, { moves: [[from, to]], ...over });
}

function rename(places: Places, from: string, name: string): Fixture {
  const to = from.slice(0, from.lastIndexOf("/") + 1) + name;
  return fixture(places, "rename_local", { path: from, new_name: name }, { moves: [[from, to]] });
}

const FOLDER = { "box/a.txt": "aaa", "box/deep/b.bin": "\0\x01b", "box/deep/empty/": "" };

/** A folder that is hard to copy: a large file, a hole, two names of one file, modes. */
function layAwkward(folder: string): void {
  plant(folder, { ...FOLDER, "box/large.bin": large() });
  Deno.linkSync(`${folder}/box/a.txt`, `${folder}/box/deep/twin.txt`);
  Deno.writeTextFileSync(`${folder}/box/holes.img`, "tail");
  Deno.truncateSync(`${folder}/box/holes.img`, 200_000);
  Deno.chmodSync(`${folder}/box/deep/b.bin`, 0o751);
  Deno.chmodSync(`${folder}/box/deep`, 0o750);
  lay(folder, {});
}

const trashSome: Operation = {
  name: "trash of a file, a folder, a link and a file of another volume",
  prepare(places) {
    const { disk, memory } = places;
    lay(disk, { ...FOLDER, "one.txt": "one" });
    Deno.symlinkSync("nowhere", `${disk}/link`);
    lay(memory, { "two.txt": "two" });
    const paths = [`${disk}/one.txt`, `${disk}/box`, `${disk}/link`, `${memory}/two.txt`];
    return fixture(places, "trash_local", { paths }, { trashes: paths });
  },
};

const restoreBatch: Operation = {
  name: "restore of a batch",
  async prepare(places) {
    const { disk, memory } = places;
    lay(disk, { ...FOLDER, "one.txt": "one", "gone/away/three.txt": "three" });
    lay(memory, {});
    Deno.symlinkSync("one.txt", `${disk}/link`);
    const names = ["one.txt", "box", "link", "gone/away/three.txt"];
    const paths = names.map((name) => `${disk}/${name}`);
    const call = { tool: "trash_local", roots: [disk, memory], input: { paths } };
    const outcome = await perform(call, contextFor(call.roots));
    if (!("output" in outcome)) throw new Error(`no batch to restore: ${JSON.stringify(outcome)}`);
    Deno.removeSync(`${disk}/gone`, { recursive: true });
    const items = outcome.output.items as { source: string; trashed_to: string }[];
    const batch = `${disk}/${TRASH_NAME}/${outcome.output.trash_stamp}`;
    return fixture(places, "restore_local", { batch }, {
      moves: items.map(({ source, trashed_to }) => [trashed_to, source]),
      creates: [`${disk}/gone`, `${disk}/gone/away`],
    });
  },
};

const moves: Operation[] = [
  {
    name: "move of a file over another, into a trash that exists",
    prepare(places) {
      const { disk, memory } = places;
      lay(disk, { "new/report.txt": "new report", "report.txt": "old", [`${TRASH_NAME}/`]: "" });
      lay(memory, {});
      const to = `${disk}/report.txt`;
      return move(places, `${disk}/new/report.txt`, to, { trashes: [to] });
    },
  },
  {
    name: "move of a folder over a file",
    prepare(places) {
      const { disk, memory } = places;
      lay(disk, { ...FOLDER, "shelf": "a file called shelf" });
      lay(memory, {});
      const to = `${disk}/shelf`;
      return move(places, `${disk}/box`, to, { trashes: [to] });
    },
  },
  {
    name: "move of a file over a folder, on one volume",
    prepare(places) {
      const { disk, memory } = places;
      lay(disk, { "one.txt": "one", "shelf/one.txt/inner.txt": "inner" });
      lay(memory, {});
      const to = `${disk}/shelf/one.txt`;
      return {
        ...move(places, `${disk}/one.txt`, to, { trashes: [to] }),
        call: {
          tool: "move_local",
          roots: [disk, memory],
          input: { source: `${disk}/one.txt`, destination: `${disk}/shelf`, overwrite: true },
        },
      };
    },
  },
  {
    name: "move of a file to another volume",
    betweenVolumes: true,
    prepare(places) {
      const { disk, memory } = places;
      lay(disk, { "large.bin": large() });
      lay(memory, {});
      const creates = [`${memory}/made`, `${memory}/made/deep`];
      return move(places, `${disk}/large.bin`, `${memory}/made/deep/large.bin`, { creates });
    },
  },
  {
    name: "move of a folder to another volume",
    betweenVolumes: true,
    prepare(places) {
      layAwkward(places.memory);
      lay(places.disk, {});
      return move(places, `${places.memory}/box`, `${places.disk}/box`);
    },
  },
  {
    name: "move of a folder to another volume over a file",
    betweenVolumes: true,
    prepare(places) {
      const { disk, memory } = places;
      lay(disk, FOLDER);
      lay(memory, { "box": "a file called box" });
      const to = `${memory}/box`;
      return move(places, `${disk}/box`, to, { trashes: [to] });
    },
  },
  {
    name: "move of a link to another volume",
    betweenVolumes: true,
    prepare(places) {
      const { disk, memory } = places;
      lay(disk, {});
      lay(memory, {});
      Deno.symlinkSync("nowhere", `${disk}/link`);
      return move(places, `${disk}/link`, `${memory}/link`);
    },
  },
];

const names: Operation[] = [
  {
    name: "rename of a file",
    prepare(places) {
      lay(places.disk, { "one.txt": "one" });
      lay(places.memory, {});
      return rename(places, `${places.disk}/one.txt`, "uno.txt");
    },
  },
  {
    name: "rename of a folder",
    prepare(places) {
      lay(places.disk, FOLDER);
      lay(places.memory, {});
      return rename(places, `${places.disk}/box`, "crate");
    },
  },
  {
    name: "rename of a link",
    prepare(places) {
      lay(places.disk, {});
      lay(places.memory, {});
      Deno.symlinkSync("nowhere", `${places.disk}/link`);
      return rename(places, `${places.disk}/link`, "chain");
    },
  },
  {
    name: "making a folder and the ones above it",
    prepare(places) {
      lay(places.disk, {});
      lay(places.memory, {});
      const creates = ["a", "a/b", "a/b/c"].map((name) => `${places.disk}/${name}`);
      return fixture(places, "create_local_folder", { path: creates[2] }, { creates });
    },
  },
];

export const operations: readonly Operation[] = [trashSome, restoreBatch, ...moves, ...names];
