// Properties of all changing tools together, over generated trees: no sequence of operations loses or
// multiplies content, whatever is refused changes nothing, and what was previewed is what is done.

import assert from "node:assert/strict";
import fc from "fast-check";
import { ToolError } from "../../containment/mod.ts";
import { contextFor, inTempDir } from "../support.ts";
import {
  hasOtherVolume,
  type Output,
  perform,
  pictureOf,
  type Preview,
  preview,
} from "./changing.ts";
import { NAMES, plantTree, tree } from "./generated.ts";

const SEED = 20260731;
const RUNS = 60;

type Operation =
  | { do: "move"; from: number; to: number; name?: string; overwrite: boolean }
  | { do: "rename"; path: number; name: string }
  | { do: "mkdir"; parent: number; names: string[] }
  | { do: "trash"; paths: number[] }
  | { do: "restore"; item: number; by: "batch" | "original" | "stored"; as?: string };

const index = fc.nat(1000);
const name = fc.constantFrom(...NAMES);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("move" as const),
      from: index,
      to: index,
      name: fc.option(name, { nil: undefined }),
      overwrite: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("rename" as const), path: index, name }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("mkdir" as const),
      parent: index,
      names: fc.array(name, { minLength: 1, maxLength: 2 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("trash" as const),
      paths: fc.array(index, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("restore" as const),
      item: index,
      by: fc.constantFrom("batch" as const, "original" as const, "stored" as const),
      as: fc.option(name, { nil: undefined }),
    }),
  },
);

/** What is in the roots, by absolute path. */
type World = Record<string, string>;

/** Links are compared by their text: one that crosses a volume is made anew. */
function worldOf(roots: string[]): World {
  const world: World = {};
  for (const root of roots) {
    for (const [path, what] of Object.entries(pictureOf(root))) {
      world[`${root}/${path}`] = what.replace(/^(link to .*) \d+$/s, "$1");
    }
  }
  return world;
}

/** The trash's own folders and records, beside what lies in them. */
const SKELETON =
  /\/\.shieldfive-mcp-trash(\/[^/]+(\/(manifest\.json|README\.txt|items(\/\d+)?))?)?$/;

function withoutSkeleton(world: World): World {
  return Object.fromEntries(Object.entries(world).filter(([path]) => !SKELETON.test(path)));
}

/** All contents and link texts, each as often as it is there. */
function contentsOf(world: World): string[] {
  return Object.values(withoutSkeleton(world)).filter((what) => !what.startsWith("directory"))
    .map((what) => what.replace(/^file \d+ -?\d+ /, "")).sort();
}

/** Where an item of the trash was. */
function originOf(stored: string): string {
  const batch = stored.split("/").slice(0, -3).join("/");
  const { items } = JSON.parse(Deno.readTextFileSync(`${batch}/manifest.json`));
  return items.find((item: { trashed_to: string }) => item.trashed_to === stored).original_path;
}

/** The call that an operation stands for in a world as it is. */
function callOf(
  operation: Operation,
  world: World,
  roots: string[],
): [string, Record<string, unknown>] {
  const paths = [...Object.keys(world).sort(), ...roots];
  const at = (n: number) => paths[n % paths.length];
  switch (operation.do) {
    case "move": {
      const { from, to, name, overwrite } = operation;
      const destination = name === undefined ? at(to) : `${at(to)}/${name}`;
      return ["move_local", { source: at(from), destination, overwrite }];
    }
    case "rename":
      return ["rename_local", { path: at(operation.path), new_name: operation.name }];
    case "mkdir":
      return ["create_local_folder", {
        path: [at(operation.parent), ...operation.names].join("/"),
      }];
    case "trash":
      return ["trash_local", { paths: operation.paths.map(at) }];
    case "restore": {
      const stored = Object.keys(world).filter((path) =>
        /\/\.shieldfive-mcp-trash\/[^/]+\/items\/\d+\/[^/]+$/s.test(path)
      ).sort();
      const item = stored[operation.item % stored.length];
      if (item === undefined || operation.by === "batch") {
        return ["restore_local", { batch: item?.split("/").at(-4) ?? "newest" }];
      }
      const restore_as = operation.as === undefined
        ? undefined
        : `${at(operation.item)}/${operation.as}`;
      return ["restore_local", {
        paths: [operation.by === "stored" ? item : originOf(item)],
        restore_as,
      }];
    }
  }
}

/** From where to where entries went, in order, and the folders that were made, by what was shown. */
function shownBy(
  name: string,
  shown: Output,
  done: Output,
): { moves: [string, string][]; made: string[] } {
  switch (name) {
    case "move_local": {
      const displaced: [string, string][] = shown.displaced === undefined
        ? []
        : [[shown.destination, done.displaced_to]];
      return {
        moves: [...displaced, [shown.source, shown.destination]],
        made: shown.creates_directories ?? [],
      };
    }
    case "rename_local":
      return { moves: [[shown.from, shown.to]], made: [] };
    case "create_local_folder":
      return { moves: [], made: shown.creates_directories };
    case "trash_local":
      return {
        moves: shown.items.map((
          item: { source: string },
          i: number,
        ) => [item.source, done.items[i].trashed_to]),
        made: [],
      };
    default:
      return {
        moves: shown.items.map((
          item: Record<string, string>,
        ) => [item.trashed_to, item.restore_to]),
        made: shown.creates_directories,
      };
  }
}

/** The world after entries went from place to place. */
function after(world: World, { moves, made }: ReturnType<typeof shownBy>): World {
  const folder = `directory ${(0o777 & ~Deno.umask()).toString(8)}`;
  let next: World = { ...world, ...Object.fromEntries(made.map((path) => [path, folder])) };
  for (const [from, to] of moves) {
    next = Object.fromEntries(
      Object.entries(next).map(([path, what]) =>
        path === from || path.startsWith(from + "/")
          ? [to + path.slice(from.length), what]
          : [path, what]
      ),
    );
  }
  return withoutSkeleton(next);
}

const KNOWN = new Set([
  ...["not_found", "unreadable", "outside_roots", "dangling_symlink", "destination_exists"],
  ...["destination_is_source", "destination_inside_source", "symlink_in_tree", "trash_protected"],
  ...[
    "cannot_move_root",
    "overlapping_paths",
    "cannot_trash_root",
    "already_trashed",
    "restore_failed",
  ],
  ...["trash_cross_device"],
]);

/** Runs one operation and holds it to its preview; says how it ended. */
async function run(operation: Operation, roots: string[]): Promise<string> {
  const before = worldOf(roots);
  const [name, args] = callOf(operation, before, roots);
  const what = `${name} ${JSON.stringify(args)}`;
  let plan: Preview;
  try {
    plan = await preview(name, contextFor(roots), args);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    assert.ok(KNOWN.has(error.code), `${what}: ${error.code} ${error.message}`);
    assert.deepEqual(worldOf(roots), before, what);
    return error.code;
  }
  assert.deepEqual(worldOf(roots), before, `${what}: a preview changes nothing`);
  if (plan.settled) return "settled";
  const done = await plan.apply();
  const now = worldOf(roots);
  assert.deepEqual(contentsOf(now), contentsOf(before), `${what}: nothing is lost or doubled`);
  if (name === "restore_local" && done.restored.length < plan.shown.items.length) return "in part";
  assert.deepEqual(withoutSkeleton(now), after(before, shownBy(name, plan.shown, done)), what);
  return name;
}

Deno.test("no sequence of operations loses content, touches what is outside, or does what was not shown", async () => {
  const on = hasOtherVolume() ? "/dev/shm" : undefined;
  const outcomes: Record<string, number> = {};
  await inTempDir((slow) =>
    inTempDir((fast) =>
      fc.assert(
        fc.asyncProperty(
          tree,
          tree,
          fc.array(operation, { minLength: 3, maxLength: 12, size: "max" }),
          async (one, two, operations) => {
            const [here, there] = [
              Deno.makeTempDirSync({ dir: fast }),
              Deno.makeTempDirSync({ dir: slow }),
            ];
            const outside = `${here}/outside`;
            const roots = [`${here}/root`, `${there}/root`];
            plantTree(outside, [{
              kind: "file",
              at: ["a"],
              content: "theirs",
              mode: 0o644,
              age: 1,
            }], outside);
            for (const [i, root] of roots.entries()) {
              Deno.mkdirSync(root);
              plantTree(root, i === 0 ? one : two.slice(0, 3), outside);
            }
            const theirs = pictureOf(outside);
            for (const each of operations) {
              const outcome = await run(each, roots);
              outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
              assert.deepEqual(pictureOf(outside), theirs);
            }
          },
        ),
        { seed: SEED, numRuns: RUNS },
      ), { on })
  );
  for (
    const tool of [
      "move_local",
      "rename_local",
      "create_local_folder",
      "trash_local",
      "restore_local",
    ]
  ) {
    assert.ok((outcomes[tool] ?? 0) >= 10, `${tool} was done ${outcomes[tool]} times`);
  }
});

Deno.test("what was trashed and restored is what it was: names, bytes, modes, times and links", async () => {
  const on = hasOtherVolume() ? "/dev/shm" : undefined;
  await inTempDir((dir) =>
    fc.assert(
      fc.asyncProperty(
        tree,
        fc.array(fc.nat(20), { minLength: 1, maxLength: 4 }),
        async (entries, picks) => {
          const root = Deno.makeTempDirSync({ dir });
          plantTree(root, entries, "/nowhere");
          const visible = () => pictureOf(root, (name) => name === ".shieldfive-mcp-trash");
          const before = visible();
          const tops = Object.keys(before).filter((path) => !path.includes("/")).sort();
          const paths = picks.map((n) => `${root}/${tops[n % tops.length]}`);
          const trashed = await perform("trash_local", root, { paths });
          assert.deepEqual(Object.keys(visible()).length < Object.keys(before).length, true);
          const output = await perform("restore_local", root, { batch: trashed.trash_stamp });
          assert.deepEqual([output.not_restored, output.warnings], [[], undefined]);
          assert.deepEqual(visible(), before);
        },
      ),
      { seed: SEED, numRuns: RUNS },
    ), { on });
});
