// Files larger than memory: what the streams hold does not grow with the file.

import assert from "node:assert/strict";
import { TOP } from "../../sources.ts";
import { LARGE_MEBIBYTES, LARGE_SHA256 } from "./properties/large_file.ts";

const MEBIBYTE = 2 ** 20;
const SIZE = LARGE_MEBIBYTES * MEBIBYTE;
const CHUNK = 4 * MEBIBYTE;
const MOST = 200_000_000;

Deno.test({
  name: `a file of ${LARGE_MEBIBYTES} MiB passes both streams in less than 200 MB`,
  ignore: Deno.build.os !== "linux",
  async fn() {
    const child = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--frozen",
        "--no-check",
        "tests/vault/crypto/memory_child.ts",
        `${SIZE}`,
      ],
      cwd: TOP,
      stdin: "null",
      stderr: "inherit",
    });
    const { success, stdout } = await child.output();
    assert.ok(success);
    const { digests, size, signature, peak } = JSON.parse(new TextDecoder().decode(stdout));
    const [before, ciphertext, after] = digests;
    assert.equal(after, before);
    assert.equal(ciphertext, LARGE_SHA256);
    assert.equal(size, 1741 + SIZE + 20 * SIZE / CHUNK);
    assert.equal(signature, null);
    assert.ok(peak < MOST, `${Math.round(peak / 1e6)} MB`);
  },
});
