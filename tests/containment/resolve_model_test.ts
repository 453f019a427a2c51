// Path resolution compared with a model: small random trees with links are built on disk and in
// memory, and every resolver must say of every path what stepping through the model says.

import assert from "node:assert/strict";
import { posix } from "node:path";
import fc from "fast-check";
import { openRoots, realDisk, type Scope, ToolError } from "../../containment/mod.ts";
import { resolveEntry, resolveExisting, resolveTarget } from "../../containment/resolve.ts";
import { inTempDir } from "../support.ts";

type Node = { kind: "file" } | { kind: "folder"; entries: Map<string, Node> } | {
  kind: "link";
  target: string;
};
type Step = { path: string; node?: Node; error?: "ENOENT" | "ENOTDIR" | "ELOOP"; left: boolean };

/** A tree in memory with the rules of a POSIX file system; `granted` is the root. */
class Model {
  readonly top: Node = { kind: "folder", entries: new Map() };
  granted = "";

  /** Puts a node where its parent is a folder and the name is free; false where it is not. */
  put(path: string, node: Node): boolean {
    const parent = this.#plain(posix.dirname(path));
    const name = posix.basename(path);
    if (parent?.kind !== "folder" || parent.entries.has(name)) return false;
    parent.entries.set(name, node);
    return true;
  }

  #plain(path: string): Node | undefined {
    let node: Node | undefined = this.top;
    for (const part of path.split("/").filter((p) => p !== "")) {
      node = node?.kind === "folder" ? node.entries.get(part) : undefined;
    }
    return node;
  }

  inside(path: string): boolean {
    return path === this.granted || path.startsWith(this.granted + "/");
  }

  /** Walks the path a component at a time; `left` tells whether it ever was outside the root. */
  step(path: string, followLast = true): Step {
    let at = "/";
    let left = false;
    let hops = 0;
    const rest = path.split("/");
    const fail = (error: Step["error"]): Step => ({ path: at, error, left });
    while (rest.length > 0) {
      const part = rest.shift()!;
      if (this.#plain(at)?.kind !== "folder" && part !== "") return fail("ENOTDIR");
      if (part === "" || part === ".") continue;
      if (part === "..") {
        at = posix.dirname(at);
        continue;
      }
      const next = posix.join(at, part);
      if (!this.inside(next) && !this.granted.startsWith(next + "/")) left = true;
      const node = this.#plain(next);
      if (node === undefined) {
        at = next;
        return fail("ENOENT");
      }
      if (node.kind === "link" && (followLast || rest.some((p) => p !== "" && p !== "."))) {
        if (++hops > 40) return fail("ELOOP");
        if (node.target.startsWith("/")) at = "/";
        rest.unshift(...node.target.split("/"));
      } else at = next;
    }
    return { path: at, node: this.#plain(at), left: left || !this.inside(at) };
  }
}

/** What a failed step reads as, for a path that is lexically inside the root or not. */
function failure(step: Step, lexical: boolean): string {
  if (!lexical || step.left) return "outside_roots";
  return step.error === "ELOOP" ? "unreadable" : "not_found";
}

function expectExisting(model: Model, path: string): string {
  const step = model.step(path);
  if (step.error !== undefined) return failure(step, model.inside(path));
  return model.inside(step.path) ? step.path : "outside_roots";
}

function expectEntry(model: Model, path: string): string {
  if (path === model.granted) return path;
  const parent = model.step(posix.dirname(path));
  if (parent.error !== undefined) return failure(parent, model.inside(path));
  const place = posix.join(parent.path, posix.basename(path));
  if (!model.inside(place)) return "outside_roots";
  const step = model.step(place, false);
  return step.error === undefined
    ? place
    : failure({ ...step, left: parent.left }, model.inside(path));
}

function expectTarget(model: Model, path: string): string {
  const lexical = model.inside(path);
  for (let at = path, missing: string[] = [];;) {
    const step = model.step(at);
    if (step.error === undefined) {
      const ends = model.inside(step.path);
      return ends ? posix.join(step.path, ...missing) : "outside_roots";
    }
    if (step.error !== "ENOENT") return failure(step, lexical);
    const above = model.step(posix.dirname(at));
    const itself = model.step(at, false);
    if (itself.node?.kind === "link") {
      return lexical && !above.left ? "dangling_symlink" : "outside_roots";
    }
    missing = [posix.basename(at), ...missing];
    at = posix.dirname(at);
  }
}

const name = fc.constantFrom("a", "b", "c");
const place = fc.tuple(fc.constantFrom("root", "outside"), fc.array(name, { maxLength: 3 }))
  .map(([top, parts]) => [top, ...parts].join("/"));
const target = fc.oneof(
  fc.array(fc.oneof(name, fc.constantFrom("..", ".", "root", "outside")), {
    minLength: 1,
    maxLength: 4,
  }).map((parts) => parts.join("/")),
  place.map((path) => `DIR/${path}`),
);
const node = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ kind: "folder" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "file" as const }) },
  { weight: 3, arbitrary: target.map((text) => ({ kind: "link" as const, target: text })) },
);
const tree = fc.array(fc.tuple(place, node), { minLength: 3, maxLength: 12 });

/** Builds the tree on disk and in memory; a node that finds no place is left out of both. */
function build(dir: string, parts: [string, { kind: string; target?: string }][]): Model {
  const model = new Model();
  let above = "";
  for (const part of `${dir}/root`.slice(1).split("/").slice(0, -1)) {
    above += "/" + part;
    model.put(above, { kind: "folder", entries: new Map() });
  }
  model.granted = `${dir}/root`;
  const all: typeof parts = [
    ["root", { kind: "folder" }],
    ["outside", { kind: "folder" }],
    ...parts,
  ];
  for (const [relative, { kind, target }] of all) {
    const path = `${dir}/${relative}`;
    if (kind === "folder") {
      if (model.put(path, { kind, entries: new Map() })) Deno.mkdirSync(path);
    } else if (kind === "file") {
      if (model.put(path, { kind })) Deno.writeTextFileSync(path, "");
    } else {
      const text = target!.replace(/^DIR/, dir);
      if (model.put(path, { kind: "link", target: text })) Deno.symlinkSync(text, path);
    }
  }
  return model;
}

function outcome(run: () => { path: string }): string {
  try {
    return run().path;
  } catch (error) {
    if (error instanceof ToolError) return error.code;
    throw error;
  }
}

Deno.test("every resolver agrees with a model of links over random trees", async () => {
  let refused = 0;
  let resolved = 0;
  await inTempDir((top) => {
    let round = 0;
    fc.assert(
      fc.property(tree, fc.array(place, { minLength: 4, maxLength: 8 }), (parts, paths) => {
        const dir = `${top}/${round++}`;
        Deno.mkdirSync(dir);
        const model = build(dir, parts);
        const scope: Scope = { roots: openRoots([`${dir}/root`]).roots, disk: realDisk };
        for (const relative of [...paths, ...parts.map(([path]) => path)]) {
          const path = `${dir}/${relative}`;
          for (
            const [resolve, expect] of [
              [resolveExisting, expectExisting],
              [resolveEntry, expectEntry],
              [resolveTarget, expectTarget],
            ] as const
          ) {
            const got = outcome(() => resolve(path, "path", scope));
            assert.equal(got, expect(model, path), `${resolve.name} ${path}`);
            if (got.startsWith("/")) {
              resolved++;
              assert.ok(model.inside(got));
            } else refused++;
          }
        }
      }),
      { seed: 20_261_130, numRuns: 150 },
    );
  }, { on: "/dev/shm" });
  assert.ok(refused > 500 && resolved > 500, `${refused} refused, ${resolved} resolved`);
});
