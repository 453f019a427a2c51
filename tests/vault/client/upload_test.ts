// Uploads (vault spec, 10): what is in the vault afterwards is what was sent, and otherwise nothing is; the
// server learns neither name nor content, the storage no token.

import assert from "node:assert/strict";
import { parseHeader } from "@shieldfive/crypto";
import { createPqHybridV1EncryptStream } from "@shieldfive/crypto/streams/pq-hybrid-v1";
import { unwrapChainKey } from "@shieldfive/crypto/vault";
import { ToolError } from "../../../containment/error.ts";
import type {
  ClientOptions,
  VaultClient,
  VaultFolder,
  VaultView,
} from "../../../vault/client/mod.ts";
import type { StoragePut } from "../../../vault/client/types.ts";
import { testAlone } from "../../support.ts";
import { lying, Wire } from "./wire.ts";
import {
  bytesOf,
  codeOf,
  type Connected,
  drained,
  type GrantOptions,
  patterned,
  sha256,
  World,
} from "./world.ts";

const MIB = 1024 * 1024;

interface Setting {
  world: World;
  connected: Connected;
  wire: Wire;
  client: VaultClient;
  view: VaultView;
  folder: VaultFolder;
}

async function inVault(
  body: (setting: Setting) => Promise<void>,
  { over, wired = (world) => new Wire(world), ...grant }: GrantOptions & {
    over?: (world: World) => Partial<ClientOptions>;
    wired?: (world: World) => Wire;
  } = {},
): Promise<void> {
  using world = new World();
  const id = await world.addFolder(null, "A");
  const connected = await world.connect(grant);
  const wire = wired(world);
  const client = world.client(connected, { fetch: wire.fetch, ...over?.(world) });
  const view = await client.view();
  await body({ world, connected, wire, client, view, folder: view.folders.get(id)! });
}

/** A file as a source gives it: in pieces, and noting what becomes of it. */
class Source {
  readonly stream: ReadableStream<Uint8Array>;
  read = 0;
  cancelled = false;

  constructor(
    bytes: Uint8Array,
    { fails, piece = 65_536 }: { fails?: unknown; piece?: number } = {},
  ) {
    this.stream = new ReadableStream({
      pull: (controller) => {
        if (this.read < bytes.length) {
          controller.enqueue(bytes.slice(this.read, this.read + piece));
          this.read += piece;
        } else if (fails !== undefined) throw fails;
        else controller.close();
      },
      cancel: () => void (this.cancelled = true),
    }, { highWaterMark: 0 });
  }
}

function upload(
  { client, view, folder }: Setting,
  bytes: Uint8Array,
  over: Partial<Parameters<VaultClient["upload"]>[2]> = {},
) {
  const source = new Source(bytes).stream;
  return client.upload(view, folder, { name: "new.bin", size: bytes.length, source, ...over });
}

/** What is left of uploads: rows, objects and held bytes. */
function leftOf({ rows, server }: World, { credential }: Connected) {
  rows.transaction(() => {}); // whatever is under way has ended
  server.service.sweep();
  return {
    files: rows.files({ limit: 1000, after: null }).length,
    objects: [...server.objects.list()].length,
    held: rows.grant(credential.grantId)!.writeReservedBytes,
  };
}

const NOTHING = { files: 0, objects: 0, held: 0 };

Deno.test("an uploaded file opens for its owner, and the server has seen neither name nor content", async () => {
  await inVault(async (setting) => {
    const { world, wire, folder, client } = setting;
    const bytes = bytesOf("the plans of the boathouse ".repeat(10_000));
    const uploaded = await upload(setting, bytes, { name: "Boathouse – plans.txt" });
    const { id } = uploaded;
    assert.deepEqual({ ...uploaded, auditId: typeof uploaded.auditId }, {
      id,
      path: "/A/Boathouse – plans.txt",
      bytes: bytes.length,
      sha256: await sha256(bytes),
      outcome: "done",
      auditId: "string",
    });
    assert.equal(await world.nameOf(id), "Boathouse – plans.txt");
    assert.deepEqual(await world.contentOf(id), bytes);
    const { folderId, size, contentType, cipherVersion } = world.rows.file(id)!;
    assert.deepEqual([folderId, size, contentType, cipherVersion], [
      folder.id,
      bytes.length,
      null,
      3,
    ]);
    const stored = [...world.server.objects.list()].map(({ key }) =>
      world.server.objects.open(key)!
    );
    const ciphertext = stored[0].read(0, stored[0].size);
    stored[0].close();
    const kept = new TextDecoder("latin1").decode(ciphertext) + JSON.stringify(world.rows.file(id));
    assert.doesNotMatch(kept, /boathouse/i);
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/);
    assert.equal(parseHeader(ciphertext).fileId.toHex(), id.replaceAll("-", ""));
    assert.deepEqual(wire.lines.slice(3), [
      "POST /files",
      "POST /files/:id/finalize",
      "GET /grant",
      "GET /folders",
      "GET /files",
      "POST /files/:id/download",
    ]);
    const now = await client.view();
    const content = await client.content(now, now.files.get(id)!, { maxBytes: MIB });
    assert.deepEqual(await drained(content), bytes);
  });
});

Deno.test("a file of several chunks comes back whole, and progress tells of its bytes", async () => {
  await inVault(async (setting) => {
    const bytes = patterned(9 * MIB + 5);
    const told = new Map<string, { done: number; total?: number }>();
    const uploaded = await upload(setting, bytes, {
      contentType: "image/png",
      progress: ({ label, done, total, unit }) => {
        assert.equal(unit, "bytes");
        assert.ok(done >= (told.get(label)?.done ?? 0));
        told.set(label, { done, total });
      },
    });
    const row = setting.world.rows.file(uploaded.id)!;
    assert.equal(row.contentType, "image/png");
    assert.deepEqual(Object.fromEntries(told), {
      uploading: { done: row.ciphertextSize, total: row.ciphertextSize },
      verifying: { done: bytes.length, total: bytes.length },
    });
  });
});

Deno.test("another public key than the connection's ends it before anything is asked or sent", async () => {
  const other = crypto.getRandomValues(new Uint8Array(1568)).toBase64();
  const cases: [string, unknown][] = [
    ["key_mismatch", other],
    ["no_recipient_key", undefined],
    ["no_recipient_key", null],
    ["no_recipient_key", "AAAA"],
    ["no_recipient_key", "?"],
    ["no_recipient_key", 7],
  ];
  for (const [code, key] of cases) {
    const wired = (world: World) =>
      lying(world, (answer, { path }) => {
        if (path === "/grant") answer.grant.mlKemPublicKey = key;
      });
    await inVault(async (setting) => {
      const { world, wire, client, view, folder, connected } = setting;
      const before = wire.asked.length;
      const source = new Source(bytesOf("x"));
      const request = { name: "x", size: 1, source: source.stream };
      assert.equal(await codeOf(client.upload(view, folder, request)), code);
      assert.deepEqual([wire.asked.length, source.read, source.cancelled], [before, 0, true]);
      assert.equal(await codeOf(client.view({ recipient: true })), code);
      assert.deepEqual(wire.lines.slice(before), ["GET /grant"], "nothing is asked after /grant");
      assert.deepEqual(leftOf(world, connected), NOTHING);
    }, { wired });
  }
});

Deno.test("what cannot be uploaded is refused before anything is sent, and the source let go", async () => {
  await inVault(async (setting) => {
    const { wire, client, view, folder, connected } = setting;
    const trash = view.folders.get(connected.trashId!)!;
    const before = wire.asked.length;
    const cases: [string, Partial<Parameters<VaultClient["upload"]>[2]>, VaultFolder?][] = [
      ["empty_file", { size: 0 }],
      ["too_large", { size: 512 * MIB + 1 }],
      ["invalid_argument", { size: 1.5 }],
      ["invalid_argument", { size: -1 }],
      ["invalid_argument", { contentType: "" }],
      ["invalid_argument", { contentType: "text/plain\r\nx: y" }],
      ["invalid_argument", { contentType: "é" }],
      ["invalid_argument", { contentType: "x".repeat(128) }],
      ["invalid_name", { name: "a/b" }],
      ["invalid_name", { name: "a\u200db" }],
      ["invalid_name", { name: "x".repeat(256) }],
      ["not_found", {}, trash],
      ["not_found", {}, { ...folder, id: crypto.randomUUID() }],
      ["cancelled", { signal: AbortSignal.abort() }],
    ];
    for (const [code, over, destination = folder] of cases) {
      const source = new Source(bytesOf("x"));
      const request = { name: "x", size: 1, source: source.stream, ...over };
      assert.equal(await codeOf(client.upload(view, destination, request)), code);
      assert.ok(source.cancelled, `${code} lets go of the source`);
    }
    assert.equal(wire.asked.length, before);
  });
});

Deno.test("an upload takes the permission to write, and an allowance that is large enough", async () => {
  await inVault(async (setting) => {
    await assert.rejects(upload(setting, bytesOf("x")), {
      code: "missing_scope",
      detail: { scope: "write" },
    });
  }, { scopes: ["read", "organize"] });
  await inVault(async (setting) => {
    const { world, connected, wire } = setting;
    const first = await upload(setting, bytesOf("x".repeat(100)));
    const used = world.rows.file(first.id)!.ciphertextSize;
    assert.equal(first.budgetRemainingBytes, 4000 - used);
    const before = wire.asked.length;
    const view = await setting.client.view();
    const call = upload({ ...setting, view }, new Uint8Array(3000));
    assert.equal(await codeOf(call), "write_budget_exhausted");
    assert.deepEqual(wire.lines.slice(before), ["GET /grant", "GET /folders", "GET /files"]);
    // A view that does not know of what was used since.
    const late = upload(setting, new Uint8Array(2000));
    assert.equal(await codeOf(late), "write_budget_exhausted");
    const { writeReservedBytes, writeUsedBytes } = world.rows.grant(connected.credential.grantId)!;
    assert.deepEqual([writeReservedBytes, writeUsedBytes], [0, used]);
  }, { row: { writeBudgetBytes: 4000 } });
});

Deno.test("ciphertext goes to https alone, or to this machine's own server, and without the token", async () => {
  const addresses: [string, boolean][] = [
    ["https://storage.example/key?signature=x", true],
    ["http://storage.example/key", false],
    ["http://127.0.0.1:1/key", false],
    ["https://user:secret@storage.example/key", false],
    ["ftp://storage.example/key", false],
    ["/storage/v1/key", false],
    ["", false],
  ];
  for (const [address, isTaken] of addresses) {
    const sent: Parameters<StoragePut>[0][] = [];
    const wired = (world: World) =>
      lying(world, (answer, { path }) => {
        if (path === "/files" && answer.uploadUrl) answer.uploadUrl = address;
      });
    const over = () => ({
      storage: (request: Parameters<StoragePut>[0]) => {
        sent.push(request);
        return Promise.resolve({ status: 500 });
      },
    });
    await inVault(async (setting) => {
      assert.equal(await codeOf(upload(setting, bytesOf("x"))), "upload_failed", address);
      assert.equal(sent.length, isTaken ? 1 : 0, address);
      if (isTaken) {
        assert.deepEqual(sent[0].headers, { "content-type": "application/octet-stream" });
      }
      assert.deepEqual(leftOf(setting.world, setting.connected), NOTHING);
    }, { wired, over });
  }
});

Deno.test("answers to a reservation that make no sense end the upload and leave nothing", async () => {
  const changes: object[] = [
    { uploadUrl: undefined },
    { uploadUrl: 7 },
    { uploadUrl: `https://storage.example/${"x".repeat(9000)}` },
    { proofKey: undefined },
    { proofKey: "xyz" },
    { proofKey: "0".repeat(63) },
    { budgetRemainingBytes: "much" },
  ];
  for (const change of changes) {
    const wired = (world: World) =>
      lying(world, (answer, { path, method }) => {
        if (path === "/files" && method === "POST") Object.assign(answer, change);
      });
    await inVault(async (setting) => {
      const code = await codeOf(upload(setting, bytesOf("x")));
      assert.equal(code, "bad_answer", JSON.stringify(change));
      assert.deepEqual(leftOf(setting.world, setting.connected), NOTHING);
    }, { wired });
  }
});

Deno.test("a source that fails, or is not as long as was said, stores nothing", async () => {
  const changed = new ToolError("changed", "the file is not what was described");
  const cases: [string, Uint8Array, unknown?, number?][] = [
    ["changed", patterned(300_000), changed, 5 * MIB],
    ["io_error", patterned(300_000), new Error("EIO"), 5 * MIB],
    ["changed", patterned(300_000), undefined, 300_001],
    ["changed", patterned(300_000), undefined, 299_999],
    ["changed", patterned(5 * MIB), undefined, 5 * MIB + 1],
    ["changed", patterned(5 * MIB), undefined, 4 * MIB],
  ];
  for (const [code, bytes, fails, size = bytes.length] of cases) {
    await inVault(async (setting) => {
      const source = new Source(bytes, { fails }).stream;
      assert.equal(await codeOf(upload(setting, bytes, { size, source })), code);
      assert.ok(!setting.wire.lines.includes("POST /files/:id/finalize"));
      assert.ok(setting.wire.lines.includes("POST /uploads/:id/abort"));
      assert.deepEqual(leftOf(setting.world, setting.connected), NOTHING);
    });
  }
});

Deno.test("a storage that fails, breaks, or answers too early stores nothing and lets go of the source", async () => {
  const failing: [string, StoragePut][] = [
    ["upload_failed", () => Promise.resolve({ status: 500 })],
    ["upload_failed", async ({ body }) => {
      await drained(body);
      return { status: 403 };
    }],
    ["upload_failed", async ({ body }) => {
      await drained(body);
      return { status: 302 };
    }],
    ["upload_failed", () => Promise.resolve({ status: 200 })],
    ["network_error", () => Promise.reject(new TypeError("connection reset"))],
    ["network_error", async ({ body }) => {
      await body.getReader().read();
      throw new TypeError("connection reset");
    }],
  ];
  for (const [code, storage] of failing) {
    await inVault(async (setting) => {
      const source = new Source(patterned(5 * MIB));
      const request = { name: "x", size: 5 * MIB, source: source.stream };
      const call = setting.client.upload(setting.view, setting.folder, request);
      assert.equal(await codeOf(call), code);
      assert.ok(source.cancelled || source.read >= 5 * MIB, "the source is let go");
      assert.deepEqual(leftOf(setting.world, setting.connected), NOTHING);
    }, { over: () => ({ storage }) });
  }
});

Deno.test("an address that has expired is refused by the storage, and nothing is left", async () => {
  await inVault(async (setting) => {
    const { server } = setting.world;
    setting.wire.answer = async ({ path, method }, forward) => {
      const response = await forward();
      if (path === "/files" && method === "POST") {
        const now = Date.now() + 1_000_000;
        server.clock.now = () => now;
        setting.world.rows.updateGrant(setting.connected.credential.grantId, {
          expiresAt: now + 1_000_000,
        });
      }
      return response;
    };
    assert.equal(await codeOf(upload(setting, bytesOf("x"))), "upload_failed");
    assert.deepEqual(leftOf(setting.world, setting.connected), NOTHING);
  });
});

Deno.test("a cancelled upload stops, lets go of the source and leaves nothing", async () => {
  await inVault(async (setting) => {
    const { client, view, folder, world, connected } = setting;
    const source = new Source(patterned(20 * MIB));
    const stop = new AbortController();
    const call = client.upload(view, folder, {
      name: "x",
      size: 20 * MIB,
      source: source.stream,
      signal: stop.signal,
      progress: ({ done }) => done > 6 * MIB && stop.abort(),
    });
    assert.equal(await codeOf(call), "cancelled");
    assert.ok(source.cancelled);
    assert.ok(source.read < 20 * MIB);
    assert.deepEqual(leftOf(world, connected), NOTHING);
  });
});

Deno.test("cancelled while it is verified, it says that the copy is there", async () => {
  await inVault(async (setting) => {
    const stop = new AbortController();
    const signal = stop.signal;
    setting.wire.answer = (asked, forward) => {
      if (asked.path.endsWith("/finalize")) stop.abort();
      return forward();
    };
    const error: ToolError = await upload(setting, bytesOf("x"), { signal }).then(
      () => assert.fail("it was not cancelled"),
      (error) => error,
    );
    const [file] = setting.world.rows.files({ limit: 10, after: null });
    assert.deepEqual(error.toRecord(), {
      code: "cancelled",
      message: error.message,
      changed_anything: true,
      detail: { vault_file_id: file.id },
    });
    assert.match(error.message, /it is in the vault; keep the original/);
  });
});

Deno.test("a copy that does not read back as it was sent is not relied on", async () => {
  type Change = (setting: Setting, id: string) => void;
  const flip: Change = ({ world }, id) => {
    const { storageKey } = world.rows.file(id)!;
    const { objects } = world.server;
    const reader = objects.open(storageKey)!;
    const bytes = reader.read(0, reader.size).slice();
    reader.close();
    bytes[bytes.length - 1] ^= 1;
    objects.remove(storageKey);
    const writer = objects.create(storageKey);
    writer.write(bytes);
    writer.commit();
  };
  const cases: [string, Change][] = [
    ["decrypt_failed", flip],
    ["not_found", ({ world }, id) => world.rows.removeFile(id)],
    ["pending_owner_unlock", ({ world }, id) => {
      world.rows.changeFile(id, { pqkFkWrapped: null, pqkFkIv: null });
    }],
    ["decrypt_failed", ({ world }, id) => {
      world.rows.changeFile(id, { pqkFkWrapped: "A".repeat(64) });
    }],
    ["too_large", ({ world }, id) => void world.rows.changeFile(id, { size: 2 ** 40 })],
    ["grant_invalid", ({ world, connected }) => {
      world.rows.updateGrant(connected.credential.grantId, { revokedAt: 1 });
    }],
  ];
  for (const [reason, change] of cases) {
    await inVault(async (setting) => {
      setting.wire.answer = async ({ path }, forward) => {
        const response = await forward();
        if (path.endsWith("/finalize")) change(setting, path.split("/")[2]);
        return response;
      };
      const error: ToolError = await upload(setting, patterned(100_000)).then(
        () => assert.fail("it was verified"),
        (error) => error,
      );
      assert.deepEqual([error.code, error.detail?.reason], ["verify_failed", reason]);
      assert.equal(error.changedAnything, true);
      assert.match(String(error.detail?.vault_file_id), /^[0-9a-f-]{36}$/);
    });
  }
});

Deno.test("a server that says that it stored something else is not believed", async () => {
  const wired = (world: World) =>
    lying(world, (answer, { path }) => {
      if (path.endsWith("/finalize")) answer.sha256 = "0".repeat(64);
    });
  await inVault(async (setting) => {
    assert.equal(await codeOf(upload(setting, bytesOf("x"))), "verify_failed");
  }, { wired });
});

Deno.test("other content under the file's own key and id is found out", async () => {
  // No server can make such a file; somebody to whom the key was given could.
  await inVault(async (setting) => {
    const { world, wire, folder } = setting;
    const other = new Blob([patterned(10_000).reverse()]).stream();
    wire.answer = async ({ path }, forward) => {
      const response = await forward();
      if (!path.endsWith("/download")) return response;
      const { fileId, suitePayload, headerLength } = parseHeader(await response.bytes());
      assert.equal(headerLength, 1741);
      const row = world.rows.file(path.split("/")[2])!;
      const wrap = { wrapped: row.pqkFkWrapped!, iv: row.pqkFkIv! };
      const combinedKey = await unwrapChainKey(world.keyOf(folder.id), wrap);
      const options = { combinedKey, fileId, suitePayload, plaintextSize: 10_000 };
      const ciphertext = other.pipeThrough(createPqHybridV1EncryptStream(options).stream);
      return new Response(await drained(ciphertext) as Uint8Array<ArrayBuffer>);
    };
    const error: ToolError = await upload(setting, patterned(10_000)).then(
      () => assert.fail("it was verified"),
      (error) => error,
    );
    assert.deepEqual([error.code, error.detail?.reason], ["verify_failed", "other content"]);
  });
});

Deno.test("half a gibibyte may be sent, and a byte more may not", async () => {
  let announced = 0;
  const over = () => ({
    storage: ({ size }: Parameters<StoragePut>[0]) => {
      announced = size;
      return Promise.resolve({ status: 500 });
    },
  });
  await inVault(async (setting) => {
    const source = () => new Source(bytesOf("x")).stream;
    const call = (size: number) =>
      codeOf(upload(setting, bytesOf("x"), { size, source: source() }));
    assert.equal(await call(512 * MIB), "upload_failed");
    assert.equal(announced, 512 * MIB + 1741 + 128 * 20);
    assert.equal(await call(512 * MIB + 1), "too_large");
  }, { over });
});

Deno.test("a server that refuses the last step stores nothing, and its code is told", async () => {
  const changes: [string, object][] = [
    ["finalize_failed", { proof: "A".repeat(46) + "==" }],
    ["bad_request", { ciphertextHash: "0".repeat(40) }],
  ];
  for (const [code, change] of changes) {
    using world = new World();
    const id = await world.addFolder(null, "A");
    const connected = await world.connect();
    const fetch: typeof world.server.fetch = (input, init) => {
      if (!String(input).endsWith("/finalize")) return world.server.fetch(input, init);
      const body = JSON.stringify({ ...JSON.parse(String(init!.body)), ...change });
      return world.server.fetch(input, { ...init, body });
    };
    const client = world.client(connected, { fetch });
    const view = await client.view();
    const folder = view.folders.get(id)!;
    const source = new Blob(["x"]).stream();
    const call = client.upload(view, folder, { name: "x", size: 1, source });
    assert.equal(await codeOf(call), code);
    assert.deepEqual(leftOf(world, connected), NOTHING);
  }
});

Deno.test("uploads side by side cannot pass the allowance", async () => {
  await inVault(async (setting) => {
    const calls = [1, 2, 3].map(() => upload(setting, new Uint8Array(1000)));
    const results = await Promise.allSettled(calls);
    assert.equal(results.filter(({ status }) => status === "fulfilled").length, 2);
    const { writeReservedBytes } = setting.world.rows.grant(setting.connected.credential.grantId)!;
    assert.equal(writeReservedBytes, 0);
  }, { row: { writeBudgetBytes: 7000 } });
});

Deno.test("equal names are the caller's concern: the files are two", async () => {
  await inVault(async (setting) => {
    const [one, two] = [await upload(setting, bytesOf("1")), await upload(setting, bytesOf("2"))];
    assert.notEqual(one.id, two.id);
    assert.deepEqual(await setting.world.contentOf(one.id), bytesOf("1"));
    assert.deepEqual(await setting.world.contentOf(two.id), bytesOf("2"));
  });
});

testAlone(import.meta.url, "a large upload takes the memory of a small one", async () => {
  await inVault(async (setting) => {
    const piece = crypto.getRandomValues(new Uint8Array(65_536));
    let peak = 0;
    const growth = async (size: number) => {
      const before = Deno.memoryUsage().rss;
      let left = size;
      peak = 0;
      const source = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (left === 0) return controller.close();
          controller.enqueue(piece.slice());
          left -= piece.length;
        },
      }, { highWaterMark: 0 });
      const progress = () => peak = Math.max(peak, Deno.memoryUsage().rss - before);
      await upload(setting, piece, { size, source, progress });
      return peak;
    };
    await growth(64 * MIB);
    const grown = await growth(320 * MIB);
    assert.ok(grown < 100 * MIB, `${Math.round(grown / MIB)} MiB more for 320`);
  });
});
