// Files into the vault on an assistant's word: approved by a token that is good for exactly what was shown, told
// while it lasts, stopped in good order, and never without folders that were granted.

import assert from "node:assert/strict";
import { exists, plant } from "../support.ts";
import { type Message, RawServer } from "./mcp_process.ts";
import { between, type Meddler } from "./vault_between.ts";
import { type ServedVault, withServedVault } from "./vault_served.ts";

interface Serving {
  server: RawServer;
  local: string;
  folder: string;
}

/** The server with a local folder, and a connection that may add files, by way of the meddler. */
async function withServer(
  served: ServedVault,
  name: string,
  body: (serving: Serving) => Promise<void>,
  { meddler, roots = true }: { meddler?: Meddler; roots?: boolean } = {},
): Promise<void> {
  const { serving, vault, home, connect } = served;
  const local = `${home.dir}/${name}`;
  plant(local, { "a.txt": "hello", "b.txt": "world" });
  await using proxy = between(serving.origin, meddler ?? (({ forward }) => forward()));
  await using server = new RawServer(roots ? [local] : [], {
    env: {
      ...home.env,
      SHIELDFIVE_GRANT: await connect({ scopes: ["read", "organize", "write"] }),
      SHIELDFIVE_API_URL: proxy.origin,
    },
  });
  await server.open();
  const folder = [...vault.tree.folders.values()].find(({ name }) => name === "Docs")!.id;
  await body({ server, local, folder });
}

function args({ local, folder }: Serving): Message {
  return { paths: [`${local}/a.txt`, `${local}/b.txt`], destination_folder_id: folder };
}

const codeOf = (result: Message): string | undefined => result.structuredContent.error?.code;

Deno.test("an assistant moves files in with a token, hears how far it is, and can be stopped", () =>
  withServedVault({ "Docs/": "" }, async (served) => {
    await withServer(served, "approved", async (serving) => {
      const { server, local } = serving;
      const upload = { path: `${local}/a.txt`, destination_folder_id: serving.folder };
      const shown = await server.call("vault_upload", upload);
      assert.equal(shown.structuredContent.plan.path, "/Docs/a.txt");

      const preview = await server.call("vault_move_in", args(serving));
      assert.match(preview.content[0].text, /Planned \(nothing changed\): move 2 files/);
      const { plan_token } = preview.structuredContent;
      assert.equal(
        codeOf(await server.call("vault_move_in", { ...args(serving), confirm: true })),
        "plan_token_required",
      );
      const other = { ...upload, confirm: true, plan_token };
      assert.equal(codeOf(await server.call("vault_upload", other)), "plan_changed");
      const id = await server.request("tools/call", {
        name: "vault_move_in",
        arguments: { ...args(serving), confirm: true, plan_token },
        _meta: { progressToken: "p" },
      });
      const { result } = await server.answerTo(id);
      assert.equal(result.isError, undefined, result.content[0].text);
      assert.equal(result.structuredContent.moved.length, 2);
      assert.ok(!exists(`${local}/a.txt`) && !exists(`${local}/b.txt`));
      const told = server.waiting.filter(({ method }) => method === "notifications/progress");
      assert.ok(told.length > 0 && told.every(({ params }) => params.progressToken === "p"));

      const back = { batch: result.structuredContent.trash_batch };
      const restore = await server.call("restore_local", back);
      const token = restore.structuredContent.plan_token;
      await server.call("restore_local", { ...back, confirm: true, plan_token: token });
      assert.equal(Deno.readTextFileSync(`${local}/b.txt`), "world");
    });

    const verifying = Promise.withResolvers<void>();
    let downloads = 0;
    const meddler: Meddler = async ({ path, forward }) => {
      if (path.endsWith("/download") && ++downloads === 2) {
        verifying.resolve();
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
      return await forward();
    };
    await withServer(served, "stopped", async (serving) => {
      const { server, local } = serving;
      const { structuredContent } = await server.call("vault_move_in", args(serving));
      const { plan_token } = structuredContent;
      await server.request("tools/call", {
        name: "vault_move_in",
        arguments: { ...args(serving), confirm: true, plan_token },
      }, "stopped");
      await verifying.promise;
      await server.send({
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: "stopped" },
      });
      await server.said("vault_move_in, cancelled: [cancelled] 1 of 2 files moved into the vault");
      await server.said("still on disk; its copy in the vault is not verified");
      assert.ok(!exists(`${local}/a.txt`));
      assert.equal(Deno.readTextFileSync(`${local}/b.txt`), "world");
    }, { meddler });

    await withServer(served, "rootless", async (serving) => {
      const refused = await serving.server.call("vault_move_in", args(serving));
      assert.equal(codeOf(refused), "no_roots");
    }, { roots: false });
  }));
