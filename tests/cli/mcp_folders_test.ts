// File URIs of a client as folders.

import assert from "node:assert/strict";
import { posix, win32 } from "node:path";
import { folderOfUri, foldersOfAnswer } from "../../cli/mcp/folders.ts";

const folder = (uri: unknown, rules = posix) => {
  const read = folderOfUri(uri, rules);
  return "folder" in read ? read.folder : undefined;
};

Deno.test("a file URI is decoded once, by bytes", () => {
  assert.equal(folder("file:///tmp/a"), "/tmp/a");
  assert.equal(folder("file:///"), "/");
  assert.equal(folder("file:///tmp/My%20Project/"), "/tmp/My Project");
  assert.equal(folder("file:///tmp/100%25"), "/tmp/100%");
  assert.equal(folder("file:///tmp/%2541"), "/tmp/%41");
  assert.equal(folder("file:///tmp/%C3%A9%F0%9F%98%80"), "/tmp/é😀");
  assert.equal(folder("file:///tmp/é"), "/tmp/é");
  assert.equal(folder("file://localhost/tmp/a"), "/tmp/a");
  assert.equal(folder("FILE:///tmp/a"), "/tmp/a");
  assert.equal(folder("file:///tmp/x/%2e%2e/y"), "/tmp/y");
});

Deno.test("what names no folder on this computer is left out", () => {
  const bad = [
    "https://x/",
    "file://server/share",
    "/tmp/a",
    "",
    5,
    null,
    "file:///a%2Fb",
    "file:///a%00",
  ];
  for (const uri of [...bad, "file:///a%FF", "file:///tmp/100%", "file:///a#b", "file:///a?b"]) {
    assert.equal(folder(uri), undefined, String(uri));
  }
});

Deno.test("a Windows drive is found whatever its case and encoding", () => {
  for (const uri of ["file:///c%3A/temp", "file:///C:/temp", "file:///c:/temp/"]) {
    assert.equal(folder(uri, win32), "C:\\temp");
  }
  assert.equal(folder("file:///c:", win32), "C:\\");
  assert.equal(folder("file:///temp", win32), undefined);
  assert.equal(folder("file:///c:/a%5Cb", win32), undefined);
});

Deno.test("an answer gives its folders and a reason for each entry that is left out", () => {
  const read = foldersOfAnswer({ roots: [{ uri: "file:///a" }, { uri: "https://x/" }, null, {}] });
  assert.deepEqual(read?.folders, ["/a"]);
  assert.equal(read?.skipped.length, 3);
  assert.match(read!.skipped[0], /"https:\/\/x\/" is left out: only file: URIs/);
  for (const answer of [undefined, null, {}, { roots: "x" }, 5]) {
    assert.equal(foldersOfAnswer(answer), undefined);
  }
});
