// The objects of the vault server: whole under their key or not there at all.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { FileObjects } from "../../../vault/server/objects/files.ts";
import { isStorageKey, newStorageKey } from "../../../vault/server/objects/objects.ts";

function folder(): string {
  return Deno.makeTempDirSync();
}

function bytesOf(length: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8)) & 0xff);
}

function put(objects: FileObjects, key: string, bytes: Uint8Array) {
  const writer = objects.create(key);
  writer.write(bytes);
  return writer.commit();
}

function hex(algorithm: string, bytes: Uint8Array): string {
  return createHash(algorithm).update(bytes).digest("hex");
}

Deno.test("an object written in pieces is read back from any offset, with its size and hashes", () => {
  const objects = new FileObjects(folder());
  const key = newStorageKey();
  const bytes = bytesOf(100_000);
  const writer = objects.create(key);
  for (let at = 0; at < bytes.length; at += 7777) writer.write(bytes.subarray(at, at + 7777));
  assert.equal(objects.open(key), undefined, "nothing is visible before the commit");
  assert.deepEqual(writer.commit(), {
    size: bytes.length,
    sha1: hex("sha1", bytes),
    sha256: hex("sha256", bytes),
  });
  const reader = objects.open(key)!;
  try {
    assert.equal(reader.size, bytes.length);
    assert.deepEqual(reader.read(0, 10), bytes.slice(0, 10));
    assert.deepEqual(reader.read(65_530, 20_000), bytes.slice(65_530, 85_530));
    assert.deepEqual(reader.read(99_990, 4096), bytes.slice(99_990));
    assert.deepEqual(reader.read(100_000, 1), new Uint8Array());
    assert.deepEqual(reader.read(200_000, 1), new Uint8Array());
    assert.throws(() => reader.read(-1, 1), RangeError);
  } finally {
    reader.close();
  }
});

Deno.test("an empty object is an object", () => {
  const objects = new FileObjects(folder());
  const key = newStorageKey();
  assert.equal(objects.create(key).commit().size, 0);
  const reader = objects.open(key)!;
  assert.equal(reader.size, 0);
  reader.close();
});

Deno.test("a taken key is refused at the commit, and what was there stays", () => {
  const top = folder();
  const objects = new FileObjects(top);
  const key = newStorageKey();
  put(objects, key, bytesOf(5));
  assert.throws(() => put(objects, key, bytesOf(9)), { code: "object_exists" });
  const reader = objects.open(key)!;
  assert.deepEqual(reader.read(0, 99), bytesOf(5));
  reader.close();
  assert.deepEqual([...Deno.readDirSync(`${top}/objects/incoming`)], []);
});

Deno.test("an abort leaves nothing, and after an end nothing more is taken", () => {
  const objects = new FileObjects(folder());
  const writer = objects.create(newStorageKey());
  writer.write(bytesOf(10));
  writer.abort();
  writer.abort();
  assert.deepEqual([...objects.list()], []);
  assert.throws(() => writer.write(bytesOf(1)), /already committed or aborted/);
  assert.throws(() => writer.commit(), /already committed or aborted/);
});

Deno.test("an abort after the commit does not touch the object", () => {
  const objects = new FileObjects(folder());
  const key = newStorageKey();
  const writer = objects.create(key);
  writer.write(bytesOf(3));
  writer.commit();
  writer.abort();
  const reader = objects.open(key)!;
  assert.equal(reader.size, 3);
  reader.close();
});

Deno.test("what a crash leaves is listed as temporary and swept once it is old enough", () => {
  const top = folder();
  let now = Date.now();
  const objects = new FileObjects(top, () => now);
  const [whole, torn] = [newStorageKey(), newStorageKey()];
  put(objects, whole, bytesOf(4));
  // As a killed process leaves it: a temporary that no writer knows of.
  Deno.writeFileSync(`${top}/objects/incoming/${torn}.${newStorageKey()}`, bytesOf(6));
  // Not of our making, so neither listed nor swept.
  Deno.writeTextFileSync(`${top}/objects/incoming/notes.txt`, "x");
  const seen = [...objects.list()].map(({ key, size, temporary }) => ({ key, size, temporary }));
  assert.deepEqual(seen, [
    { key: torn, size: 6, temporary: true },
    { key: whole, size: 4, temporary: false },
  ]);
  assert.equal(objects.open(torn), undefined);
  assert.equal(objects.sweep(60_000), 0);
  now += 61_000;
  assert.equal(objects.sweep(60_000), 1);
  assert.deepEqual([...objects.list()].map(({ key }) => key), [whole]);
  assert.ok(Deno.statSync(`${top}/objects/incoming/notes.txt`).isFile);
});

Deno.test("a removed object is gone, and removing it again is no failure", () => {
  const objects = new FileObjects(folder());
  const key = newStorageKey();
  objects.remove(key);
  put(objects, key, bytesOf(4));
  objects.remove(key);
  objects.remove(key);
  assert.equal(objects.open(key), undefined);
  assert.deepEqual([...objects.list()], []);
});

Deno.test("what is no storage key never becomes a path", () => {
  const objects = new FileObjects(folder());
  const key = newStorageKey();
  assert.ok(isStorageKey(key));
  for (
    const bad of [
      "",
      "../../../etc/passwd",
      key.toUpperCase() + "A",
      key + "\n",
      key.slice(1),
      `${key.slice(0, 30)}/x`,
      `${key.slice(0, 31)}\0`,
    ]
  ) {
    assert.equal(isStorageKey(bad), false);
    for (
      const use of [() => objects.create(bad), () => objects.open(bad), () => objects.remove(bad)]
    ) {
      assert.throws(use, { code: "invalid_key" }, JSON.stringify(bad));
    }
  }
});

Deno.test("a link or a folder in an object's place is no object", {
  ignore: Deno.build.os === "windows",
}, () => {
  const top = folder();
  const objects = new FileObjects(top);
  const key = newStorageKey();
  put(objects, key, bytesOf(4));
  const path = `${top}/objects/${key.slice(0, 2)}/${key.slice(2, 4)}/${key}`;
  Deno.removeSync(path);
  Deno.writeTextFileSync(`${top}/secret`, "not for you");
  Deno.symlinkSync(`${top}/secret`, path);
  assert.equal(objects.open(key), undefined);
  assert.throws(() => put(objects, key, bytesOf(1)), { code: "object_exists" });
  assert.deepEqual([...objects.list()], []);
  assert.equal(Deno.readTextFileSync(`${top}/secret`), "not for you");
});

Deno.test("objects are the owner's alone: folders 0700, files 0600", {
  ignore: Deno.build.os === "windows",
}, () => {
  const top = folder();
  const objects = new FileObjects(top);
  const key = newStorageKey();
  put(objects, key, bytesOf(4));
  objects.create(newStorageKey()).write(bytesOf(1));
  const mode = (path: string) => (Deno.statSync(path).mode! & 0o777).toString(8);
  const fan = `${top}/objects/${key.slice(0, 2)}`;
  for (
    const path of [`${top}/objects`, `${top}/objects/incoming`, fan, `${fan}/${key.slice(2, 4)}`]
  ) {
    assert.equal(mode(path), "700", path);
  }
  assert.equal(mode(`${fan}/${key.slice(2, 4)}/${key}`), "600");
  const [temporary] = Deno.readDirSync(`${top}/objects/incoming`);
  assert.equal(mode(`${top}/objects/incoming/${temporary.name}`), "600");
});
