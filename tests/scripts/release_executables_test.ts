// Which executables a release gets, and what it says about the ones that it does not get.

import { strict as assert } from "node:assert";
import { report } from "../../scripts/release.ts";
import { buildExecutables } from "../../scripts/release/executables.ts";
import { ReleaseFailure } from "../../scripts/release/failure.ts";
import { TARGETS } from "../../scripts/release/targets.ts";
import { ROOT, source, TIME } from "./release.ts";

const HERE = TARGETS.find(({ triple }) => triple === Deno.build.target)!;
const MISSING = "the runtime part could not be had";

Deno.test("every system whose runtime part can be had gets a compiled executable", () => {
  const asked: string[][] = [];
  const { packed, leftOut } = buildExecutables((...args) => void asked.push(args));
  assert.deepEqual(asked, TARGETS.map(({ triple }) => ["--target", triple]));
  assert.deepEqual(leftOut, []);
  assert.deepEqual(
    packed.map(({ target, how }) => [target, how]),
    TARGETS.map((one) => [one, "compiled"]),
  );
  const windows = packed.find(({ target }) => target.platform === "win32");
  assert.match(windows!.file, /shieldfive-x86_64-pc-windows-msvc\.exe$/);
});

Deno.test("without a runtime part this system gets the self-extracting one, the others nothing", () => {
  const { packed, leftOut } = buildExecutables((option) =>
    option === "--portable" ? undefined : MISSING
  );
  assert.deepEqual(packed.map(({ target, how }) => [target, how]), [[HERE, "self-extracting"]]);
  assert.ok(packed[0].file.startsWith(ROOT) && packed[0].file.endsWith("shieldfive"));
  const others = TARGETS.filter((target) => target !== HERE);
  assert.deepEqual(leftOut, others.map((target) => ({ target, why: MISSING })));
});

Deno.test("where nothing can be made, every reason is told", () => {
  const nothing = (option: string) => option === "--portable" ? "no space left" : MISSING;
  assert.throws(() => buildExecutables(nothing), (error) => {
    assert.ok(error instanceof ReleaseFailure);
    const lines = error.message.split("\n");
    assert.equal(lines.length, 1 + TARGETS.length);
    assert.ok(lines.includes(`  ${HERE.triple}: ${MISSING}; and without it: no space left`));
    return true;
  });
});

Deno.test("an executable for another system alone makes a release too", () => {
  const [other] = TARGETS.filter((target) => target !== HERE);
  const { packed, leftOut } = buildExecutables((_option, triple) =>
    triple === other.triple ? undefined : MISSING
  );
  assert.deepEqual(packed.map(({ target }) => target), [other]);
  assert.equal(leftOut.length, TARGETS.length - 1);
});

Deno.test("the report names what is packed, what is not and why, and what is in the way", () => {
  const [one, two] = TARGETS;
  const said = report(
    source({ version: "1.2.0", time: TIME }),
    {
      packed: [{ target: one, file: "a", how: "compiled" }],
      leftOut: [{ target: two, why: MISSING }],
    },
    { files: [{ name: "a.mcpb", size: 42_800_000, sha256: "" }], doubts: ["not yet"] },
  );
  assert.equal(
    said,
    `shieldfive 1.2.0, of 2026-03-29T01:30:31.000Z

packed:
  ${one.triple}, compiled

left out:
  ${two.triple}: ${MISSING}

written to dist/release:
   42.8 MB  a.mcpb

NOT TO BE PUBLISHED as it is:
  not yet`,
  );
});
