// The owner's client against the real program over a real socket, with the transport that it has by itself:
// a stream goes out with its length stated, in constant memory, and is stopped in the middle.

import assert from "node:assert/strict";
import { OwnerVault, vaultStatus } from "../../../vault/owner/mod.ts";
import { inTempDir } from "../../support.ts";
import { type Serving, startServing } from "../server/serving.ts";
import { Agent } from "./agent.ts";
import { type MemoryReport, numbers } from "./memory_child.ts";
import { at, codeOf, PASSPHRASE, paths, QUICK_KDF, readText, uploadText } from "./support.ts";

const MEBIBYTE = 2 ** 20;

async function served(body: (serving: Serving, data: string) => Promise<void>): Promise<void> {
  await inTempDir(async (dir) => {
    const serving = await startServing(`${dir}/data`);
    try {
      await body(serving, `${dir}/data`);
    } finally {
      await serving.stop();
    }
  });
}

Deno.test("a vault on a real server is made, used, locked, and opened again after a restart", async () => {
  await inTempDir(async (dir) => {
    const first = await startServing(`${dir}/data`);
    let recoveryKey = "";
    try {
      const { origin, setupToken } = first;
      assert.ok(setupToken);
      assert.equal((await vaultStatus(origin)).initialized, false);
      const made = await OwnerVault.create({ origin, setupToken, passphrase: PASSPHRASE });
      recoveryKey = made.recoveryKey;
      const { vault } = made;
      await vault.refresh();
      const folder = await vault.createFolder(null, "Läden");
      await uploadText(vault, folder.id, "a.txt", "a text");
      const { connectionString } = await vault.createGrant({
        label: "Claude",
        clientHint: "other",
        scopes: ["read", "organize", "write"],
        folderIds: [folder.id],
        expiresInMs: 3_600_000,
      });
      const agent = await new Agent({ origin, fetch }, connectionString).load();
      assert.equal(await agent.text("/Läden/a.txt"), "a text");
      await agent.upload("/Läden", "b.txt", "from the assistant");
      await vault.lock();
    } finally {
      assert.equal(await first.stop(), 0);
    }
    const second = await startServing(`${dir}/data`);
    try {
      const { origin, setupToken } = second;
      assert.equal(setupToken, undefined);
      assert.equal((await vaultStatus(origin)).initialized, true);
      const vault = await OwnerVault.unlock({ origin, passphrase: PASSPHRASE });
      await vault.refresh();
      assert.ok(paths(vault).includes("/Läden/b.txt"));
      assert.equal(await readText(vault, at(vault, "/Läden/b.txt").id), "from the assistant");
      await vault.lock();
      const newPassphrase = "another passphrase";
      await (await OwnerVault.recover({ origin, recoveryKey, newPassphrase })).lock();
    } finally {
      await second.stop();
    }
  });
});

Deno.test("a large stream goes out and comes back in constant memory", async () => {
  await served(async ({ origin, setupToken = "" }) => {
    // In a process of its own: this one runs other tests at the same time.
    const script = new URL("./memory_child.ts", import.meta.url).pathname;
    const size = 384 * MEBIBYTE;
    const { code, stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", script, origin, setupToken, String(size)],
      stdin: "null",
    }).output();
    assert.equal(code, 0);
    const { same, grown } = JSON.parse(new TextDecoder().decode(stdout)) as MemoryReport;
    assert.ok(same);
    // It takes about 90 MiB for a file of any size; how much lies about unswept differs.
    assert.ok(grown < size / 2, `${Math.round(grown / MEBIBYTE)} MiB`);
  });
});

Deno.test("an upload that is stopped, or whose source breaks, leaves nothing on a real server", async () => {
  await served(async ({ origin, setupToken = "" }, data) => {
    const options = { origin, setupToken, passphrase: PASSPHRASE, kdf: QUICK_KDF };
    const { vault } = await OwnerVault.create(options);
    await vault.refresh();
    const size = 64 * MEBIBYTE;
    const stop = new AbortController();
    const stopped = vault.upload(null, {
      name: "x",
      size,
      signal: stop.signal,
      content: () =>
        numbers(size, (at) => {
          if (at === 16 * MEBIBYTE) stop.abort(new Error("enough"));
        }),
    });
    await assert.rejects(stopped, { message: "enough" });
    for (const real of [size - 1, size + 1]) {
      const content = () => numbers(real);
      assert.equal(await codeOf(vault.upload(null, { name: "x", size, content })), "upload_failed");
    }
    const broken = vault.upload(null, {
      name: "x",
      size,
      content: () =>
        numbers(size).pipeThrough(
          new TransformStream<Uint8Array, Uint8Array>({
            transform(piece, controller) {
              if (piece[0] === 40) throw new DOMException("the disk is gone", "NotReadableError");
              controller.enqueue(piece);
            },
          }),
        ),
    });
    await assert.rejects(broken, { name: "NotReadableError" });
    assert.deepEqual((await vault.stats()).objects, { count: 0, bytes: 0 });
    const left = [...Deno.readDirSync(`${data}/objects`)].flatMap((
      { name },
    ) => [...Deno.readDirSync(`${data}/objects/${name}`)]);
    assert.deepEqual(left, []);
    await uploadText(vault, null, "after.txt", "goes on");
    assert.equal(await readText(vault, at(vault, "/after.txt").id), "goes on");
    await vault.lock();
  });
});

Deno.test("a server that went away is said to be unreachable, in the middle of a download too", async () => {
  await served(async (serving) => {
    const { origin, setupToken = "" } = serving;
    const options = { origin, setupToken, passphrase: PASSPHRASE, kdf: QUICK_KDF };
    const { vault } = await OwnerVault.create(options);
    await vault.refresh();
    const size = 48 * MEBIBYTE;
    const content = () => numbers(size);
    const { id } = await vault.upload(null, { name: "large", size, content });
    const download = await vault.download(id);
    const reader = download.content.getReader();
    await reader.read();
    await serving.kill();
    const rest = async () => {
      while (!(await reader.read()).done);
    };
    assert.equal(await codeOf(rest()), "network_error");
    assert.equal(await codeOf(vault.refresh()), "network_error");
    await vault.lock();
  });
});
