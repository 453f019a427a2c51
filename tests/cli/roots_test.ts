import assert from "node:assert/strict";
import {
  absolute,
  placeOf,
  type Reach,
  reachForChange,
  reachForReading,
  type RootSource,
} from "../../cli/roots.ts";
import { UsageError } from "../../cli/usage.ts";
import { inTempDir, plant, refusal } from "../support.ts";
import { testEnvironment } from "./environment.ts";

function source(cwd: string | undefined, over: Partial<RootSource> & { env?: string } = {}) {
  const { env, ...rest } = over;
  const variables = env === undefined ? {} : { SHIELDFIVE_MCP_ROOTS: env };
  return { environment: testEnvironment({ cwd, variables }), given: [], findTrash: false, ...rest };
}

function paths({ roots }: Reach): string[] {
  return roots.map(({ path }) => path);
}

/** The roots of a change with these operands, each typed as a person would. */
function changeRoots(
  cwd: string,
  typed: { path: string; destination?: boolean }[],
  over: Parameters<typeof source>[1] = {},
): string[] {
  const from = source(cwd, over);
  const operands = typed.map(({ path, destination = false }) => ({
    path: placeOf(path, from.environment),
    destination,
  }));
  return paths(reachForChange(operands, from));
}

Deno.test("typed paths are made absolute lexically, and an empty one is refused", () => {
  const environment = testEnvironment({ cwd: "/t/here" });
  assert.equal(absolute("a/../b/", environment), "/t/here/b");
  assert.equal(absolute("/x//y/./z/", environment), "/x/y/z");
  assert.equal(absolute("-rf ", environment), "/t/here/-rf ");
  assert.throws(() => absolute("", environment), UsageError);
});

Deno.test("a reading command reads the current folder, or the folders that are named", () =>
  inTempDir((dir) => {
    plant(dir, { "here/": "", "a/": "", "b/c/": "" });
    assert.deepEqual(paths(reachForReading([], source(`${dir}/here`))), [`${dir}/here`]);
    const named = reachForReading(["../a", `${dir}/b/c`], source(`${dir}/here`));
    assert.deepEqual(paths(named), [`${dir}/a`, `${dir}/b/c`]);
    assert.deepEqual(paths(reachForReading(["../b/c", ".."], source(`${dir}/here`))), [dir]);
  }));

Deno.test("a folder whose name ends in a space is that folder and no other", () =>
  inTempDir((dir) => {
    plant(dir, { "a/": "", "a /": "" });
    assert.deepEqual(paths(reachForReading(["a "], source(dir))), [`${dir}/a `]);
  }));

Deno.test("one file is read by way of its folder", () =>
  inTempDir((dir) => {
    plant(dir, { "a/x.txt": "x", "b/y.txt": "y" });
    Deno.symlinkSync(`${dir}/b/y.txt`, `${dir}/a/link`);
    const file = reachForReading(["a/x.txt"], source(dir));
    assert.deepEqual([paths(file), file.path], [[`${dir}/a`], `${dir}/a/x.txt`]);
    const linked = reachForReading(["a/link"], source(dir));
    assert.deepEqual([paths(linked), linked.path], [[`${dir}/b`], `${dir}/b/y.txt`]);
    assert.throws(
      () => reachForReading(["a/x.txt", "b"], source(dir)),
      /is a file: name folders, or one file alone/,
    );
  }));

Deno.test("what is missing, or is no folder, is refused by name", () =>
  inTempDir((dir) => {
    new Deno.Command("mkfifo", { args: [`${dir}/pipe`] }).outputSync();
    assert.equal(refusal(() => reachForReading(["nope"], source(dir))).code, "not_found");
    assert.equal(refusal(() => reachForReading(["pipe"], source(dir))).code, "not_a_directory");
    assert.equal(refusal(() => reachForReading(["/proc"], source(dir))).code, "invalid_path");
    assert.equal(refusal(() => reachForReading([], source(undefined))).code, "not_found");
  }));

Deno.test("given roots are a limit: folders named beside them must lie inside and narrow the scan", () =>
  inTempDir((dir) => {
    plant(dir, { "in/sub/": "", "in/f.txt": "f", "out/": "" });
    Deno.symlinkSync(`${dir}/out`, `${dir}/in/link`);
    const given = { given: ["in"] };
    assert.deepEqual(paths(reachForReading([], source(dir, given))), [`${dir}/in`]);
    assert.deepEqual(paths(reachForReading(["in/sub"], source(dir, given))), [`${dir}/in/sub`]);
    const noted = reachForReading(["in/sub"], source(dir, { given: ["in", "nope"] }));
    assert.match(noted.notices.join(), /nope" is ignored: it does not exist/);
    const file = reachForReading(["in/f.txt"], source(dir, given));
    assert.deepEqual([paths(file), file.path], [[`${dir}/in`], `${dir}/in/f.txt`]);
    for (const outside of ["out", "in/link", "."]) {
      const error = refusal(() => reachForReading([outside], source(dir, given)));
      assert.equal(error.code, "outside_roots", outside);
    }
  }));

Deno.test("roots come from the variable as well, and what cannot be one is told", () =>
  inTempDir((dir) => {
    plant(dir, { "a/": "", "b/": "" });
    const reach = reachForReading(
      [],
      source(dir, { given: ["a"], env: `${dir}/b:relative:${dir}/no` }),
    );
    assert.deepEqual(paths(reach), [`${dir}/a`, `${dir}/b`]);
    assert.equal(reach.notices.length, 2);
    assert.match(reach.notices[0], /"relative" is ignored: it is not an absolute path/);
    assert.equal(
      refusal(() => reachForReading([], source(dir, { given: ["no"] }))).code,
      "no_roots",
    );
    assert.deepEqual(changeRoots(dir, [{ path: "b/x" }], { given: ["a"] }), [`${dir}/a`]);
  }));

Deno.test("a variable that holds nothing gives no roots", () =>
  inTempDir((dir) => {
    assert.deepEqual(paths(reachForReading([], source(dir, { env: " : " }))), [dir]);
  }));

Deno.test("a changing command works in the current folder and where its operands are", () =>
  inTempDir((dir) => {
    plant(dir, { "here/x": "x", "there/y": "y", "dest/sub/": "" });
    const here = `${dir}/here`;
    assert.deepEqual(changeRoots(here, [{ path: "x" }]), [here]);
    assert.deepEqual(changeRoots(here, [{ path: "../there/y" }]), [here, `${dir}/there`]);
    assert.deepEqual(
      changeRoots(here, [{ path: "x" }, { path: "../dest/sub", destination: true }]),
      [here, `${dir}/dest/sub`],
      "an existing folder as destination is worked in itself",
    );
    assert.deepEqual(
      changeRoots(here, [{ path: "x" }, { path: "../dest/new.txt", destination: true }]),
      [here, `${dir}/dest`],
    );
    assert.deepEqual(
      changeRoots(here, [{ path: "../dest/new/deep" }]),
      [here, `${dir}/dest`],
      "the nearest folder that exists",
    );
  }));

Deno.test("a link as operand is where the link is, not where it leads", () =>
  inTempDir((dir) => {
    plant(dir, { "here/": "", "real/k": "k", "links/": "" });
    Deno.symlinkSync(`${dir}/real`, `${dir}/links/link`);
    const here = `${dir}/here`;
    assert.deepEqual(changeRoots(here, [{ path: "../links/link/" }]), [here, `${dir}/links`]);
    assert.deepEqual(
      changeRoots(here, [{ path: "../links/link", destination: true }]),
      [here, `${dir}/links`],
    );
    assert.equal(
      placeOf(`${dir}/links/link/k`, testEnvironment({ cwd: here })),
      `${dir}/real/k`,
      "links above the operand are resolved",
    );
  }));

Deno.test("what holds the current folder is a root itself, so that it cannot be taken away", () =>
  inTempDir((dir) => {
    plant(dir, { "a/b/": "" });
    assert.deepEqual(changeRoots(`${dir}/a/b`, [{ path: ".." }]), [`${dir}/a`]);
    assert.deepEqual(changeRoots(`${dir}/a/b`, [{ path: "." }]), [`${dir}/a/b`]);
  }));

Deno.test("the trash commands find the nearest trash above the current folder and each operand", () =>
  inTempDir((dir) => {
    plant(dir, {
      ".shieldfive-mcp-trash/": "",
      "a/.shieldfive-mcp-trash/": "",
      "a/b/c/": "",
      "d/e/": "",
    });
    const find = { findTrash: true };
    assert.deepEqual(paths(reachForReading([], source(`${dir}/a/b/c`, find))), [`${dir}/a`]);
    assert.deepEqual(paths(reachForReading([], source(`${dir}/d/e`, find))), [dir]);
    assert.deepEqual(changeRoots(`${dir}/a/b`, [{ path: "../../d/e/gone/x" }], find), [dir]);
    assert.deepEqual(changeRoots(`${dir}/a/b`, [], find), [`${dir}/a`]);
    assert.deepEqual(paths(reachForReading([], source(`${dir}/a/b/c`))), [`${dir}/a/b/c`]);
  }));

Deno.test("the tilde of --root=~/x, which shells leave alone, is the home folder", () =>
  inTempDir((dir) => {
    plant(dir, { "home/Downloads/": "", "here/~/Downloads/": "" });
    const environment = testEnvironment({ cwd: `${dir}/here`, home: `${dir}/home` });
    const rootsOf = (given: string) =>
      paths(reachForReading([], { environment, given: [given], findTrash: false }));
    assert.deepEqual(rootsOf("~/Downloads"), [`${dir}/home/Downloads`]);
    assert.deepEqual(rootsOf("~"), [`${dir}/home`]);
    assert.deepEqual(rootsOf("./~/Downloads"), [`${dir}/here/~/Downloads`]);
    assert.equal(refusal(() => rootsOf("~sam")).code, "no_roots");
  }));
