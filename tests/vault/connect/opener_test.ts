// Starting a browser, with programs that note what they were started with: one that works, is missing, fails,
// prints, or does not end.

import assert from "node:assert/strict";
import { pageAddress } from "../../../vault/connect/mod.ts";
import { openAddress, openerFor } from "../../../vault/connect/opener.ts";
import { inTempDir } from "../../support.ts";

const POSIX = { ignore: Deno.build.os === "windows" };
const ADDRESS = pageAddress(
  { origin: "https://vault.example", client: "other", label: "A & %b% ^c $(id) --d" },
  { state: "a".repeat(43), port: 40123 },
  Date.now(),
);

/** A program with this shell text, which is told its words as `$@` and its folder as `$here`. */
function opener(dir: string, text: string): string {
  const file = `${dir}/opener`;
  Deno.writeTextFileSync(file, `#!/bin/sh\nhere=${dir}\n${text}\n`, { mode: 0o755 });
  return file;
}

/** A clock whose alarms ring at once, but for those longer than a minute. */
const impatient = (_ms: number, ring: () => void) => {
  const timer = setTimeout(ring, 300);
  return () => clearTimeout(timer);
};

async function eventually(file: string): Promise<string> {
  for (let tries = 0; tries < 100; tries++) {
    try {
      const text = Deno.readTextFileSync(file);
      if (text.endsWith("\n")) return text;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${file} was not written`);
}

Deno.test("each system has one program, and the address is one word behind its own", () => {
  assert.deepEqual(openerFor("linux"), { program: "xdg-open", words: [] });
  assert.deepEqual(openerFor("darwin"), { program: "open", words: [] });
  assert.deepEqual(openerFor("windows"), {
    program: "rundll32.exe",
    words: ["url.dll,FileProtocolHandler"],
  });
});

Deno.test(
  "the address comes as one word, no shell takes it apart, and there is no input",
  POSIX,
  () =>
    inTempDir(async (dir) => {
      const program = opener(dir, `{ printf '%s|' "$#" "$@"; cat; echo; } > "$here/seen"`);
      assert.deepEqual(await openAddress(ADDRESS, { program, words: ["one"] }), { opened: true });
      assert.equal(Deno.readTextFileSync(`${dir}/seen`), `2|one|${ADDRESS}|\n`);
    }),
);

Deno.test(
  "a program that fails or is not there says why, and nothing is thrown",
  POSIX,
  () =>
    inTempDir(async (dir) => {
      const program = opener(dir, "exit 3");
      assert.deepEqual(await openAddress(ADDRESS, { program, words: [] }), {
        opened: false,
        why: `${program} ended with exit code 3`,
      });
      const missing = await openAddress(ADDRESS, { program: `${dir}/nowhere`, words: [] });
      assert.equal(missing.opened, false);
      assert.match(missing.opened ? "" : missing.why, /nowhere cannot be started: /);
    }),
);

Deno.test(
  "a program that does not end counts as the browser, and is left alone",
  POSIX,
  () =>
    inTempDir(async (dir) => {
      const program = opener(dir, `sleep 1; echo done > "$here/seen"`);
      const began = performance.now();
      const opening = await openAddress(ADDRESS, { program, words: [], alarm: impatient });
      assert.deepEqual(opening, { opened: true });
      assert.ok(performance.now() - began < 900);
      assert.equal(await eventually(`${dir}/seen`), "done\n");
    }),
);

Deno.test("what is no address of the page starts nothing", POSIX, () =>
  inTempDir(async (dir) => {
    const program = opener(dir, `echo started > "$here/seen"`);
    for (const address of ["file:///etc/passwd", "--help", "calc:", `${ADDRESS};id`]) {
      const opening = await openAddress(address, { program, words: [] });
      assert.equal(opening.opened, false, address);
    }
    assert.throws(() => Deno.lstatSync(`${dir}/seen`), Deno.errors.NotFound);
  }));

Deno.test("what the program prints goes nowhere", POSIX, () =>
  inTempDir(async (dir) => {
    const program = opener(dir, "echo to-stdout; echo to-stderr >&2");
    const url = (path: string) => JSON.stringify(new URL(`../../../${path}`, import.meta.url).href);
    const script = `import { openAddress } from ${url("vault/connect/opener.ts")};
      console.log(JSON.stringify(await openAddress(Deno.args[0], { program: Deno.args[1], words: [] })));`;
    Deno.writeTextFileSync(`${dir}/open.ts`, script);
    const config = new URL("../../../deno.json", import.meta.url).pathname;
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--config", config, `${dir}/open.ts`, ADDRESS, program],
    }).output();
    const text = new TextDecoder();
    assert.equal(text.decode(stdout), '{"opened":true}\n');
    assert.equal(text.decode(stderr), "");
  }));
