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

function startDemo(dir: string, ...args: string[]): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", `${ROOT}scripts/demo.ts`, ...args],
    env: { TMPDIR: dir, TEMP: dir, TMP: dir },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

async function demo(dir: string, ...args: string[]) {
  const { code, stdout, stderr } = await startDemo(dir, ...args).output();
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

Deno.test("the demo tidies, moves into a vault, proves it, and leaves nothing behind", async () => {
  await inTempDir(async (dir) => {
    const { code, stdout, stderr } = await demo(dir);
    assert.equal(stderr, "");
    assert.equal(code, 0);
    const commands = ["list", "summary", "dupes", "trash", "trashed", "restore"]
      .concat("serve", "login", "vault list", "move-in", "vault read", "status");
    for (const command of commands) {
      assert.match(stdout, new RegExp(`^\\$ shieldfive ${command}\\b`, "m"));
    }
    assert.match(stdout, /Planned \(nothing changed\)/);
    assert.match(stdout, /NOTHING WAS DELETED/);
    assert.match(stdout, /"format": 1/);
    assert.match(stdout, /^# Checked: all 10 files are back, with the same SHA-256/m);
    assert.match(stdout, /^# Checked: the owner gets both from the server, with the same SHA-256/m);
    assert.match(stdout, /^# Checked: none of the names and texts is on the server's disk/m);
    assert.match(stdout, /^# Checked: Documents\/insurance\.pdf is back as it was/m);
    assert.match(stdout, /^4821-0937$/m);
    assert.match(stdout, /was revoked or has expired/);
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(stdout, /\x1b/);
    assert.deepEqual([...Deno.readDirSync(dir)], []);
    await assertNobodyServes(stdout);
  });
});

/** Where the demo's server was nobody answers any more. */
async function assertNobodyServes(stdout: string): Promise<void> {
  const [, port] = /^http:\/\/127\.0\.0\.1:(\d+)\/#setup=/m.exec(stdout) ?? [];
  await assert.rejects(
    Deno.connect({ hostname: "127.0.0.1", port: Number(port) }),
    Deno.errors.ConnectionRefused,
  );
}

Deno.test(
  "the demo ends its server when it is stopped, and leaves its folder with --keep and says where",
  { ignore: WINDOWS }, // where a signal ends it like any other program
  async () => {
    await inTempDir(async (dir) => {
      const child = startDemo(dir, "--keep");
      const [told, toStop] = child.stdout.tee();
      const stdout = new Response(told).text();
      for await (const text of toStop.pipeThrough(new TextDecoderStream())) {
        if (text.includes("#setup=")) child.kill("SIGTERM");
      }
      assert.equal(await new Response(child.stderr).text(), "demo: stopped\n");
      assert.equal((await child.status).code, 130);
      const kept = (await stdout).match(/^# Left in place: (.+)$/m)?.[1];
      assert.equal(fingerprint(`${kept}/home`).get("Pictures/IMG_0412.jpg")?.size, 2_400_000);
      await assertNobodyServes(await stdout);
      assert.equal((await demo(dir, "--kepe")).code, 2);
    });
  },
);

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
