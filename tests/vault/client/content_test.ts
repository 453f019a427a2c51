// Contents as they come back (vault spec, 4 and crypto spec, 16): whole or refused, and of the file that was
// asked for.

import assert from "node:assert/strict";
import type { VaultClient, VaultFile, VaultView } from "../../../vault/client/mod.ts";
import type { FileRow } from "../../../vault/server/rows/row_types.ts";
import { Wire } from "./wire.ts";
import { bytesOf, codeOf, drained, type Format, patterned, World } from "./world.ts";

const MIB = 1024 * 1024;
const NO_LIMIT = { maxBytes: 1024 * MIB };

async function read(client: VaultClient, view: VaultView, file: VaultFile): Promise<Uint8Array> {
  return await drained(await client.content(view, file, NO_LIMIT));
}

/** A world with one folder, and a client that sees it. */
async function withFolder(
  body: (
    world: World,
    folder: string,
    open: () => Promise<[VaultClient, VaultView]>,
  ) => Promise<void>,
) {
  using world = new World();
  const folder = await world.addFolder(null, "A");
  const connected = await world.connect();
  await body(world, folder, async () => {
    const client = world.client(connected);
    return [client, await client.view()];
  });
}

/** Changes the stored bytes of a file; the row still tells of the ones before unless it is said to. */
function store(world: World, id: string, bytes: Uint8Array, columns: Partial<FileRow> = {}): void {
  const { objects } = world.server;
  const row = world.rows.file(id)!;
  objects.remove(row.storageKey);
  const writer = objects.create(row.storageKey);
  writer.write(bytes);
  writer.commit();
  world.rows.changeFile(id, columns);
}

function stored(world: World, id: string): Uint8Array {
  const reader = world.server.objects.open(world.rows.file(id)!.storageKey)!;
  const bytes = reader.read(0, reader.size).slice();
  reader.close();
  return bytes;
}

for (const format of [2, 3] as Format[]) {
  Deno.test(`the server swaps rows of format ${format} with keys and content: reading is refused`, async () => {
    await withFolder(async (world, folder, open) => {
      const a = await world.addFile(folder, "a", "the one", { format });
      const b = await world.addFile(folder, "b", "the other", { format });
      const [rowA, rowB] = [world.rows.file(a)!, world.rows.file(b)!];
      const of = (row: FileRow): Partial<FileRow> => ({
        cskWrapped: row.cskWrapped,
        cskIv: row.cskIv,
        pqkFkWrapped: row.pqkFkWrapped,
        pqkFkIv: row.pqkFkIv,
        ciphertextSize: row.ciphertextSize,
        size: row.size,
      });
      const [bytesA, bytesB] = [stored(world, a), stored(world, b)];
      store(world, a, bytesB, of(rowB));
      store(world, b, bytesA, of(rowA));
      const [client, view] = await open();
      for (const id of [a, b]) {
        const file = view.files.get(id)!;
        assert.equal(await codeOf(read(client, view, file)), "row_mismatch");
        assert.equal(await codeOf(client.contentRange(view, file, 0, 3)), "row_mismatch");
      }
    });
  });

  Deno.test(`a changed, cut or lengthened file of format ${format} is refused, and so is another format`, async () => {
    await withFolder(async (world, folder, open) => {
      const id = await world.addFile(folder, "a", "content ".repeat(50), { format });
      const whole = stored(world, id);
      const changes: [string, Uint8Array][] = [
        ["last byte", whole.with(-1, whole.at(-1)! ^ 1)],
        ["first byte", whole.with(0, 0)],
        ["cut", whole.slice(0, -1)],
        ["no chunk", whole.slice(0, format === 3 ? 1741 : 149)],
        ["longer", new Uint8Array([...whole, 0])],
        ["nothing", whole.slice(0, 10)],
      ];
      for (const [what, bytes] of changes) {
        store(world, id, bytes, { ciphertextSize: bytes.length });
        const [client, view] = await open();
        assert.equal(await codeOf(read(client, view, view.files.get(id)!)), "decrypt_failed", what);
      }
      store(world, id, whole, {
        ciphertextSize: whole.length,
        cipherVersion: 5 - format,
        pqkFkWrapped: world.rows.file(id)!.cskWrapped,
        pqkFkIv: world.rows.file(id)!.cskIv,
      });
      const [client, view] = await open();
      assert.equal(await codeOf(read(client, view, view.files.get(id)!)), "decrypt_failed");
    });
  });
}

Deno.test("a file of the oldest format without its last chunks is refused where its size is known", async () => {
  await withFolder(async (world, folder, open) => {
    const content = patterned(300);
    const id = await world.addFile(folder, "a", content, { format: 1 });
    const whole = stored(world, id);
    const cut = whole.slice(0, 2 * 80); // two whole chunks
    const of = (bytes: Uint8Array, ciphertextSize: number | null) => {
      const wire = new Wire(world, async ({ path }, forward) => {
        if (path.endsWith("/download")) return new Response(bytes.slice());
        const response = await forward();
        if (path !== "/files") return response;
        const answer = await response.json();
        answer.files[0].ciphertextSize = ciphertextSize;
        return Response.json(answer);
      });
      return wire.fetch;
    };
    const connected = await world.connect();
    const opened = async (fetch: Wire["fetch"]) => {
      const client = world.client(connected, { fetch });
      const view = await client.view();
      return await read(client, view, view.files.get(id)!);
    };
    assert.deepEqual(await opened(of(whole, whole.length)), content);
    assert.equal(await codeOf(opened(of(cut, whole.length))), "decrypt_failed");
    assert.deepEqual(
      await opened(of(cut, null)),
      content.slice(0, 128),
      "nothing tells of a cut here",
    );
    const [client, view] = await open();
    assert.deepEqual(await read(client, view, view.files.get(id)!), content);
  });
});

Deno.test("rows of the oldest format with nonsense in them are refused", async () => {
  await withFolder(async (world, folder, open) => {
    const id = await world.addFile(folder, "a", patterned(100), { format: 1 });
    const row = world.rows.file(id)!;
    const nonsense: Partial<FileRow>[] = [
      { cipherChunkSize: 0 },
      { cipherChunkSize: null },
      { cipherChunkSize: 2 ** 40 },
      { cipherNoncePrefix: null },
      { cipherNoncePrefix: "?" },
      { cipherNoncePrefix: "AAAA" },
    ];
    for (const columns of nonsense) {
      world.rows.changeFile(id, { ...row, ...columns });
      const [client, view] = await open();
      const file = view.files.get(id)!;
      assert.equal(
        await codeOf(read(client, view, file)),
        "decrypt_failed",
        JSON.stringify(columns),
      );
      assert.equal(await codeOf(client.contentRange(view, file, 0, 5)), "decrypt_failed");
    }
  });
});

Deno.test("empty files of every format are empty", async () => {
  await withFolder(async (world, folder, open) => {
    for (const format of [1, 2, 3] as const) {
      await world.addFile(folder, `${format}`, "", { format });
    }
    const [client, view] = await open();
    for (const file of view.files.values()) {
      assert.equal((await read(client, view, file)).length, 0, file.name!);
      assert.equal((await client.contentRange(view, file, 0, 10)).length, 0, file.name!);
    }
  });
});

Deno.test("a format that is not known is refused without a request", async () => {
  await withFolder(async (world, folder) => {
    await world.addFile(folder, "a", "x", { row: { cipherVersion: 4 } });
    const wire = new Wire(world);
    const client = world.client(await world.connect(), { fetch: wire.fetch });
    const view = await client.view();
    const [file] = view.files.values();
    const before = wire.asked.length;
    assert.equal(await codeOf(client.content(view, file, NO_LIMIT)), "unsupported");
    assert.equal(await codeOf(client.contentRange(view, file, 0, 1)), "unsupported");
    assert.equal(wire.asked.length, before);
  });
});

Deno.test("a file above the caller's limit is refused by its row, by its length, and as it comes", async () => {
  await withFolder(async (world, folder, open) => {
    const id = await world.addFile(folder, "a", patterned(3 * MIB));
    const [honest, view] = await open();
    const small = { maxBytes: MIB };
    assert.equal(await codeOf(honest.content(view, view.files.get(id)!, small)), "too_large");
    assert.ok(!world.actions().includes("download"), "nothing is asked for");
    world.rows.changeFile(id, { size: 10 });
    const connected = await world.connect();
    for (const announces of [true, false]) {
      let sent = 0;
      const wire = new Wire(world, async ({ path }, forward) => {
        const response = await forward();
        if (!path.endsWith("/download")) return response;
        const headers = announces ? [...response.headers] : [];
        const counted = new TransformStream<Uint8Array, Uint8Array>({
          transform(piece, controller) {
            sent += piece.length;
            controller.enqueue(piece);
          },
        });
        return new Response(response.body!.pipeThrough(counted), { headers });
      });
      const client = world.client(connected, { fetch: wire.fetch });
      const now = await client.view();
      const call = async () => await drained(await client.content(now, now.files.get(id)!, small));
      assert.equal(await codeOf(call()), "too_large");
      assert.ok(announces ? sent < MIB : sent < 2.5 * MIB, `${sent} bytes came`);
    }
  });
});

Deno.test("content beyond the limit is refused where little ciphertext hides much of it", async () => {
  await withFolder(async (world, folder, open) => {
    const id = await world.addFile(folder, "a", patterned(MIB + 500_000));
    world.rows.changeFile(id, { size: 10 });
    const [client, view] = await open();
    const stream = await client.content(view, view.files.get(id)!, { maxBytes: MIB });
    assert.equal(await codeOf(drained(stream)), "too_large");
  });
});

Deno.test("a part of a file takes its own chunks alone, wherever it lies", async () => {
  await withFolder(async (world, folder) => {
    const content = patterned(10 * MIB + 77);
    const id = await world.addFile(folder, "a", content);
    let fetched = 0;
    const wire = new Wire(world, async ({ path }, forward) => {
      const response = await forward();
      if (path.endsWith("/download")) fetched += Number(response.headers.get("content-length"));
      return response;
    });
    const client = world.client(await world.connect(), { fetch: wire.fetch });
    const view = await client.view();
    const file = view.files.get(id)!;
    const requests = () => wire.lines.filter((line) => line.endsWith("/download")).length;
    const parts: [offset: number, length: number, requests: number, bytes: number][] = [
      [0, 100, 1, 4.1 * MIB], // the header comes with the first chunk
      [content.length - 100, 100, 1, 2.1 * MIB], // the header is known
      [4 * MIB - 10, 20, 1, 8.1 * MIB],
      [4 * MIB, 4 * MIB, 1, 4.1 * MIB],
      [10 * MIB, 1000, 1, 2.1 * MIB], // ends with the file
      [content.length, 10, 0, 0],
      [content.length + 1000, 10, 0, 0],
      [5, 0, 0, 0],
    ];
    for (const [offset, length, most, bytes] of parts) {
      fetched = 0;
      const before = requests();
      const part = await client.contentRange(view, file, offset, length);
      assert.deepEqual(part, content.slice(offset, offset + length), `${offset} ${length}`);
      assert.equal(requests() - before, most, `requests for ${offset} ${length}`);
      assert.ok(fetched <= bytes, `${fetched} bytes for ${offset} ${length}`);
    }
    for (const [offset, length] of [[-1, 5], [0.5, 5], [0, -1], [0, 65 * MIB], [NaN, 1]]) {
      const call = client.contentRange(view, file, offset, length);
      assert.equal(await codeOf(call), "invalid_argument");
    }
  });
});

Deno.test("a small file's part takes one request of its own size", async () => {
  await withFolder(async (world, folder) => {
    const id = await world.addFile(folder, "a", "0123456789");
    const wire = new Wire(world);
    const client = world.client(await world.connect(), { fetch: wire.fetch });
    const view = await client.view();
    assert.deepEqual(await client.contentRange(view, view.files.get(id)!, 2, 3), bytesOf("234"));
    const ranges = wire.asked.map(({ headers }) => headers.get("range")).filter((range) => range);
    assert.deepEqual(ranges, [`bytes=0-${world.rows.file(id)!.ciphertextSize - 1}`]);
  });
});

Deno.test("parts come in every format, and from a server without ranges", async () => {
  await withFolder(async (world, folder) => {
    const content = patterned(1000);
    const ids: string[] = [];
    for (const format of [1, 2, 3] as const) {
      ids.push(await world.addFile(folder, `${format}`, content, { format }));
    }
    let cancelled = 0;
    const wire = new Wire(world, async ({ path, headers }, forward) => {
      headers.delete("range");
      if (!path.endsWith("/download")) return await forward();
      const id = path.split("/")[2];
      const bytes = stored(world, id);
      return new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(bytes.slice(0)),
          cancel: () => void cancelled++,
        }),
      );
    });
    const connected = await world.connect();
    for (const fetch of [world.server.fetch, wire.fetch]) {
      const client = world.client(connected, { fetch });
      const view = await client.view();
      for (const id of fetch === wire.fetch ? ids.slice(1) : ids) {
        const file = view.files.get(id)!;
        const part = await client.contentRange(view, file, 500, 100);
        assert.deepEqual(part, content.slice(500, 600), file.name!);
      }
    }
    assert.equal(cancelled, 2, "what is not needed is not fetched");
  });
});

Deno.test("another part than was asked for is refused", async () => {
  await withFolder(async (world, folder) => {
    const id = await world.addFile(folder, "a", patterned(5 * MIB));
    const answers: [string, (body: Uint8Array, range: string) => Response][] = [
      ["bad_answer", (body) => new Response(body.slice(), { status: 206 })],
      ["bad_answer", (body) => partial(body, "bytes 7-9/100")],
      ["bad_answer", (body, range) => partial(new Uint8Array([...body, 1]), range)],
      ["decrypt_failed", (body, range) => partial(body.slice(0, -1), range)],
      ["decrypt_failed", (body, range) => partial(body.slice(0, 20), range)],
    ];
    const connected = await world.connect();
    for (const [code, answer] of answers) {
      const wire = new Wire(world, async ({ path }, forward) => {
        const response = await forward();
        if (!path.endsWith("/download")) return response;
        return answer(await response.bytes(), response.headers.get("content-range")!);
      });
      const client = world.client(connected, { fetch: wire.fetch });
      const view = await client.view();
      const call = client.contentRange(view, view.files.get(id)!, 4 * MIB, 100);
      assert.equal(await codeOf(call), code);
    }
  });
});

function partial(body: Uint8Array, range: string): Response {
  return new Response(body.slice(), { status: 206, headers: { "content-range": range } });
}

Deno.test("a download that breaks off, or is cancelled, is no content, and lets go of the connection", async () => {
  await withFolder(async (world, folder) => {
    const id = await world.addFile(folder, "a", patterned(100_000));
    const bytes = stored(world, id);
    let cancelled: unknown;
    let breaks = true;
    const wire = new Wire(world, async ({ path }, forward) => {
      if (!path.endsWith("/download")) return await forward();
      let sent = 0;
      return new Response(
        new ReadableStream({
          pull(controller) {
            if (sent > 50_000 && breaks) throw new TypeError("connection reset");
            if (sent > 50_000) return new Promise(() => {});
            controller.enqueue(bytes.slice(sent, sent += 20_000));
          },
          cancel: (reason) => void (cancelled = reason),
        }),
      );
    });
    const client = world.client(await world.connect(), { fetch: wire.fetch });
    const view = await client.view();
    const file = view.files.get(id)!;
    assert.equal(await codeOf(read(client, view, file)), "network_error");
    breaks = false;
    const stop = new AbortController();
    const stream = await client.content(view, file, { ...NO_LIMIT, signal: stop.signal });
    const reading = codeOf(drained(stream));
    setTimeout(() => stop.abort(), 5);
    assert.equal(await reading, "cancelled");
    assert.ok(cancelled !== undefined, "the server is told");
    const call = client.content(view, file, { ...NO_LIMIT, signal: stop.signal });
    assert.equal(await codeOf(call), "cancelled");
  });
});

Deno.test("progress tells of the bytes of the content", async () => {
  await withFolder(async (world, folder, open) => {
    const id = await world.addFile(folder, "a", patterned(9 * MIB));
    const [client, view] = await open();
    const told: number[] = [];
    const progress = ({ done, total, unit }: { done: number; total?: number; unit: string }) => {
      assert.deepEqual([total, unit], [9 * MIB, "bytes"]);
      told.push(done);
    };
    await drained(await client.content(view, view.files.get(id)!, { ...NO_LIMIT, progress }));
    assert.equal(told.at(-1), 9 * MIB);
    assert.ok(told.length >= 3 && told.every((done, i) => i === 0 || done > told[i - 1]));
  });
});

Deno.test("a file in the connection's trash can be read", async () => {
  await withFolder(async (world, folder, open) => {
    const id = await world.addFile(folder, "a", "still here");
    const [client, view] = await open();
    await client.trash(view, [view.files.get(id)!]);
    const now = await client.view();
    const file = now.files.get(id)!;
    assert.deepEqual([file.inTrash, file.readable], [true, true]);
    assert.deepEqual(await read(client, now, file), bytesOf("still here"));
  });
});
