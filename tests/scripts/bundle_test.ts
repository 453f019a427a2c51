// The bundle: it runs by itself with the rights of an executable, says what it was made of, and comes out the
// same wherever it is made.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import config from "../../deno.json" with { type: "json" };
import { CONNECTION, NETWORK, PERMISSIONS } from "../../cli/executable.ts";
import { sameBytes } from "../../containment/mod.ts";
import { PAGE_FOLDER } from "../../containment/rooms/modules.ts";
import { bundle } from "../../scripts/bundle.ts";
import { commitOf } from "../../scripts/compile/commit.ts";
import { compileArguments } from "../../scripts/compile/arguments.ts";
import { type Contents, TARGETS } from "../../scripts/compile/contents.ts";
import { BuildFailure } from "../../scripts/compile/failure.ts";
import { withLastingNames } from "../../scripts/compile/names.ts";
import { localTools } from "../../tools/mod.ts";
import { roomKinds } from "../../tools/session.ts";
import { builtBundle, deno } from "./built.ts";
import { inTempDir, plant } from "../support.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The rights of an executable, for a bundle away from any configuration. */
const FLAGS = ["run", "--no-config", "--no-lock", "--no-npm", "--no-remote"]
  .concat("--unstable-worker-options", PERMISSIONS, NETWORK, CONNECTION);

const built = builtBundle();

/** Runs the bundle with the rights that are compiled in. */
async function program(args: string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await deno(
    [...FLAGS, `${built.folder}/bundle/main.js`, ...args],
    cwd,
  );
  assert.equal(code, 0, `${args[0]}: ${stderr}`);
  return stdout;
}

/** The files below a folder, by their path from there. */
function names(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
    isDirectory ? names(`${folder}/${name}`).map((below) => `${name}/${below}`) : [name]
  ).sort();
}

Deno.test("the bundle runs by itself, with the rights of an executable, and every room opens", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "a.txt": "a", "b.txt": "a" });
    assert.match(await program(["list"], dir), /a\.txt[^]*2 files/);
    assert.match(await program(["dupes"], dir), /b\.txt/);
    await program(["trash", "a.txt", "--yes"], dir);
    assert.throws(() => Deno.statSync(`${dir}/a.txt`), Deno.errors.NotFound);
    await program(["restore", "--yes"], dir);
    assert.equal(Deno.readTextFileSync(`${dir}/a.txt`), "a");
    await program(["mcp", dir], dir);
    // Each room is opened there and its walls are tried.
    const { sections } = JSON.parse(await program(["doctor", "--json"], dir));
    const rooms = sections.find(({ section }: { section: string }) => section === "rooms");
    for (const { state, text } of rooms.findings) assert.equal(state, "ok", text);
    for (const kind of roomKinds(localTools)) {
      assert.ok(rooms.findings.some(({ text }: { text: string }) => text.includes(kind)), kind);
    }
    // The one room that no tool has.
    plant(dir, { "home/.cursor/": "" });
    const home = `${dir}/home`;
    const env = { HOME: home, XDG_CONFIG_HOME: "", XDG_STATE_HOME: "", APPDATA: home };
    const { code, stderr } = await deno(
      [
        ...FLAGS,
        `${built.folder}/bundle/main.js`,
        "setup",
        "client",
        "cursor",
        "--root",
        dir,
        "--yes",
      ],
      dir,
      env,
    );
    assert.equal(code, 0, stderr);
    const { mcpServers } = JSON.parse(Deno.readTextFileSync(`${home}/.cursor/mcp.json`));
    assert.ok(mcpServers.shieldfive.args.includes(`${built.folder}/bundle/main.js`));
  });
});

Deno.test("the rights that are built.folder in name what is needed one by one", () => {
  assert.doesNotMatch(PERMISSIONS.join(" "), /--allow-(all|import)|-A\b/);
  for (const flag of PERMISSIONS.filter((flag) => !/^--allow-(read|write)$/.test(flag))) {
    assert.match(flag, /^(--allow-(env|sys|net|run|ffi)=\S+|--no-prompt)$/);
  }
});

Deno.test("a bundle says its commit, and the sources do not", async () => {
  const { version } = config;
  assert.equal(await program(["--version"], built.folder), `shieldfive ${version} (1234abc)\n`);
  const { stdout } = await deno(["run", "-A", `${ROOT}mod.ts`, "--version"]);
  assert.equal(stdout, `shieldfive ${version}\n`);
});

Deno.test("the commit is the checkout's, with a word about changes, and of no other folder", () =>
  inTempDir((dir) => {
    const git = (...args: string[]) =>
      new Deno.Command("git", {
        args: ["-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.org", ...args],
      }).outputSync();
    assert.equal(commitOf(dir), undefined);
    git("init");
    assert.equal(commitOf(dir), undefined);
    plant(dir, { "a.txt": "a", "below/b.txt": "b" });
    git("add", ".");
    git("commit", "-m", "one");
    const commit = new TextDecoder().decode(git("rev-parse", "HEAD").stdout).slice(0, 7);
    assert.match(commit, /^[0-9a-f]{7}$/);
    assert.equal(commitOf(dir), commit);
    plant(dir, { "new.txt": "" });
    assert.equal(commitOf(dir), `${commit}, modified`);
    git("add", ".");
    git("commit", "-m", "two");
    assert.match(commitOf(dir)!, /^[0-9a-f]{7}$/);
    plant(dir, { "a.txt": "b" });
    assert.match(commitOf(dir)!, /, modified$/);
    assert.equal(commitOf(`${dir}/below`), undefined);
  }));

Deno.test("what is loaded late is in files of its own, and no source map is shipped", async () => {
  const files = names(`${built.folder}/bundle`)
    .filter((name) => name.endsWith(".js") && !name.startsWith(`${PAGE_FOLDER}/`));
  assert.deepEqual(names(`${built.folder}/maps`), files.map((name) => `${name}.map`));
  const { stdout } = await deno([
    "info",
    "--json",
    "--no-config",
    `${built.folder}/bundle/main.js`,
  ]);
  const { modules } = JSON.parse(stdout);
  const start = modules.find(({ specifier }: { specifier: string }) =>
    specifier.endsWith("/main.js")
  );
  const late = start.dependencies.filter((each: { isDynamic?: boolean }) => each.isDynamic);
  assert.ok(late.length >= 4, JSON.stringify(start.dependencies));
  // The library of schemas alone has hundreds of kilobytes.
  assert.ok(Deno.statSync(`${built.folder}/bundle/main.js`).size < 10_000);
  for (const name of files) {
    const text = Deno.readTextFileSync(`${built.folder}/bundle/${name}`);
    assert.doesNotMatch(text, /sourceMappingURL/, name);
    assert.ok(!text.includes(ROOT), `${name} names the folder that it was bundled in`);
    assert.doesNotMatch(text, /\bimport\(\s*[^"'\s]/, `${name} imports by a computed name`);
  }
});

Deno.test("the same sources give the same bundle, wherever they and the packages are", async () => {
  await inTempDir(async (dir) => {
    const copy = `${dir}/some where/else`;
    Deno.mkdirSync(copy, { recursive: true });
    for (const { name, isDirectory } of Deno.readDirSync(ROOT)) {
      if (!isDirectory || /^(\..*|dist|docs|tests|node_modules)$/.test(name)) continue;
      const { success } = await new Deno.Command("cp", {
        args: ["-R", `${ROOT}${name}`, `${copy}/${name}`],
      }).output();
      assert.ok(success);
    }
    for (const name of ["deno.json", "deno.lock", "mod.ts"]) {
      Deno.copyFileSync(ROOT + name, `${copy}/${name}`);
    }
    const { stdout } = await deno(["info", "--json"]);
    const { denoDir } = JSON.parse(stdout);
    Deno.mkdirSync(`${dir}/cache`);
    for (const { name } of Deno.readDirSync(denoDir)) {
      if (["npm", "dl"].includes(name)) {
        Deno.symlinkSync(`${denoDir}/${name}`, `${dir}/cache/${name}`);
      }
    }
    Deno.writeTextFileSync(
      `${copy}/scripts/again.ts`,
      `import { bundle } from "./bundle.ts";
       await bundle({ into: ${JSON.stringify(`${dir}/made`)}, commit: "1234abc" });`,
    );
    const again = await deno(["run", "-A", `${copy}/scripts/again.ts`], dir, {
      DENO_DIR: `${dir}/cache`,
    });
    assert.equal(again.code, 0, again.stderr);
    assert.deepEqual(names(`${dir}/made`), names(`${built.folder}/bundle`));
    for (const name of names(`${dir}/made`)) {
      const [one, other] = [`${dir}/made/${name}`, `${built.folder}/bundle/${name}`];
      assert.ok(sameBytes(Deno.readFileSync(one), Deno.readFileSync(other)), name);
    }
  });
});

Deno.test("lasting names depend on contents alone, in circles too", () => {
  const files = (a: string, b: string, text = "tail") =>
    new Map([
      ["main.js", `import "./${a}"; import("./${b}")`],
      [a, `import "./${b}"; "head"`],
      [b, `import "./main.js"; import "./${a}"; "${text}"`],
    ]);
  const made = (...args: Parameters<typeof files>) =>
    withLastingNames(files(...args)).map(({ after, text }) => [after, text]);
  const one = made("chunk-AAAAAAAA.js", "late-BBBBBBBB.js");
  assert.deepEqual(made("chunk-CCCCCCCC.js", "late-DDDDDDDD.js"), one);
  const other = made("chunk-AAAAAAAA.js", "late-BBBBBBBB.js", "tale");
  // What imports a changed file is another file.
  assert.notEqual(other[1][0], one[1][0]);
  assert.notEqual(other[2][0], one[2][0]);
  assert.equal(one[0][0], "main.js");
  assert.equal(one[0][1], `import "./${one[1][0]}"; import("./${one[2][0]}")`);
  const alike = new Map([["x-AAAAAAAA.js", "same"], ["x-BBBBBBBB.js", "same"]]);
  assert.throws(() => withLastingNames(alike), BuildFailure);
});

Deno.test("files and native addons go in by their line in the table", async () => {
  await inTempDir(async (dir) => {
    const contents: Contents = {
      modules: ["mod.ts"],
      assets: ["docs", "LICENSE"],
      made: [{
        folder: "made",
        files: () => Promise.resolve(new Map([["below/it.txt", new Uint8Array([97])]])),
        modules: [],
      }],
      // A package that is installed anyway stands for an addon.
      addons: [{
        name: "width",
        specifier: () => "get-east-asian-width",
        family: "get-east-asian-width",
      }],
    };
    const [target] = TARGETS;
    await bundle({ into: `${dir}/b`, maps: `${dir}/m`, targets: [target], contents });
    const read = (path: string) => Deno.readTextFileSync(path);
    assert.equal(read(`${dir}/b/docs/tools.md`), read(`${ROOT}docs/tools.md`));
    assert.equal(read(`${dir}/b/LICENSE`), read(`${ROOT}LICENSE`));
    assert.equal(read(`${dir}/b/made/below/it.txt`), "a");
    assert.equal(
      read(`${dir}/b/addons/${target}/width.node`),
      read(fileURLToPath(import.meta.resolve("get-east-asian-width"))),
    );
    const args = compileArguments({ bundle: `${dir}/b`, target, output: `${dir}/o`, contents });
    for (const path of ["docs", "LICENSE", "made", `addons/${target}/width.node`]) {
      assert.equal(args[args.indexOf(`${dir}/b/${path}`) - 1], "--include", path);
    }
    contents.addons = [{ name: "x", specifier: () => "no-such-package", family: "x" }];
    await assert.rejects(
      bundle({ into: `${dir}/b`, maps: `${dir}/m`, contents }),
      /the native addon no-such-package is not installed here/,
    );
    assert.equal(read(`${dir}/b/LICENSE`), read(`${ROOT}LICENSE`), "the last bundle was lost");
  });
});
