// Files into the vault and out of it, whole or not at all.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { randomBytes } from "@shieldfive/crypto";
import { MAX_FILE_BYTES, type OwnerTransport, type Progress } from "../../../vault/owner/mod.ts";
import { numbers } from "./stored.ts";
import {
  codeOf,
  folderAt,
  inVault as inAnyVault,
  lying,
  type Owned,
  QUICK_KDF,
  readText,
  uploadText,
} from "./support.ts";

const MEBIBYTE = 2 ** 20;

function inVault(body: (owned: Owned) => Promise<void>): Promise<void> {
  return inAnyVault(body, { kdf: QUICK_KDF });
}

async function sha256Of(stream: ReadableStream<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of stream) hash.update(piece);
  return hash.digest("hex");
}

Deno.test("40 MiB from a stream come back as they were, and were compared", async () => {
  await inVault(async (owned) => {
    const { vault, second } = owned;
    const size = 40 * MEBIBYTE + 17;
    const phases = new Map<string, Progress>();
    const file = await vault.upload(null, {
      name: "large.bin",
      size,
      content: () => numbers(size),
      verify: true,
      onProgress: (progress) => phases.set(progress.phase, progress),
    });
    assert.equal(file.size, size);
    assert.equal(file.ciphertextSize, size + 1741 + 11 * 20);
    assert.deepEqual(
      Object.fromEntries([...phases].map(([phase, { done, total }]) => [phase, [done, total]])),
      {
        encrypting: [size, size],
        sending: [file.ciphertextSize, file.ciphertextSize],
        checking: [size, size],
      },
    );
    const other = await second();
    const { content, file: listed } = await other.download(file.id);
    assert.equal(listed.size, size);
    assert.equal(await sha256Of(content), await sha256Of(numbers(size)));
  });
});

Deno.test("one byte, a chunk, and a chunk and a byte come back as they were", async () => {
  await inVault(async ({ vault }) => {
    for (const size of [1, 4 * MEBIBYTE, 4 * MEBIBYTE + 1]) {
      const bytes = randomBytes(Math.min(size, 65_536));
      const content = new Blob(Array.from({ length: Math.ceil(size / bytes.length) }, () => bytes))
        .slice(0, size);
      const { id } = await vault.upload(null, { name: `${size}`, size, content, verify: true });
      const download = await vault.download(id);
      const back = new Uint8Array(await new Response(download.content).arrayBuffer());
      assert.deepEqual(back, new Uint8Array(await content.arrayBuffer()));
    }
  });
});

Deno.test("what cannot be stored is refused before anything is sent", async () => {
  await inVault(async ({ vault, server }) => {
    const content = () => numbers(1);
    const upload = (name: string, size: number) =>
      codeOf(vault.upload(null, { name, size, content }));
    assert.equal(await upload("x", 0), "empty_file");
    assert.equal(await upload("x", MAX_FILE_BYTES + 1), "too_large");
    assert.equal(await upload("x", 1.5), "invalid_argument");
    assert.equal(await upload("a/b", 1), "invalid_name");
    const { entries } = await vault.activity();
    assert.deepEqual(entries.filter(({ action }) => action === "reserve_upload"), []);
    assert.deepEqual([...server.objects.list()], []);
  });
});

Deno.test("a source of another size than it was said to have leaves nothing", async () => {
  await inVault(async ({ vault, server }) => {
    for (const real of [99_999, 100_001]) {
      const content = () => numbers(real);
      const uploaded = vault.upload(null, { name: "x", size: 100_000, content });
      assert.equal(await codeOf(uploaded), "upload_failed");
    }
    assert.equal(vault.tree.files.size, 0);
    server.service.sweep();
    assert.deepEqual([...server.objects.list()], []);
    assert.equal(server.rows.reservedUploadCount(), 0);
  });
});

Deno.test("an upload that is stopped leaves nothing, and says the reason", async () => {
  await inVault(async ({ vault, server }) => {
    const stop = new AbortController();
    const size = 8 * MEBIBYTE;
    const uploaded = vault.upload(null, {
      name: "x",
      size,
      content: () => numbers(size),
      signal: stop.signal,
      onProgress: ({ phase, done }) => {
        if (phase === "sending" && done > MEBIBYTE) stop.abort(new Error("changed my mind"));
      },
    });
    await assert.rejects(uploaded, { message: "changed my mind" });
    server.service.sweep();
    assert.deepEqual([...server.objects.list()], []);
    assert.equal(server.rows.reservedUploadCount(), 0);
  });
});

Deno.test("a source that cannot be read any more fails the upload by its own name", async () => {
  await inVault(async ({ vault }) => {
    const content = () =>
      new ReadableStream<Uint8Array>({
        pull: () => Promise.reject(new DOMException("the file is gone", "NotReadableError")),
      });
    const uploaded = vault.upload(null, { name: "x", size: 10, content });
    await assert.rejects(uploaded, { name: "NotReadableError" });
    const other = () =>
      new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new RangeError("too far")) });
    const failed = vault.upload(null, { name: "x", size: 10, content: other });
    await assert.rejects(failed, ({ code, cause }) => {
      assert.deepEqual([code, cause.message], ["upload_failed", "too far"]);
      return true;
    });
  });
});

Deno.test("a storage that refuses the bytes fails the upload", async () => {
  await inVault(async ({ server, second }) => {
    const refusing: OwnerTransport = {
      ...server.transport,
      put: async (_url, _headers, body) => {
        await (body as ReadableStream).cancel();
        return { status: 500 };
      },
    };
    const vault = await second(refusing);
    assert.equal(await codeOf(uploadText(vault, null, "x", "x")), "upload_failed");
    assert.equal(server.rows.reservedUploadCount(), 0);
  });
});

Deno.test("a server that says it stored something else is found out", async () => {
  await inVault(async ({ server, second }) => {
    const liar = lying(server.transport, (path, answer) => {
      if (path.endsWith("/finalize")) answer.sha256 = "0".repeat(64);
    });
    const vault = await second(liar);
    assert.equal(await codeOf(uploadText(vault, null, "x", "x")), "verify_failed");
  });
});

Deno.test("ciphertext that goes anywhere but to this server's storage is not sent", async () => {
  await inVault(async ({ server, second }) => {
    const puts: string[] = [];
    const watching: OwnerTransport = {
      ...lying(server.transport, (_path, answer) => {
        if (answer.uploadUrl) {
          answer.uploadUrl = answer.uploadUrl.replace("vault.test", "evil.test");
        }
      }),
      put(url, ...rest) {
        puts.push(url);
        return server.transport.put(url, ...rest);
      },
    };
    await uploadText(await second(watching), null, "x", "x");
    assert.deepEqual(puts.map((url) => new URL(url).host), ["vault.test"]);
    const elsewhere = lying(server.transport, (_path, answer) => {
      if (answer.uploadUrl) answer.uploadUrl = "https://evil.test/collect";
    });
    assert.equal(await codeOf(uploadText(await second(elsewhere), null, "y", "y")), "bad_answer");
  });
});

Deno.test("a type that is given is stored, and one that is not is not made up", async () => {
  await inVault(async ({ vault, server: { rows } }) => {
    const content = new Blob(["x"], { type: "text/plain" });
    const without = await vault.upload(null, { name: "a", size: 1, content });
    const given = await vault.upload(null, { name: "b", size: 1, content, type: "text/plain" });
    assert.equal(rows.file(without.id)!.contentType, null);
    assert.equal(rows.file(given.id)!.contentType, "text/plain");
    assert.equal(await readText(vault, given.id), "x");
  });
});

Deno.test("a download that nobody reads on lets go of the file", async () => {
  await inVault(async ({ vault, server }) => {
    const size = 6 * MEBIBYTE;
    const { id } = await vault.upload(null, { name: "x", size, content: () => numbers(size) });
    const { content } = await vault.download(id);
    const reader = content.getReader();
    await reader.read();
    await reader.cancel();
    const left = await vault.stats();
    assert.ok(left.egress.day < size, `${left.egress.day}`);
    assert.equal(folderAt(vault, "/Bin").role, "bin");
    assert.ok(server.rows.owner());
  });
});
