// The vault's rooms as a process opens them: they carry out the tools over a real socket with keys that are
// derived in rooms of their own, can do nothing else, and nobody waits for ever.

import assert from "node:assert/strict";
import { misfits } from "../../../containment/rooms/proof.ts";
import { ToolError } from "../../../containment/mod.ts";
import { Session } from "../../../tools/session.ts";
import { findVaultTool } from "../../../tools/vault/tools.ts";
import { addressOf } from "../../../vault/client/origin.ts";
import { kdfAddon, KdfRooms } from "../../../vault/kdf.ts";
import { DoorsToKdf } from "../../../vault/kdf_doors.ts";
import { ARGON2_LEVELS } from "@shieldfive/crypto/extra/kdf_pool.ts";
import { inTempDir } from "../../support.ts";
import { inVault, type Owned, uploadText } from "../../vault/owner/support.ts";

const LIST = findVaultTool("vault_list_files")!;
const RENAME = findVaultTool("vault_rename")!;
const READ = findVaultTool("vault_read_file")!;

/** The service on a real port of this machine, for as long as the body runs. */
async function listening(
  handler: (request: Request) => Promise<Response> | Response,
  body: (origin: string) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {}, signal: stop.signal },
    handler,
  );
  try {
    await body(`http://127.0.0.1:${server.addr.port}`);
  } finally {
    stop.abort();
    await server.finished;
  }
}

/** Hands requests to the service, which thinks that it has another origin. */
function over({ server }: Owned): (request: Request) => Promise<Response> {
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const body = request.body === null ? undefined : await request.bytes();
    const { method, headers } = request;
    return await server.fetch(`${server.origin}${pathname}${search}`, { method, headers, body });
  };
}

async function connectionTo({ vault }: Owned): Promise<string> {
  const { connectionString } = await vault.createGrant({
    label: "a test",
    clientHint: "other",
    scopes: ["read", "organize"],
    folderIds: "all",
    expiresInMs: 3_600_000,
  });
  return connectionString;
}

/** Runs the body with the rooms for a server, without a connection. */
async function inRooms(
  origin: string,
  body: (session: Session, logged: string[]) => Promise<void>,
): Promise<void> {
  const logged: string[] = [];
  const session = new Session({
    roots: [],
    version: "0",
    protectedPaths: [],
    log: (line) => logged.push(line),
  });
  try {
    session.openVault(origin);
    await session.ready();
    await body(session, logged);
  } finally {
    session.close();
  }
}

async function refusalOf(call: Promise<unknown>): Promise<ToolError> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof ToolError, String(error));
    return error;
  }
  throw new Error("it was not refused");
}

// deno-lint-ignore no-explicit-any -- a test asserts on the fields that it names
const asOutput = (value: unknown) => value as any;

Deno.test("the rooms list, read and change a vault over a socket, and change connections", () =>
  inVault(async (owned) => {
    const { vault } = owned;
    const folder = await vault.createFolder(null, "Läden");
    const file = await uploadText(vault, folder.id, "a.txt", "a text");
    const connection = await connectionTo(owned);
    await listening(over(owned), (origin) =>
      inRooms(origin, async (session, logged) => {
        const rooms = await session.vault();
        assert.equal((await refusalOf(session.read(LIST, input(LIST)))).code, "not_connected");
        const wrong = rooms.adopt("no connection string");
        const { code, message } = await refusalOf(wrong);
        assert.equal(code, "invalid_connection_string");
        assert.doesNotMatch(message, /no connection string"/);
        assert.equal((await rooms.check(connection)).wholeVault, true);
        await rooms.adopt(connection);
        const listed = asOutput(await session.read(LIST, input(LIST)));
        assert.deepEqual(
          listed.files.map(({ path }: { path: string }) => path),
          ["/Läden/a.txt"],
        );
        const ids = await rooms.resolve({ item_id: "/Läden/a.txt", folder_id: "/Läden/" }, {});
        assert.deepEqual(ids, { item_id: file.id, folder_id: folder.id });
        const read = asOutput(await session.read(READ, { ...input(READ), file_id: file.id }));
        assert.match(read.content, /\na text\n/);
        const rename = { item_id: file.id, new_name: "b.txt" };
        const { binding } = await session.preview(RENAME, rename);
        let agreed: unknown;
        await session.perform(RENAME, rename, (fresh) => agreed = fresh.binding);
        assert.deepEqual(agreed, binding);
        await vault.refresh();
        assert.equal(vault.tree.path(vault.tree.files.get(file.id)!), "/Läden/b.txt");
        await rooms.adopt(await connectionTo(owned));
        assert.equal(asOutput(await session.read(LIST, input(LIST))).total, 1);
        assert.deepEqual(logged, []);
      }));
  }));

/** The arguments of a tool that were not given, as its schema fills them in. */
function input(tool: typeof LIST): Record<string, unknown> {
  return tool === READ ? { max_bytes: 1000, offset: 0 } : { limit: 200, offset: 0 };
}

Deno.test("the room of the vault can reach the one server, the rooms for keys nothing, and none a file", () =>
  inTempDir((dir) =>
    listening(() => new Response(), (origin) =>
      inRooms(origin, async (session) => {
        Deno.writeTextFileSync(`${dir}/file`, "text");
        const proven = await (await session.vault()).prove({ inside: [dir], outside: "/" });
        const [vault, ...keys] = proven;
        const address = addressOf(origin);
        assert.equal(vault.kind, "vault");
        assert.deepEqual(misfits("vault", [address], vault.trials), []);
        assert.deepEqual(
          vault.trials.filter(({ allowed }) => allowed).map(({ what, address }) => [what, address]),
          [["net", address]],
        );
        assert.ok(vault.trials.some(({ what, folder }) => what === "read" && folder === dir));
        assert.ok(vault.trials.some(({ what, folder }) => what === "write" && folder === dir));
        assert.ok(keys.length > 0);
        for (const { kind, trials } of keys) {
          assert.equal(kind, "kdf");
          assert.deepEqual(misfits("kdf", [kdfAddon() ?? ""], trials), []);
          assert.deepEqual(trials.filter(({ allowed }) => allowed), []);
        }
      }))
  ));

Deno.test("a cancelled call ends its request at once, though the server never answers", () => {
  const arrived = Promise.withResolvers<void>();
  const dropped = Promise.withResolvers<void>();
  return inVault(async (owned) => {
    const connection = await connectionTo(owned);
    const never = (request: Request) => {
      arrived.resolve();
      request.signal.addEventListener("abort", () => dropped.resolve());
      return new Promise<Response>(() => {});
    };
    await listening(never, (origin) =>
      inRooms(origin, async (session) => {
        await (await session.vault()).adopt(connection);
        const stop = new AbortController();
        const call = refusalOf(session.read(LIST, input(LIST), { signal: stop.signal }));
        await arrived.promise;
        const start = performance.now();
        stop.abort();
        assert.equal((await call).code, "cancelled");
        assert.ok(performance.now() - start < 5000, "no time limit was waited for");
        await dropped.promise;
      }));
  });
});

Deno.test("a call that only looks does not wait for one that changes, and changes wait for each other", () =>
  inVault(async (owned) => {
    const { vault } = owned;
    const folder = await vault.createFolder(null, "A");
    const file = await uploadText(vault, folder.id, "a.txt", "a text");
    const connection = await connectionTo(owned);
    let held = Promise.withResolvers<void>();
    const holding = Promise.withResolvers<void>();
    let patches = 0;
    const handler = over(owned);
    const slow = async (request: Request) => {
      if (request.method === "PATCH" && ++patches === 1) {
        holding.resolve();
        await held.promise;
      }
      return await handler(request);
    };
    await listening(slow, (origin) =>
      inRooms(origin, async (session) => {
        await (await session.vault()).adopt(connection);
        const rename = (new_name: string) =>
          session.perform(RENAME, { item_id: file.id, new_name }, () => {});
        const first = rename("b.txt");
        await holding.promise;
        const second = rename("c.txt");
        assert.equal(asOutput(await session.read(LIST, input(LIST))).total, 1);
        assert.equal(patches, 1);
        held.resolve();
        assert.equal(asOutput(await first).renamed.path, "/A/b.txt");
        // It was planned after the first was done.
        assert.equal(asOutput(await second).renamed.from, "/A/b.txt");
        held = Promise.withResolvers();
      }));
  }));

Deno.test("keys are derived through the doors, and whoever waits behind a door that closes is told", async () => {
  const request = () => ({
    password: new TextEncoder().encode("QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl8="),
    salt: Uint8Array.from({ length: 16 }, (_, i) => 0xc0 + i),
    ...ARGON2_LEVELS.interactive,
  });
  const rooms = await KdfRooms.open({ concurrency: 2, log: () => {} });
  const doors = new DoorsToKdf(rooms.doors);
  try {
    assert.equal(doors.concurrency, 2);
    const [through, direct] = await Promise.all([
      doors.derive(request()),
      rooms.derive(request()),
    ]);
    assert.deepEqual(through, direct);
    const waiting = refusalOf(doors.derive(request()));
    rooms.close();
    const { code, message } = await waiting;
    assert.equal(code, "internal");
    assert.match(message, /the room that derives keys stopped/);
    assert.equal(doors.concurrency, 0);
  } finally {
    rooms.close();
  }
});
