// The programs around the program: what the demo proves, and what the bench reads.

import { strict as assert } from "node:assert";
import { fileURLToPath } from "node:url";
import { line } from "../scripts/bench.ts";
import { median, parseTable } from "../scripts/bench/scripts.ts";
import { differences, fingerprint, plantHome } from "../scripts/home.ts";
import { shellLine } from "../scripts/program.ts";
import { inTempDir } from "./support.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const WINDOWS = Deno.build.os === "windows";

async function demo(dir: string, ...args: string[]) {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", `${ROOT}scripts/demo.ts`, ...args],
    env: { TMPDIR: dir, TEMP: dir, TMP: dir },
    stdin: "null",
  });
  const { code, stdout, stderr } = await child.output();
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

Deno.test("the demo tidies, restores, proves it, and leaves nothing behind", async () => {
  await inTempDir(async (dir) => {
    const { code, stdout, stderr } = await demo(dir);
    assert.equal(stderr, "");
    assert.equal(code, 0);
    for (const command of ["list", "summary", "dupes", "trash", "trashed", "restore"]) {
      assert.match(stdout, new RegExp(`^\\$ shieldfive ${command}\\b`, "m"));
    }
    assert.match(stdout, /Planned \(nothing changed\)/);
    assert.match(stdout, /NOTHING WAS DELETED/);
    assert.match(stdout, /"format": 1/);
    assert.match(stdout, /^# Checked: all 9 files are back, with the same SHA-256/m);
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(stdout, /\x1b/);
    assert.deepEqual([...Deno.readDirSync(dir)], []);
  });
});

Deno.test("the demo leaves its folder with --keep and says where", async () => {
  await inTempDir(async (dir) => {
    const { code, stdout } = await demo(dir, "--keep");
    assert.equal(code, 0);
    const kept = stdout.match(/^# Left in place: (.+)$/m)?.[1];
    assert.equal(fingerprint(`${kept}/home`).get("Pictures/IMG_0412.jpg")?.size, 2_400_000);
    assert.equal((await demo(dir, "--kepe")).code, 2);
  });
});

Deno.test("the demo's comparison notices a changed byte, a moved file, a new one and another mode", async () => {
  await inTempDir((dir) => {
    const home = `${dir}/home`;
    plantHome(home, `${dir}/outside`, Date.now());
    const before = fingerprint(home);
    assert.deepEqual(differences(before, fingerprint(home)), []);

    const info = Deno.statSync(`${home}/Pictures/IMG_0412.jpg`);
    const decoy = Deno.readFileSync(`${home}/Pictures/IMG_0413.jpg`);
    Deno.writeFileSync(`${home}/Pictures/IMG_0412.jpg`, decoy);
    Deno.utimeSync(`${home}/Pictures/IMG_0412.jpg`, info.atime!, info.mtime!);
    Deno.renameSync(`${home}/Documents/thesis.docx`, `${home}/Documents/theses.docx`);
    if (!WINDOWS) Deno.chmodSync(`${home}/Downloads/shared.jpg`, 0o600);
    const found = differences(before, fingerprint(home)).join("\n");
    assert.match(found, /IMG_0412\.jpg: its content/);
    assert.match(found, /favourite\.jpg: its content/);
    assert.match(found, /thesis\.docx is gone/);
    assert.match(found, /theses\.docx was not there before/);
    if (!WINDOWS) assert.match(found, /shared\.jpg: its mode/);
  });
});

Deno.test("a printed command is one that a shell reads back", async () => {
  const words = ["trash", "two words", "it's", "", "$HOME", "a\nb", "plain-1.txt"];
  if (WINDOWS) return;
  const child = new Deno.Command("sh", {
    args: ["-c", `printf '%s\\0' ${shellLine(words)}`],
  });
  const { stdout } = await child.output();
  assert.deepEqual(new TextDecoder().decode(stdout).split("\0").slice(0, -1), words);
});

Deno.test("the bench reads a printed table and says whether a target is met", () => {
  const rows = parseTable([
    "(no rdfind: apt-get install rdfind)",
    "| command | wall s | A / this | exit |",
    "| --- | --- | --- | --- |",
    "| product | 1.500 (1.400-1.600) | 1 | 0 |",
    "| jdupes | 1.250 (1.200-1.300) | 1.20 (1.10-1.30) | 0 |",
  ].join("\n"));
  assert.deepEqual(rows.map((row) => row.command), ["product", "jdupes"]);
  assert.equal(median(rows[1], "A / this"), 1.2);
  assert.throws(() => median(rows[1], "peak MiB"), /no figure/);
  assert.throws(() => median(undefined, "A / this"), /no figure/);
  const figure = { what: "dupes", against: "jdupes", target: 1.2, unit: "times" } as const;
  assert.equal(line({ ...figure, measured: 1.2 }), "| dupes | jdupes | 1.20 | 1.20 | met |");
  assert.equal(line({ ...figure, measured: 1.21 }), "| dupes | jdupes | 1.21 | 1.20 | MISSED |");
  const speed = { what: "0x03", against: "libsodium", target: 2.2, unit: "times as fast" } as const;
  assert.equal(line({ ...speed, measured: 2.2 }), "| 0x03 | libsodium | 2.20 | 2.20 | met |");
  assert.equal(line({ ...speed, measured: 2.1 }), "| 0x03 | libsodium | 2.10 | 2.20 | MISSED |");
});
