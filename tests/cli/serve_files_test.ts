// The files around a server: its page in the cache, its data folder before a room is given it, and what a
// check of that found, in words.

import assert from "node:assert/strict";
import { reportText } from "../../cli/commands/serve/check.ts";
import { findDataFolder, makeDataFolder } from "../../cli/commands/serve/data_folder.ts";
import { keepPage, keptPage, readFiles } from "../../cli/commands/serve/page_files.ts";
import type { CheckReport } from "../../vault/server/check.ts";
import { exists, inTempDir, plant, refusal } from "../support.ts";

const PAGE = new Map([
  ["index.html", new TextEncoder().encode("<p>")],
  ["assets/0/main.js", new TextEncoder().encode("start()")],
]);
const [KEY, OTHER] = ["a".repeat(64), "b".repeat(64)];

Deno.test("a page comes out of the cache as it went in, and only under its own key", () =>
  inTempDir((dir) => {
    const cache = `${dir}/cache/page`;
    assert.equal(keptPage(cache, KEY), undefined);
    keepPage(cache, KEY, PAGE);
    assert.deepEqual(keptPage(cache, KEY), PAGE);
    assert.equal(keptPage(cache, OTHER), undefined);
    keepPage(cache, KEY, PAGE); // by a second start at the same time
    assert.deepEqual(
      [...readFiles(cache).keys()].sort(),
      [...PAGE.keys()].map((p) => `${KEY}/${p}`)
        .sort(),
    );
  }));

Deno.test("a newer page takes the place of the older, and what another start is writing stays", () =>
  inTempDir((dir) => {
    keepPage(dir, KEY, PAGE);
    plant(dir, { ".new-young/index.html": "half", ".new-old/index.html": "half" });
    const long = new Date(Date.now() - 3_600_000);
    Deno.utimeSync(`${dir}/.new-old`, long, long);
    keepPage(dir, OTHER, PAGE);
    assert.deepEqual([...Deno.readDirSync(dir)].map(({ name }) => name).sort(), [
      ".new-young",
      OTHER,
    ]);
  }));

Deno.test("a data folder is made, found again, and told from somebody's documents", () =>
  inTempDir((dir) => {
    const made = makeDataFolder(`${dir}/deep/vault`);
    assert.equal(made, `${dir}/deep/vault`);
    assert.equal(refusal(() => findDataFolder(made)).code, "not_found");
    plant(made, { lock: "" });
    assert.equal(makeDataFolder(made), made, "a start that ended at once left only its lock");
    plant(made, { "vault.db": "" });
    assert.equal(makeDataFolder(made), made);
    assert.equal(findDataFolder(made), made);
    plant(dir, { "documents/letter": "", "file": "" });
    assert.equal(refusal(() => makeDataFolder(`${dir}/documents`)).code, "not_a_vault");
    assert.equal(refusal(() => makeDataFolder(`${dir}/file`)).code, "not_a_folder");
    assert.equal(refusal(() => makeDataFolder(`${dir}/file/below`)).code, "not_a_folder");
    assert.equal(refusal(() => findDataFolder(`${dir}/none`)).code, "not_found");
    assert.equal(exists(`${dir}/none`), false);
  }));

Deno.test("a data folder behind a link is the folder that the link leads to", {
  ignore: Deno.build.os === "windows",
}, () =>
  inTempDir((dir) => {
    plant(dir, { "disk/": "" });
    Deno.symlinkSync(`${dir}/disk`, `${dir}/link`);
    assert.equal(makeDataFolder(`${dir}/link`), `${dir}/disk`);
  }));

const SOUND: CheckReport = {
  sound: true,
  files: 2,
  bytesRead: 3_000_000,
  faults: [],
  orphans: [],
  uploads: [],
  purged: [],
  temporaries: [],
};

Deno.test("a check says what is lost, what only takes space, and then whether all is well", () => {
  assert.equal(reportText(SOUND), "sound: 2 files, 3.0 MB read");
  const object = { storageKey: "k", size: 1000 };
  assert.equal(
    reportText({ ...SOUND, orphans: [object, object], uploads: [object] }),
    `1 object of uploads that are not finished (1.0 KB)
2 objects that no file knows of (2.0 KB)
sound: 2 files, 3.0 MB read`,
  );
  const fault = { fileId: "f", storageKey: "k" };
  assert.equal(
    reportText({
      ...SOUND,
      sound: false,
      faults: [
        { ...fault, fault: "missing" },
        { ...fault, fault: "unreadable", detail: "EIO: \x1b[31mbad disk" },
      ],
    }),
    `file f: its object is missing (k)
file f: its object cannot be read (k: EIO: \\e[31mbad disk)
NOT SOUND: 2 of 2 files lost or damaged`,
  );
});
