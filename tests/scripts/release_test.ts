// A release as somebody meets it who downloads it: archives that unpack and run, digests that fit, and the
// same bytes whoever makes it.

import { strict as assert } from "node:assert";
import { unzipSync } from "fflate";
import { zipped } from "../../scripts/release/archive.ts";
import { notesOf } from "../../scripts/release/changelog.ts";
import { ReleaseFailure } from "../../scripts/release/failure.ts";
import { readSource } from "../../scripts/release/source.ts";
import { inTempDir, plant } from "../support.ts";
import { has, HERE, release, ROOT, source, standIn, TIME, WINDOWS } from "./release.ts";

const { version } = JSON.parse(Deno.readTextFileSync(`${ROOT}/deno.json`));
const POSIX = { ignore: Deno.build.os === "windows" };
const RUNS = new RegExp(`^shieldfive ${RegExp.escape(version)}\\b`);
const NAME = `shieldfive-${version}-${HERE.triple}`;

/** What every archive holds beside the program. */
const CONTENTS = [
  "CHANGELOG.md",
  "LICENSE",
  "README.md",
  "SECURITY.md",
  "THIRD-PARTY.md",
  "completions/_shieldfive",
  "completions/shieldfive.bash",
  "completions/shieldfive.fish",
  "docs/tools.md",
  "man/man1/shieldfive.1",
];

function names(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

function run(command: string, args: string[], cwd: string): { code: number; stdout: string } {
  const { code, stdout } = new Deno.Command(command, { args, cwd, stderr: "inherit" }).outputSync();
  return { code, stdout: new TextDecoder().decode(stdout) };
}

Deno.test("two releases of the same sources have the same bytes", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "one/": "", "two/": "" });
    const [one, two] = [await release(`${dir}/one`), await release(`${dir}/two`)];
    assert.deepEqual(one.files, two.files);
    assert.deepEqual(names(`${dir}/one/release`), one.files.map(({ name }) => name).sort());
    for (const { name, size } of one.files) {
      const bytes = Deno.readFileSync(`${dir}/one/release/${name}`);
      assert.equal(bytes.length, size);
      assert.deepEqual(bytes, Deno.readFileSync(`${dir}/two/release/${name}`), name);
    }
  });
});

Deno.test("a release holds an archive and a bundle for each system, and what goes with them", async () => {
  await inTempDir(async (dir) => {
    const { files } = await release(dir);
    assert.deepEqual(
      files.map(({ name }) => name).sort(),
      [
        `${NAME}.mcpb`,
        `${NAME}.tar.gz`,
        `shieldfive-${version}-${WINDOWS.triple}.mcpb`,
        `shieldfive-${version}-${WINDOWS.triple}.zip`,
        `shieldfive-${version}.cdx.json`,
        "NOTES.md",
        "SHA256SUMS",
        "_shieldfive",
        "server.json",
        "shieldfive.1",
        "shieldfive.bash",
        "shieldfive.fish",
      ].sort(),
    );
  });
});

Deno.test("the archive unpacks with the system's tar to a program that runs", POSIX, async () => {
  await inTempDir(async (dir) => {
    await release(dir);
    assert.equal(run("tar", ["-xzpf", `release/${NAME}.tar.gz`], dir).code, 0);
    const at = (path: string) => Deno.statSync(`${dir}/${NAME}/${path}`);
    for (const path of CONTENTS) {
      assert.equal(at(path).mode! & 0o7777, 0o644, path);
      assert.equal(at(path).mtime!.getTime(), TIME.getTime(), path);
    }
    assert.equal(at("shieldfive").mode! & 0o7777, 0o755);
    assert.match(run(`./${NAME}/shieldfive`, ["--version"], dir).stdout, RUNS);
  });
});

Deno.test(
  "entries of the archive are in order and belong to nobody in particular",
  POSIX,
  async () => {
    await inTempDir(async (dir) => {
      await release(dir);
      const { stdout } = run("tar", ["-tvzf", `release/${NAME}.tar.gz`], dir);
      const rows = stdout.trimEnd().split("\n").map((line) => line.trim().split(/\s+/));
      const listed = rows.map((row) => row.at(-1));
      assert.deepEqual(listed, [...CONTENTS, "shieldfive"].sort().map((path) => `${NAME}/${path}`));
      for (const row of rows) {
        assert.match(row.slice(1, 4).join(" "), /^(root\/root|0 root root)\b/);
      }
    });
  },
);

Deno.test("the archive for Windows holds the same pages and shieldfive.exe", async () => {
  await inTempDir(async (dir) => {
    const { files } = await release(dir);
    const name = `shieldfive-${version}-${WINDOWS.triple}`;
    const zip = Deno.readFileSync(`${dir}/release/${name}.zip`);
    const unpacked = unzipSync(zip);
    const wanted = [...CONTENTS, "shieldfive.exe"].sort().map((path) => `${name}/${path}`);
    assert.deepEqual(Object.keys(unpacked), wanted);
    assert.deepEqual(unpacked[`${name}/shieldfive.exe`], Deno.readFileSync(standIn(dir)));
    assert.ok(files.some((file) => file.name === `${name}.zip` && file.size === zip.length));
    if (has("unzip")) {
      assert.equal(run("unzip", ["-tq", `release/${name}.zip`], dir).code, 0);
    }
  });
});

Deno.test("a zip archive is the same in every time zone", () => {
  const module = new URL("../../scripts/release/archive.ts", import.meta.url).href;
  const code = `const { zipped } = await import(${JSON.stringify(module)});
    Deno.stdout.writeSync(zipped([{ path: "a", bytes: new Uint8Array(3) }], new Date(${+TIME})));`;
  const here = zipped([{ path: "a", bytes: new Uint8Array(3) }], TIME);
  for (const TZ of ["UTC", "Pacific/Kiritimati", "America/St_Johns", "Europe/Berlin"]) {
    const { stdout } = new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-check", code],
      cwd: ROOT,
      env: { TZ },
      stderr: "inherit",
    }).outputSync();
    assert.deepEqual(stdout, here, TZ);
  }
});

Deno.test("sha256sum accepts the digests, and notices a changed byte", async () => {
  if (!has("sha256sum")) return;
  await inTempDir(async (dir) => {
    const { files } = await release(dir);
    const check = () => {
      const { code, stdout } = new Deno.Command("sha256sum", {
        args: ["--check", "--strict", "SHA256SUMS"],
        cwd: `${dir}/release`,
        stderr: "null",
      }).outputSync();
      return { code, lines: new TextDecoder().decode(stdout).trimEnd().split("\n") };
    };
    const fine = check();
    assert.equal(fine.code, 0);
    assert.equal(fine.lines.length, files.length - 1);
    Deno.writeTextFileSync(`${dir}/release/NOTES.md`, "something else\n");
    const spoilt = check();
    assert.equal(spoilt.code, 1);
    assert.deepEqual(spoilt.lines.filter((line) => !line.endsWith(": OK")), ["NOTES.md: FAILED"]);
  });
});

Deno.test("a release that fails leaves the one before, and nothing half-written", async () => {
  await inTempDir(async (dir) => {
    await release(dir);
    const before = names(`${dir}/release`);
    const missing = [{ target: HERE, file: standIn(dir) }, { target: WINDOWS, file: `${dir}/no` }];
    await assert.rejects(
      release(dir, { executables: missing }),
      /the executable .*no is not there/,
    );
    assert.deepEqual(names(`${dir}/release`), before);
    assert.deepEqual(names(dir), ["release", "stand-in"]);
  });
});

Deno.test("a release takes the place of the one before, whole", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "release/left over": "from another version" });
    const { files } = await release(dir);
    assert.deepEqual(names(`${dir}/release`), files.map(({ name }) => name).sort());
    assert.deepEqual(names(dir), ["release", "stand-in"]);
  });
});

Deno.test("a release says what stands against publishing it", async () => {
  await inTempDir(async (dir) => {
    const { doubts } = await release(dir);
    assert.equal(doubts.length, 1);
    assert.match(doubts[0], /no public repository.*publication\.ts/);
    const server = JSON.parse(Deno.readTextFileSync(`${dir}/release/server.json`));
    assert.equal("repository" in server, false);
    for (const { identifier } of server.packages) {
      assert.equal(new URL(identifier).hostname, "repository.invalid");
    }
    const publication = { repository: "https://github.com/o/n", registryName: "io.github.o/n" };
    assert.deepEqual((await release(dir, { publication })).doubts, []);
    await assert.rejects(
      release(dir, { publication: { ...publication, repository: "https://example.com/n" } }),
      /not https:\/\/github\.com\/OWNER\/NAME/,
    );
  });
});

Deno.test("the notes of a release are the section of its version", async () => {
  const log =
    "# Changelog\n\n## [Unreleased]\n\n- soon\n\n## [1.2.0] - 2026-01-02\n\n### Added\n\n" +
    "- this\n\n## [1.1.0] - 2025-01-01\n\n- old\n\n[1.2.0]: https://example.com\n";
  assert.deepEqual(notesOf(log, "1.2.0"), { text: "### Added\n\n- this\n", date: "2026-01-02" });
  assert.deepEqual(notesOf(log.replaceAll("\n", "\r\n"), "1.2.0"), notesOf(log, "1.2.0"));
  assert.equal(notesOf("## 2.0.0-rc.1 - Unreleased\n- a\n", "2.0.0-rc.1").date, undefined);
  const fails = (changelog: string, wanted: string, message: RegExp) =>
    assert.throws(() => notesOf(changelog, wanted), (error) => {
      assert.ok(error instanceof ReleaseFailure);
      assert.match(error.message, message);
      return true;
    });
  fails(log, "1.3.0", /no section "## \[1\.3\.0\]".*1\.2\.0 as the newest/);
  fails(log, "1.1.0", /version in deno\.json is 1\.1\.0, but the newest .* is 1\.2\.0/);
  fails("# Changelog\n", "1.0.0", /no version at all/);
  fails("## [1.0.0]\n\n## [0.9.0]\n- a\n", "1.0.0", /section is empty/);
  await inTempDir(async (dir) => {
    await release(dir);
    const wanted = source().notes.text;
    assert.equal(Deno.readTextFileSync(`${dir}/release/NOTES.md`), wanted);
    assert.ok(Deno.readTextFileSync(`${ROOT}/CHANGELOG.md`).includes(wanted.trim()));
  });
});

/** A folder with the sources that a release reads, in a repository with one commit. */
function plantSources(dir: string, over: Record<string, string> = {}): void {
  plant(dir, {
    "deno.json": '{ "version": "1.2.0", "license": "MIT" }\n',
    "CHANGELOG.md": "## [1.2.0] - 2026-01-02\n\n- this\n",
    "LICENSE": "MIT\r\n",
    "README.md": "a\r\nb\r\n",
    "SECURITY.md": "s\n",
    "docs/tools.md": "t\n",
    ...over,
  });
}

Deno.test("the sources give their commit's time, and doubts when they differ from it", async () => {
  if (!has("git")) return;
  await inTempDir((dir) => {
    plantSources(dir);
    const git = (...args: string[]) => {
      const { success } = new Deno.Command("git", {
        args: ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args],
        cwd: dir,
        env: { GIT_COMMITTER_DATE: "2026-03-04T05:06:07Z", GIT_CONFIG_GLOBAL: "/dev/null" },
        stdout: "null",
        stderr: "inherit",
      }).outputSync();
      assert.ok(success, args.join(" "));
    };
    git("init", "-q");
    git("add", ".");
    git("commit", "-q", "-m", "one");
    const read = readSource(dir);
    assert.equal(read.time.toISOString(), "2026-03-04T05:06:07.000Z");
    assert.deepEqual(read.doubts, []);
    const readme = read.pages.find(({ path }) => path === "README.md");
    assert.equal(new TextDecoder().decode(readme!.bytes), "a\nb\n");
    plantSources(dir, { "CHANGELOG.md": "## [1.2.0] - Unreleased\n\n- this\n" });
    assert.deepEqual(readSource(dir).doubts, [
      "the heading of 1.2.0 in CHANGELOG.md has no date yet",
      "the sources differ from the commit: commit, and make the release again",
    ]);
  });
});

Deno.test("sources without a page, a commit or a version in the changelog make no release", async () => {
  await inTempDir((dir) => {
    plantSources(dir);
    const at = (epoch?: string) => readSource(dir, epoch).time.toISOString();
    assert.equal(at("1800000000"), "2027-01-15T08:00:00.000Z");
    for (const wrong of ["", "yesterday", "1e9", "0"]) {
      assert.throws(() => at(wrong), /is no time for a release/, wrong);
    }
    assert.throws(() => at(), /time of the commit is not known.*SOURCE_DATE_EPOCH/s);
    Deno.removeSync(`${dir}/SECURITY.md`);
    Deno.writeTextFileSync(`${dir}/deno.json`, '{ "version": "1.3.0", "license": "MIT" }');
    assert.throws(() => readSource(dir), /CHANGELOG\.md has no section/);
    Deno.removeSync(`${dir}/CHANGELOG.md`);
    assert.throws(() => readSource(dir), /CHANGELOG\.md is missing/);
  });
});
