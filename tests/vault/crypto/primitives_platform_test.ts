// The same bytes on every platform: with the runtime's cryptography or without it, in a room that may do
// nothing, and bundled for a browser.

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import * as node from "node:crypto";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { concatBytes, constantTimeEqual } from "../../../vault/crypto/bytes.ts";
import { sha256 } from "../../../vault/crypto/primitives/hash.ts";
import { hmacSha256 } from "../../../vault/crypto/primitives/hmac.ts";
import { NODE_FROM } from "../../../vault/crypto/primitives/platform.ts";
import { xchachaOpen, xchachaSeal } from "../../../vault/crypto/primitives/xchacha.ts";
import { sealWithNode } from "../../../vault/crypto/primitives/xchacha_node.ts";
import { inTempDir } from "../../support.ts";
import { patterned } from "./patterned.ts";
import { type Outcome, primitivesOutcome } from "./primitives_outcome.ts";

const ROOM = new URL("./primitives_room.ts", import.meta.url);

function inRoom(module: URL, asBrowser: boolean): Promise<Outcome> {
  const room = new Worker(module, { type: "module", deno: { permissions: "none" } });
  return new Promise<Outcome>((resolve, reject) => {
    room.onmessage = ({ data }) => resolve(data);
    room.onerror = (event) => {
      event.preventDefault();
      reject(new Error(event.message));
    };
    room.postMessage({ asBrowser });
  }).finally(() => room.terminate());
}

Deno.test("a room without any permission has the primitives, node:crypto included", async () => {
  const here = await primitivesOutcome();
  assert.equal(here.node, true);
  assert.deepEqual(await inRoom(ROOM, false), here);
});

Deno.test("the portable primitives give what those of the runtime give", async () => {
  const portable = await inRoom(ROOM, true);
  assert.equal(portable.node, false, "node:crypto must be out of reach for this to mean anything");
  assert.deepEqual(portable.outputs, (await primitivesOutcome()).outputs);
});

Deno.test("large messages go to the runtime's cryptography, small ones do not even ask for it", () => {
  const [key, nonce] = [patterned(32), patterned(24)];
  const uses: Record<string, (message: Uint8Array) => unknown> = {
    sha256,
    hmac: (message) => hmacSha256(key, message.subarray(9), message.subarray(0, 9)),
    seal: (message) => xchachaSeal(key, nonce, message),
    open: (message) => xchachaOpen(key, nonce, concatBytes([message, patterned(16)])),
  };
  const builtin = process.getBuiltinModule;
  let asked = 0;
  process.getBuiltinModule = ((name: string) => {
    asked++;
    return builtin(name);
  }) as typeof builtin;
  try {
    for (const [name, use] of Object.entries(uses)) {
      asked = 0;
      use(patterned(NODE_FROM - 1));
      assert.equal(asked, 0, name);
      use(patterned(NODE_FROM));
      assert.equal(asked, 1, name);
    }
  } finally {
    process.getBuiltinModule = builtin;
  }
});

Deno.test("what a runtime gives in memory that others share is copied", () => {
  const shared = Buffer.alloc(1 << 20, 0x55);
  const sharing = {
    createCipheriv(...args: Parameters<typeof node.createCipheriv>) {
      const cipher = node.createCipheriv(...args);
      return Object.assign(Object.create(cipher), {
        update(piece: Uint8Array) {
          const place = shared.subarray(100, 100 + piece.length);
          place.set(cipher.update(piece));
          return place;
        },
        final: () => cipher.final(),
        getAuthTag: () => (cipher as node.CipherChaCha20Poly1305).getAuthTag(),
      });
    },
  } as unknown as typeof node;
  const [key, nonce, text] = [patterned(32), patterned(24), patterned(300_000)];
  const sealed = sealWithNode(sharing, key, nonce, text, undefined);
  for (const { buffer, length } of sealed) assert.equal(buffer.byteLength, length);
  assert.ok(constantTimeEqual(concatBytes(sealed), xchachaSeal(key, nonce, text)));
});

Deno.test("bundled for a browser the primitives load nothing of node's and work", async () => {
  await inTempDir(async (dir) => {
    const bundled = `${dir}/room.js`;
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["bundle", "--quiet", "--platform", "browser", "-o", bundled, ROOM.href],
    }).output();
    assert.ok(success, new TextDecoder().decode(stderr));
    const loads = /\b(?:import|from|require)\b\s*\(?\s*["'](?!data:)[^"']*["']/.exec(
      Deno.readTextFileSync(bundled),
    );
    assert.equal(loads?.[0], undefined);
    const browser = await inRoom(pathToFileURL(bundled), true);
    assert.equal(browser.node, false);
    assert.deepEqual(browser.outputs, (await primitivesOutcome()).outputs);
  });
});
