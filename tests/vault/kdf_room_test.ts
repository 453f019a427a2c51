// The room that derives keys: it can do that with no right to the disk, to the network or to anything but
// the one addon, many at a time, and nobody waits for ever.

import assert from "node:assert/strict";
import { ARGON2_LEVELS } from "@shieldfive/crypto/extra/kdf_pool.ts";
import { addonPath, bundledName, ROOM_MODULES } from "../../containment/rooms/modules.ts";
import { describePermissions } from "../../containment/rooms/permissions.ts";
import { misfits } from "../../containment/rooms/proof.ts";
import { catalogue, localTools } from "../../tools/catalogue.ts";
import { roomKinds } from "../../tools/session.ts";
import { kdfAddon, KdfRooms } from "../../vault/kdf.ts";
import { bundle } from "../../scripts/bundle.ts";
import { CONTENTS } from "../../scripts/compile/contents.ts";
import { deno } from "../scripts/built.ts";
import { inTempDir } from "../support.ts";
import type { Told } from "./kdf_driver.ts";

const ADDON = kdfAddon();
const NATIVE = ADDON !== undefined;
if (!NATIVE) console.log(`skipped in part: no native addon for ${Deno.build.target}`);

const NAME_KEY = "ff343a2de5537b49602da27aff97102e6146d2e42bad52683ce03c398b44a1d6";

function request(level: keyof typeof ARGON2_LEVELS = "interactive") {
  return {
    password: new TextEncoder().encode("QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl8="),
    salt: Uint8Array.from({ length: 16 }, (_, i) => 0xc0 + i),
    ...ARGON2_LEVELS[level],
  };
}

async function inRooms(
  body: (rooms: KdfRooms) => Promise<void>,
  options: { addon?: string; concurrency?: number } = {},
): Promise<void> {
  const logged: string[] = [];
  const rooms = await KdfRooms.open({
    concurrency: 2,
    log: (line) => logged.push(line),
    ...options,
  });
  try {
    await body(rooms);
  } finally {
    rooms.close();
  }
  assert.deepEqual(logged, []);
}

Deno.test("the room may load the one addon and nothing else", () => {
  assert.deepEqual(describePermissions("kdf", ["/a/argon2.node"]), ["ffi: /a/argon2.node"]);
});

Deno.test("no local tool has a kdf room opened for it, and the vault's have", () => {
  assert.ok(!roomKinds(localTools).includes("kdf"));
  assert.ok(roomKinds(catalogue).includes("kdf"));
});

Deno.test({
  name: "keys are derived natively in a room that can neither read, write nor connect",
  ignore: !NATIVE,
  fn: () =>
    inTempDir((dir) =>
      inRooms(async (rooms) => {
        assert.deepEqual(rooms.status, { implementation: "native" });
        Deno.writeTextFileSync(`${dir}/file`, "text");
        for (const trials of await rooms.prove({ inside: [dir], outside: "/" })) {
          assert.ok(trials.length > 8);
          assert.deepEqual(misfits("kdf", [ADDON!], trials), []);
          assert.deepEqual(trials.filter(({ allowed }) => allowed), []);
        }
        assert.equal((await rooms.derive(request())).toHex(), NAME_KEY);
      })
    ),
});

Deno.test("without an addon that loads, each core has a room that has no right at all", async () => {
  await inTempDir((dir) =>
    inRooms(async (rooms) => {
      assert.equal(rooms.status.implementation, "wasm");
      assert.match(rooms.status.why ?? "", /missing/);
      assert.equal(rooms.concurrency, 2);
      const proofs = await rooms.prove({ inside: [dir], outside: "/" });
      assert.equal(proofs.length, 2);
      // The first was given the name of a file that is not there.
      const rights = proofs[1].filter(({ allowed }) => allowed);
      assert.deepEqual(rights, []);
      const keys = await Promise.all([rooms.derive(request()), rooms.derive(request())]);
      for (const key of keys) assert.equal(key.toHex(), NAME_KEY);
    }, { addon: `${dir}/missing.node` })
  );
});

/** What the driver told that is started with these words for the runtime. */
async function told(args: string[]): Promise<Told> {
  const { code, stdout, stderr } = await deno(args);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  return JSON.parse(stdout);
}

/** Runs the driver with these rights beside the one to read. */
function driven(rights: string[], names: number): Promise<Told> {
  const driver = new URL("./kdf_driver.ts", import.meta.url).pathname;
  const flags = ["run", "--no-check", "--frozen", "--no-prompt", "--allow-read", ...rights];
  return told([...flags, driver, String(names)]);
}

Deno.test({
  name:
    "many names at once take the memory of two, in a process that may load one file and gave that up",
  ignore: !NATIVE,
  fn: async () => {
    const { status, key, different, grown } = await driven([`--allow-ffi=${ADDON}`], 40);
    assert.deepEqual(status, { implementation: "native" });
    assert.equal(key, NAME_KEY);
    assert.equal(different, 40);
    const mebibytes = grown / 2 ** 20;
    assert.ok(mebibytes > 60 && mebibytes < 256, `${mebibytes} MiB`); // all at once: 2560
  },
});

Deno.test("a main thread without the right to load it gives none, and WebAssembly does it", async () => {
  for (const rights of [[], ["--allow-ffi=/elsewhere.node"]]) {
    const { status, key, different, grown } = await driven(rights, 6);
    assert.equal(status.implementation, "wasm");
    if (NATIVE) assert.match(status.why ?? "", /^the main thread has no right \(ffi\) to load \//);
    assert.equal(key, NAME_KEY);
    assert.equal(different, 6);
    assert.ok(grown < 320 * 2 ** 20, `${grown}`);
  }
});

Deno.test({
  name: "derivations in the room do not wait for each other",
  ignore: !NATIVE,
  fn: () =>
    inRooms(async (rooms) => {
      const ended: string[] = [];
      const levels = ["moderate", "interactive"] as const;
      await Promise.all(levels.map(async (level) => {
        await rooms.derive(request(level));
        ended.push(level);
      }));
      assert.deepEqual(ended, ["interactive", "moderate"]);
    }),
});

Deno.test("closing the rooms in the middle of derivations fails them, and the process goes on", async () => {
  for (let i = 0; i < 3; i++) {
    await inRooms(async (rooms) => {
      const deriving = [rooms.derive(request()), rooms.derive(request("moderate"))];
      await new Promise((resolve) => setTimeout(resolve, 15 * i));
      rooms.close();
      for (const each of deriving) {
        await assert.rejects(
          each,
          /the kdf room was closed before it had finished a key derivation/,
        );
      }
      await assert.rejects(rooms.derive(request()), /the kdf room was closed/);
    });
  }
});

Deno.test("a request that cannot be done is refused by its code and is no bug", async () => {
  await inRooms(async (rooms) => {
    const error = await rooms.derive({ ...request(), passes: 0 }).catch((error) => error);
    assert.deepEqual([error.name, error.code], ["ToolError", "invalid_input"]);
  });
});

Deno.test("in a bundle the room has its own copy of the addon, and WebAssembly without the right to it", async () => {
  await inTempDir(async (dir) => {
    const [driver, into] = ["tests/vault/kdf_driver.ts", `${dir}/bundle`];
    const contents = { ...CONTENTS, modules: [driver, ROOM_MODULES.kdf] };
    await bundle({ into, maps: `${dir}/maps`, contents });
    const addon = `${into}/${addonPath("argon2", Deno.build.target)}`;
    const run = (right: string[]) =>
      told([
        ...["run", "--no-config", "--no-lock", "--no-npm", "--no-remote", "--no-prompt"],
        ...["--unstable-worker-options", `--allow-read=${into}`, ...right],
        ...[`${into}/${bundledName(driver)}`, "2"],
      ]);
    const without = await run([]);
    assert.deepEqual(without.status, {
      implementation: "wasm",
      why: `the main thread has no right (ffi) to load ${addon}`,
    });
    assert.equal(without.key, NAME_KEY);
    const { status, key } = await run([`--allow-ffi=${addon}`]);
    assert.deepEqual(status, { implementation: "native" });
    assert.equal(key, NAME_KEY);
  });
});
