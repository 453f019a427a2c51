// What the compiler is told, and what of it can be tried where its runtime part is not: what goes into an
// executable is looked at, and the executable is not started.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { CONNECTION, NETWORK, PERMISSIONS } from "../../cli/executable.ts";
import { bundledName, ROOM_MODULES } from "../../containment/rooms/modules.ts";
import { wanted } from "../../scripts/compile.ts";
import {
  compileArguments,
  compilerEnvironment,
  executableName,
} from "../../scripts/compile/arguments.ts";
import { CONTENTS, TARGETS } from "../../scripts/compile/contents.ts";
import { explain } from "../../scripts/compile/explain.ts";
import { BuildFailure } from "../../scripts/compile/failure.ts";
import { builtBundle, deno } from "./built.ts";
import { inTempDir } from "../support.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const built = builtBundle();

/** What is in a folder, as the compiler lists it. */
function names(folder: string): string[] {
  return Array.from(
    Deno.readDirSync(folder),
    ({ name, isDirectory }) => isDirectory ? `${name}/*` : name,
  ).sort();
}

Deno.test("every module that a worker runs is bundled and given to the compiler", () => {
  const serving: string[] = [];
  const visit = (folder: string) => {
    for (const entry of Deno.readDirSync(ROOT + folder)) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory) visit(path);
      else if (/^serveRoom\(/m.test(Deno.readTextFileSync(ROOT + path))) serving.push(path);
    }
  };
  for (const { name, isDirectory } of Deno.readDirSync(ROOT)) {
    if (isDirectory && !/^(\..*|dist|docs|scripts|tests|node_modules)$/.test(name)) visit(name);
  }
  assert.deepEqual(serving.sort(), [...new Set(Object.values(ROOM_MODULES))].sort());
  assert.deepEqual(CONTENTS.modules, ["mod.ts", ...new Set(Object.values(ROOM_MODULES))]);
  const args = compileArguments({ bundle: "/b", target: TARGETS[0], output: "/o" });
  for (const module of serving) {
    assert.ok(names(`${built.folder}/bundle`).includes(bundledName(module)), module);
    assert.equal(args[args.indexOf(`/b/${bundledName(module)}`) - 1], "--include", module);
  }
});

Deno.test("the compiler takes its arguments and puts the whole bundle into the file", async () => {
  await inTempDir(async (dir) => {
    const target = TARGETS.find((each) => each === Deno.build.target)!;
    const args = compileArguments({
      bundle: `${built.folder}/bundle`,
      target,
      output: `${dir}/shieldfive`,
    });
    // The installed runtime stands for its runtime part, which is enough for writing the file. Without
    // --quiet the compiler lists what it put in.
    const { code, stderr } = await deno(args.filter((arg) => arg !== "--quiet"), dir, {
      DENORT_BIN: Deno.execPath(),
    });
    assert.equal(code, 0, stderr);
    const listed = [...stderr.matchAll(/^[├└]─+ (\S+) \(/gm)].map(([, name]) => name).sort();
    assert.deepEqual(listed, names(`${built.folder}/bundle`));
    assert.ok(Deno.statSync(`${dir}/shieldfive`).size > 10_000_000);
  });
});

Deno.test("what is fixed in an executable does not depend on who compiles it", () => {
  for (const target of TARGETS) {
    const args = compileArguments({ bundle: "/b", target, output: "/o" });
    assert.deepEqual(args.filter((arg) => /^--(allow|deny|no-prompt)/.test(arg)), [
      ...PERMISSIONS,
      NETWORK,
      ...CONNECTION,
    ]);
    for (const flag of ["--no-config", "--no-lock", "--no-npm", "--no-remote", "--no-code-cache"]) {
      assert.ok(args.includes(flag), flag);
    }
    assert.equal(args[args.indexOf("--target") + 1], target);
    assert.equal(args.at(-1), "/b/main.js");
  }
  const outer = {
    PATH: "p",
    DENORT_BIN: "d",
    DENO_V8_FLAGS: "v",
    OTEL_DENO: "1",
    NODE_OPTIONS: "n",
  };
  assert.deepEqual(compilerEnvironment(outer), { PATH: "p", DENORT_BIN: "d", NO_COLOR: "1" });
});

Deno.test("an executable is called by its system when it is not for this one alone", () => {
  assert.equal(executableName("x86_64-unknown-linux-gnu", true), "shieldfive");
  assert.equal(
    executableName("aarch64-apple-darwin", false),
    "shieldfive-aarch64-apple-darwin",
  );
  assert.equal(
    executableName("x86_64-pc-windows-msvc", false),
    "shieldfive-x86_64-pc-windows-msvc.exe",
  );
  assert.equal(executableName("x86_64-pc-windows-msvc", true), "shieldfive.exe");
});

Deno.test("one system, all of them, or a self-extracting file can be asked for, and nothing else", () => {
  assert.deepEqual(wanted([]), { portable: false, targets: [Deno.build.target] });
  assert.deepEqual(wanted(["--all"]), { portable: false, targets: TARGETS });
  assert.deepEqual(wanted(["--portable"]), { portable: true });
  const one = { portable: false, targets: ["aarch64-apple-darwin"] };
  assert.deepEqual(wanted(["--target", "aarch64-apple-darwin"]), one);
  assert.deepEqual(wanted(["--target=aarch64-apple-darwin"]), one);
  for (
    const words of [
      ["--target", "vax"],
      ["--all", "--portable"],
      ["--all", "--target", TARGETS[0]],
      ["--target"],
      ["--fast"],
      ["word"],
    ]
  ) {
    assert.throws(() => wanted(words), BuildFailure, words.join(" "));
  }
});

Deno.test("compiling says in one sentence that the runtime part could not be had, and what else there is", () => {
  const url = "https://dl.deno.land/release/v2.9.6/denort-x86_64-unknown-linux-gnu.zip";
  const failed = `Compile mod.ts to shieldfive\nDownload ${url}\nerror: Writing deno compile ` +
    `executable\n\nCaused by:\n    1: error sending request for url (${url}): dns error\n`;
  const said = explain(failed, "2.9.6");
  assert.ok(said.includes(url) && said.includes("DENORT_BIN") && said.includes("--portable"));
  assert.equal(said.split("\n").length, 1);
  assert.equal(explain("error: Module not found\n", "2.9.6"), "error: Module not found");
});
