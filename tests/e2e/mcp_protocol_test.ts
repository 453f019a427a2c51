// Lines that clients should not send, and some do. Whatever comes, the server answers what can be
// answered, at once, and lives on.

import assert from "node:assert/strict";
import { inTempDir, plant } from "../support.ts";
import { INITIALIZE, type Message, RawServer } from "./mcp_process.ts";

async function withServer(body: (server: RawServer, dir: string) => Promise<void>): Promise<void> {
  await inTempDir(async (dir) => {
    plant(dir, { "é文😀.txt": "hello", "b/c.txt": "x" });
    await using server = new RawServer([dir]);
    await body(server, dir);
  });
}

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("before initialize a request is refused at once and nothing chooses a protocol", async () => {
  await withServer(async (server) => {
    await server.send({ jsonrpc: "2.0", method: "notifications/roots/list_changed" });
    assert.equal((await server.ask("tools/list")).error.code, -32600);
    assert.equal((await server.ask("server/discover")).error.code, -32600);
    const opened = await server.open();
    assert.equal(opened.protocolVersion, "2025-11-25");
    assert.ok((await server.ask("tools/list")).result.tools.length > 0);
  });
});

Deno.test("an unsupported, a too new and a missing version get a counter-offer", async () => {
  for (const protocolVersion of ["1990-01-01", "2026-07-28", undefined]) {
    await withServer(async (server) => {
      await server.request(
        "initialize",
        protocolVersion === undefined ? {} : {
          ...INITIALIZE.params,
          protocolVersion,
        },
        "v",
      );
      assert.equal((await server.answerTo("v")).result.protocolVersion, "2025-11-25");
      assert.ok((await server.ask("tools/list")).result);
    });
  }
});

Deno.test("every handshake version is served as asked, and initialize may come twice", async () => {
  await withServer(async (server) => {
    for (const protocolVersion of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
      const { result } = await server.ask("initialize", { ...INITIALIZE.params, protocolVersion });
      assert.equal(result.protocolVersion, protocolVersion);
    }
  });
});

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

Deno.test("the stateless protocol is served without a handshake", async () => {
  await withServer(async (server) => {
    const { result } = await server.ask("server/discover", { _meta: META });
    assert.deepEqual(result.supportedVersions, ["2026-07-28"]);
    const listed = await server.ask("tools/list", { _meta: META });
    assert.equal(listed.result.resultType, "complete");
    const called = await server.ask("tools/call", {
      name: "list_local",
      arguments: {},
      _meta: META,
    });
    assert.equal(called.result.structuredContent.total_files, 2);
    const unmarked = await server.ask("tools/list");
    assert.equal(unmarked.error.code, -32600);
  });
});

Deno.test("a probe for the stateless protocol may fall back to the handshake", async () => {
  await withServer(async (server) => {
    await server.ask("server/discover", { _meta: META });
    await server.open();
    assert.ok((await server.ask("tools/list")).result.tools.length > 0);
  });
});

Deno.test("an unknown stateless version is refused by name and the right one still works", async () => {
  await withServer(async (server) => {
    const wrong = { ...META, "io.modelcontextprotocol/protocolVersion": "2099-01-01" };
    const { error } = await server.ask("server/discover", { _meta: wrong });
    assert.deepEqual(error.data.supported, ["2026-07-28"]);
    assert.ok((await server.ask("server/discover", { _meta: META })).result);
  });
});

/** What an open server answers; all of these go to one process, which must outlive each of them. */
const CASES: Record<string, (server: RawServer, dir: string) => Promise<void>> = {
  "what is not JSON-RPC gets the error that says so": async (server) => {
    const refused: [string, Message, number][] = [
      ["{not json", null, -32700],
      ["\xff\xfe", null, -32700],
      ["[]", null, -32600],
      ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', null, -32600],
      ["17", null, -32600],
      ['"text"', null, -32600],
      ["null", null, -32600],
      ["{}", null, -32600],
      ['{"jsonrpc":"1.0","id":5,"method":"ping"}', 5, -32600],
      ['{"jsonrpc":"2.0","id":null,"method":"ping"}', null, -32600],
      ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', null, -32600],
      ['{"jsonrpc":"2.0","id":{},"method":"ping"}', null, -32600],
      ['{"jsonrpc":"2.0","id":6,"method":7}', 6, -32600],
      ['{"jsonrpc":"2.0","id":7,"method":"tools/list","params":[1]}', 7, -32602],
      ['{"jsonrpc":"2.0","id":8,"method":"tools/call","params":"x"}', 8, -32602],
      ['{"jsonrpc":"2.0","id":9,"method":"no/such/method"}', 9, -32601],
      ['{"jsonrpc":"2.0","id":10,"method":"resources/list"}', 10, -32601],
      ['{"jsonrpc":"2.0","id":11,"method":"tools/list","params":{"cursor":"x"}}', 11, -32602],
      [`{"jsonrpc":"2.0","id":"${"i".repeat(2000)}","method":"ping"}`, null, -32600],
    ];
    for (const [line, id, code] of refused) {
      await server.send(line === "\xff\xfe" ? new Uint8Array([0xff, 0xfe, 10]) : line + "\n");
      assert.equal((await server.answerTo(id)).error.code, code, line.slice(0, 100));
    }
  },

  "malformed notifications and answers are ignored without a word to the client": async (
    server,
  ) => {
    await server.send(
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}\n',
    );
    await server.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}\n');
    await server.send('{"jsonrpc":"2.0","method":"no/such/notification","params":[]}\n');
    await server.send('{"jsonrpc":"2.0","id":77,"result":{}}\n');
    await server.send('{"jsonrpc":"2.0","id":77,"result":5}\n');
    await server.send('{"jsonrpc":"2.0","id":77,"error":"x"}\n');
    await server.send("\n\r\n");
  },

  "an unknown tool is a protocol error that names the nearest": async (server) => {
    const { error } = await server.ask("tools/call", { name: "list_locl", arguments: {} });
    assert.equal(error.code, -32602);
    assert.match(error.message, /list_local/);
    for (const params of [{}, { name: 5 }, { name: "__proto__" }, { name: "x".repeat(100_000) }]) {
      const answer = await server.ask("tools/call", params);
      assert.equal(answer.error.code, -32602);
      assert.ok(answer.error.message.length < 1000);
    }
  },

  "malformed arguments are failures that the model can read": async (server, dir) => {
    const refused: [Message, string, RegExp][] = [
      [[], "invalid_argument", /list/],
      ["{}", "invalid_argument", /string/],
      [5, "invalid_argument", /number/],
      [{ limit: "10" }, "invalid_argument", /limit/],
      [{ limit: 1.5 }, "invalid_argument", /limit/],
      [{ path: "null" }, "invalid_path", /path/],
      [{ path: null }, "invalid_path", /path/],
      [{ path: ["a"] }, "invalid_path", /path/],
      [{ path: "" }, "invalid_path", /path/],
      [{ limt: 5 }, "invalid_argument", /limit/],
      [{ extensions: '["a","b"]' }, "invalid_argument", /extensions/],
      [JSON.parse('{"__proto__": {"x": 1}}'), "invalid_argument", /__proto__/],
      [{ path: "x".repeat(1_000_000) }, "invalid_path", /path/],
    ];
    for (const [args, code, message] of refused) {
      const result = await server.call("list_local", args);
      const error = result.structuredContent.error;
      assert.equal(result.isError, true);
      assert.equal(error.code, code, JSON.stringify(args).slice(0, 100));
      assert.match(error.message, message);
      assert.equal(error.changed_anything, false);
      assert.equal(result.content[0].text, `[${code}] ${error.message}`);
      assert.ok(error.message.length <= 1000);
    }
    for (const args of [undefined, null, {}, { limit: null }]) {
      const result = await server.call("list_local", args);
      assert.equal(result.structuredContent.total_files, 2);
    }
    const meta = { name: "list_local", arguments: { path: dir }, _meta: { any: "thing" } };
    assert.ok((await server.ask("tools/call", meta)).result.structuredContent);
  },

  "deeply nested arguments are refused without harm": async (server) => {
    const deep = "[".repeat(200_000) + "]".repeat(200_000);
    await server.send(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_local","arguments":{"limit":${deep}}}}\n`,
    );
    const answer = await server.answerTo(1);
    assert.ok(answer.error ?? answer.result.isError);
  },

  "a request is the same in one piece and byte by byte, with CRLF and a byte order mark": async (
    server,
    dir,
  ) => {
    const request = (id: number) =>
      JSON.stringify({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: { name: "list_local", arguments: { path: `${dir}/é文😀.txt` } },
      });
    await server.send(request(1) + "\n");
    const whole = (await server.answerTo(1)).result;
    assert.equal(whole.structuredContent.files[0].path, `${dir}/é文😀.txt`);
    for (const byte of bytes(request(2) + "\n")) await server.send(new Uint8Array([byte]));
    assert.deepEqual((await server.answerTo(2)).result, whole);
    await server.send("\ufeff" + request(3) + "\r\n");
    assert.deepEqual((await server.answerTo(3)).result, whole);
  },

  "a request line of 10 MB is answered": async (server) => {
    await server.request(
      "tools/call",
      { name: "list_local", arguments: { path: "x".repeat(1e7) } },
      1,
    );
    assert.equal((await server.answerTo(1)).result.structuredContent.error.code, "invalid_path");
  },

  "a line without end is refused once and skipped up to its end": async (server) => {
    const block = new Uint8Array(1024 * 1024).fill(0x78);
    for (let i = 0; i < 80; i++) await server.send(block);
    assert.equal((await server.answerTo(null)).error.code, -32600);
    await server.send("\n");
  },

  "concurrent calls, also under one id, are all answered": async (server) => {
    const ids = Array.from({ length: 20 }, (_, i) => i + 100);
    const call = { name: "list_local", arguments: {} };
    for (const id of ids) await server.request("tools/call", call, id);
    await server.request("tools/call", call, "same");
    await server.request("tools/call", call, "same");
    for (const id of [...ids, "same", "same"]) {
      assert.equal((await server.answerTo(id)).result.structuredContent.total_files, 2);
    }
  },
};

Deno.test("an open server answers everything and lives on:", async (test) => {
  await withServer(async (server, dir) => {
    await server.open();
    for (const [name, body] of Object.entries(CASES)) {
      await test.step(name, async () => {
        await body(server, dir);
        assert.deepEqual((await server.ask("ping")).result, {});
        assert.deepEqual(server.waiting, []);
      });
    }
  });
});
