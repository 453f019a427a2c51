// What the page does with files that come in, before any of them leaves.

import assert from "node:assert/strict";
import type { VaultClient } from "../../web/vault/client.ts";
import { FolderMaker } from "../../web/uploads/folders.ts";
import { arrivals, fileFault, freeName, uploadJobs } from "../../web/uploads/plan.ts";
import { file, folder, treeWith } from "./items.ts";

function incoming(name: string, ...folders: string[]) {
  return { file: new File(["text"], name), folders };
}

/** A client that writes down what it is asked, and does nothing. */
function recorder() {
  const calls: string[] = [];
  const client = {
    call: (name: string, [folderId, fileName]: unknown[]) => {
      calls.push(`${name} ${fileName} in ${folderId}`);
      return Promise.resolve();
    },
    methods: {
      createFolder: (parentId: string | null, name: string) => {
        calls.push(`createFolder ${name} in ${parentId}`);
        return Promise.resolve(folder(name, parentId));
      },
      toBin: (items: { name: string }[]) => {
        calls.push(`toBin ${items.map(({ name }) => name)}`);
        return Promise.resolve({ done: [], failed: [] });
      },
    },
  };
  return { calls, client: client as unknown as VaultClient };
}

Deno.test("a file clashes with one of the same name in the same folder, and with nothing else", () => {
  const tree = treeWith([folder("a"), file("x", "a"), file("y"), folder("z")]);
  const came = arrivals(tree, null, {
    files: [incoming("x"), incoming("x", "a"), incoming("y"), incoming("z"), incoming("y", "new")],
    emptyFolders: [],
  });
  assert.deepEqual(came.map(({ taken }) => taken?.id), [undefined, "x", "y", undefined, undefined]);
});

Deno.test("the first number that is free makes the name, before its ending", () => {
  const taken = new Set(["a (2).txt", "plain (2)", ".env (2)"]);
  const isTaken = (name: string) => taken.has(name);
  assert.equal(freeName("a.txt", isTaken), "a (3).txt");
  assert.equal(freeName("plain", isTaken), "plain (3)");
  assert.equal(freeName(".env", isTaken), ".env (3)");
});

Deno.test("what the vault cannot hold is refused before it is read", () => {
  assert.equal(fileFault(new File(["x"], "fine.txt")), undefined);
  assert.equal(fileFault(new File([], "empty.txt"))?.code, "empty_file");
  assert.equal(fileFault(new File(["x"], "a\u202eb"))?.code, "invalid_name");
  const large = Object.defineProperty(new File(["x"], "large"), "size", {
    value: 512 * 2 ** 20 + 1,
  });
  assert.equal(fileFault(large)?.code, "too_large");
});

Deno.test("folders are made once, in order, and not when they are there", async () => {
  const tree = treeWith([folder("there")]);
  const { calls, client } = recorder();
  const maker = new FolderMaker(null, () => tree);
  const ids = await Promise.all([
    maker.at(["there", "new", "deep"], client.methods),
    maker.at(["there", "new"], client.methods),
    maker.at(["there"], client.methods),
    maker.at([], client.methods),
  ]);
  assert.deepEqual(ids, ["deep", "new", "there", null]);
  assert.deepEqual(calls, ["createFolder new in there", "createFolder deep in new"]);
});

Deno.test("a folder that could not be made is tried again", async () => {
  const tree = treeWith([]);
  const { client } = recorder();
  const maker = new FolderMaker(null, () => tree);
  const failing = { ...client.methods, createFolder: () => Promise.reject(new Error("no")) };
  await assert.rejects(maker.at(["a"], failing), /no/);
  assert.equal(await maker.at(["a"], client.methods), "a");
});

Deno.test("what replaces a file is in the vault before the old one goes to the Bin", async () => {
  const tree = treeWith([file("x")]);
  const came = arrivals(tree, null, { files: [incoming("x"), incoming("y")], emptyFolders: [] });
  const carried = async (clash: "keep-both" | "replace" | "skip") => {
    const { calls, client } = recorder();
    for (const job of uploadJobs(came, clash, { top: null, tree: () => tree })) {
      await job.run(client, {});
    }
    return calls;
  };
  assert.deepEqual(await carried("replace"), ["upload x in null", "toBin x", "upload y in null"]);
  assert.deepEqual(await carried("keep-both"), ["upload x (2) in null", "upload y in null"]);
  assert.deepEqual(await carried("skip"), ["upload y in null"]);
});
