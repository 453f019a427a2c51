// Changes over the wire: nothing happens without the token of the preview, and the token is good for
// exactly what the preview showed.

import assert from "node:assert/strict";
import { inTempDir, plant } from "../support.ts";
import { type Message, RawServer } from "./mcp_process.ts";

const TREE = {
  "docs/a.txt": "hello",
  "docs/b.txt": "world!",
  "docs/deep/c.txt": "content",
  "other/": "",
};

function withTree(body: (server: RawServer, dir: string) => Promise<void>): Promise<void> {
  return inTempDir(async (dir) => {
    plant(dir, TREE);
    await using server = new RawServer([dir]);
    await server.open();
    await body(server, dir);
  });
}

/** Every entry below a folder, with what it holds. */
function snapshot(dir: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { name, isDirectory, isSymlink } of Deno.readDirSync(dir)) {
    const path = `${dir}/${name}`;
    if (isSymlink) found[name] = `-> ${Deno.readLinkSync(path)}`;
    else if (!isDirectory) found[name] = Deno.readTextFileSync(path);
    else {
      found[`${name}/`] = "";
      for (const [below, held] of Object.entries(snapshot(path))) found[`${name}/${below}`] = held;
    }
  }
  return found;
}

const codeOf = (result: Message): string | undefined => result.structuredContent.error?.code;

/** One call of every changing tool that has something to do. */
function changes(dir: string): [string, Record<string, unknown>][] {
  return [
    ["move_local", { source: `${dir}/docs/a.txt`, destination: `${dir}/other` }],
    ["rename_local", { path: `${dir}/docs/b.txt`, new_name: "renamed.txt" }],
    ["create_local_folder", { path: `${dir}/new/deeper` }],
    ["trash_local", { paths: [`${dir}/docs/deep`] }],
  ];
}

Deno.test("a preview of any change shows a plan and a token, and changes nothing", async () => {
  await withTree(async (server, dir) => {
    const before = snapshot(dir);
    for (const [name, args] of changes(dir)) {
      const first = await server.call(name, args);
      const { performed, plan_token, expires_at } = first.structuredContent;
      assert.equal(performed, false);
      assert.match(plan_token, /^plan_[0-9a-f]{32}$/);
      const left = Date.parse(expires_at) - Date.now();
      assert.ok(left > 590_000 && left <= 600_000, expires_at);
      assert.match(first.content[0].text, /Planned \(nothing changed\).*plan_token/, name);
      const second = await server.call(name, args);
      assert.notEqual(second.structuredContent.plan_token, plan_token);
    }
    assert.deepEqual(snapshot(dir), before);
  });
});

Deno.test("a confirmed change does what its preview showed, once", async () => {
  await withTree(async (server, dir) => {
    for (const [name, args] of changes(dir)) {
      const { plan_token } = (await server.call(name, args)).structuredContent;
      const confirmed = { ...args, confirm: true, plan_token };
      const done = await server.call(name, confirmed);
      assert.equal(done.structuredContent.performed, true, done.content[0].text);
      assert.equal(done.structuredContent.plan_token, undefined);
    }
    const after = snapshot(dir);
    assert.equal(after["other/a.txt"], "hello");
    assert.equal(after["docs/renamed.txt"], "world!");
    assert.equal(after["new/deeper/"], "");
    assert.equal(after["docs/deep/"], undefined);
    const held = Object.entries(after).find(([path]) => path.endsWith("/c.txt"));
    assert.equal(held?.[1], "content");
    const trashed = await server.call("list_trash");
    assert.equal(trashed.structuredContent.batches.length, 1);
    const restore = { paths: [`${dir}/docs/deep`] };
    const { plan_token } = (await server.call("restore_local", restore)).structuredContent;
    await server.call("restore_local", { ...restore, confirm: true, plan_token });
    assert.equal(Deno.readTextFileSync(`${dir}/docs/deep/c.txt`), "content");
  });
});

Deno.test("a confirmation without a token, with an invented one or with a used one does nothing", async () => {
  await withTree(async (server, dir) => {
    const args = { path: `${dir}/docs/a.txt`, new_name: "z.txt" };
    const confirm = (plan_token?: unknown) =>
      server.call("rename_local", {
        ...args,
        confirm: true,
        ...(plan_token === undefined ? {} : { plan_token }),
      });
    const before = snapshot(dir);
    assert.equal(codeOf(await confirm()), "plan_token_required");
    assert.equal(codeOf(await confirm("")), "plan_token_required");
    assert.equal(codeOf(await confirm(`plan_${"0".repeat(32)}`)), "unknown_plan_token");
    assert.equal(codeOf(await confirm(17)), "invalid_argument");
    assert.equal(
      codeOf(await server.call("rename_local", { ...args, confirm: "true" })),
      "invalid_argument",
    );
    assert.deepEqual(snapshot(dir), before);
    const { plan_token } = (await server.call("rename_local", args)).structuredContent;
    assert.equal((await confirm(plan_token)).structuredContent.performed, true);
    Deno.renameSync(`${dir}/docs/z.txt`, `${dir}/docs/a.txt`);
    assert.equal(codeOf(await confirm(plan_token)), "unknown_plan_token");
    assert.deepEqual(snapshot(dir), before);
  });
});

Deno.test("a token survives being shown to the wrong call, and quotes and a full stop around it", async () => {
  await withTree(async (server, dir) => {
    const args = { path: `${dir}/docs/a.txt`, new_name: "z.txt" };
    const { plan_token } = (await server.call("rename_local", args)).structuredContent;
    const other = await server.call("rename_local", {
      ...args,
      new_name: "y.txt",
      confirm: true,
      plan_token,
    });
    assert.equal(codeOf(other), "plan_changed");
    assert.equal(other.structuredContent.error.detail.reason, "different_call");
    const foreign = { path: `${dir}/new`, confirm: true, plan_token };
    assert.equal(codeOf(await server.call("create_local_folder", foreign)), "plan_changed");
    const wrapped = { ...args, confirm: true, plan_token: `\n"${plan_token}".` };
    assert.equal((await server.call("rename_local", wrapped)).structuredContent.performed, true);
  });
});

Deno.test("what changed since the preview stops the change and is named", async () => {
  await withTree(async (server, dir) => {
    const cases: [string, Record<string, unknown>, () => void][] = [
      ["trash_local", { paths: [`${dir}/docs`] }, () => plant(dir, { "docs/grown.txt": "more" })],
      [
        "trash_local",
        { paths: [`${dir}/docs`] },
        () => plant(dir, { "docs/deep/c.txt": "CONTENT" }),
      ],
      ["rename_local", { path: `${dir}/docs/b.txt`, new_name: "z.txt" }, () => {
        Deno.removeSync(`${dir}/docs/b.txt`);
        plant(dir, { "docs/b.txt": "WORLD!" });
      }],
    ];
    for (const [name, args, change] of cases) {
      const { plan_token } = (await server.call(name, args)).structuredContent;
      change();
      const before = snapshot(dir);
      const refused = await server.call(name, { ...args, confirm: true, plan_token });
      assert.equal(codeOf(refused), "plan_changed");
      const { detail } = refused.structuredContent.error;
      assert.ok(detail.changes.length > 0);
      assert.ok(detail.changes[0].path.startsWith(dir));
      assert.equal(detail.plan.plan_token, undefined);
      assert.deepEqual(JSON.parse(refused.content[1].text), detail);
      assert.deepEqual(snapshot(dir), before);
      const again = await server.call(name, { ...args, confirm: true, plan_token });
      assert.equal(codeOf(again), "unknown_plan_token");
    }
    const appears = { source: `${dir}/docs/a.txt`, destination: `${dir}/other/z.txt` };
    const { plan_token } = (await server.call("move_local", appears)).structuredContent;
    plant(dir, { "other/z.txt": "KEEP" });
    const refused = await server.call("move_local", { ...appears, confirm: true, plan_token });
    assert.equal(codeOf(refused), "destination_exists");
    Deno.removeSync(`${dir}/other/z.txt`);
  });
});

Deno.test("reading a file between preview and confirmation is no change", async () => {
  await withTree(async (server, dir) => {
    const args = { paths: [`${dir}/docs`] };
    const { plan_token } = (await server.call("trash_local", args)).structuredContent;
    Deno.readTextFileSync(`${dir}/docs/a.txt`);
    const done = await server.call("trash_local", { ...args, confirm: true, plan_token });
    assert.equal(done.structuredContent.performed, true);
  });
});

Deno.test("of two confirmations at once with one token exactly one performs", async () => {
  await withTree(async (server, dir) => {
    const trash = { paths: [`${dir}/docs`] };
    const token = (await server.call("trash_local", trash)).structuredContent.plan_token;
    const both = [1, 2].map(() => ({
      name: "trash_local",
      arguments: { ...trash, confirm: true, plan_token: token },
    }));
    const ids = await Promise.all(both.map((call) => server.request("tools/call", call)));
    const results = [];
    for (const id of ids) results.push((await server.answerTo(id)).result);
    assert.equal(results.filter((result) => !result.isError).length, 1);
  });
});

Deno.test("a folder that is there already needs no approval and gets no token", async () => {
  await withTree(async (server, dir) => {
    for (const extra of [{}, { confirm: true }]) {
      const result = await server.call("create_local_folder", { path: `${dir}/docs`, ...extra });
      assert.ok(!result.isError);
      assert.equal(result.structuredContent.already_existed, true);
      assert.equal(result.structuredContent.plan_token, undefined);
      assert.equal(result.structuredContent.expires_at, undefined);
    }
  });
});

Deno.test("a restarted server knows no token of the one before", async () => {
  await withTree(async (server, dir) => {
    const args = { paths: [`${dir}/docs`] };
    const { plan_token } = (await server.call("trash_local", args)).structuredContent;
    await using restarted = new RawServer([dir]);
    await restarted.open();
    const refused = await restarted.call("trash_local", { ...args, confirm: true, plan_token });
    assert.equal(codeOf(refused), "unknown_plan_token");
    assert.ok(Deno.statSync(`${dir}/docs`).isDirectory);
  });
});

/** Trashes many items and interrupts that; gives how many are left and how many the trash knows. */
async function interrupted(
  dir: string,
  server: RawServer,
  interrupt: (id: string) => Promise<void>,
): Promise<{ left: number; known: number }> {
  const names = Array.from({ length: 1000 }, (_, i) => `item-${i}`);
  for (const name of names) Deno.writeTextFileSync(`${dir}/many/${name}`, name);
  const args = { paths: names.map((name) => `${dir}/many/${name}`) };
  const { plan_token } = (await server.call("trash_local", args)).structuredContent;
  const call = { name: "trash_local", arguments: { ...args, confirm: true, plan_token } };
  await server.request("tools/call", call, "trash");
  const left = () => [...Deno.readDirSync(`${dir}/many`)].length;
  for (let waited = 0; left() === names.length && waited < 5000; waited++) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await interrupt("trash");
  await using fresh = new RawServer([dir]);
  await fresh.open();
  const { batches } = (await fresh.call("list_trash", { limit: 10_000 })).structuredContent;
  const known = batches.reduce((sum: number, batch: Message) => sum + batch.items, 0);
  return { left: left(), known };
}

Deno.test("a cancelled change is not answered; what became of it is on stderr and in the manifest", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "many/": "" });
    await using server = new RawServer([dir]);
    await server.open();
    const { left, known } = await interrupted(dir, server, async (id) => {
      await server.send({
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: id },
      });
      await server.said("trash_local, cancelled: ");
    });
    assert.equal(left + known, 1000);
    await server.ask("ping");
    assert.deepEqual(server.waiting, []);
  });
});

Deno.test("the end of input in the middle of a change lets it stop safely before the server goes", async () => {
  await inTempDir(async (dir) => {
    plant(dir, { "many/": "" });
    await using server = new RawServer([dir]);
    await server.open();
    const { left, known } = await interrupted(dir, server, async () => {
      await server.closeInput();
      assert.equal(await server.ended(), 0);
    });
    assert.equal(left + known, 1000);
    assert.match(server.stderr, /trash_local, cancelled: /);
  });
});
