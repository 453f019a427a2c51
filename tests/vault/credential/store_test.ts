// The order in which a connection is looked for, and that storing and removing leave nothing behind that
// would be found first. The keychain is one that a test makes fail as it likes.

import assert from "node:assert/strict";
import { ToolError } from "../../../containment/mod.ts";
import { createGrantCredential, formatConnectionString } from "@shieldfive/crypto/vault";
import {
  CredentialStore,
  keychainError,
  type Trouble,
  troubleOf,
} from "../../../vault/credential/mod.ts";
import { troubleIn } from "../../../vault/credential/trouble.ts";

function connectionOf(digit: number): string {
  return formatConnectionString(createGrantCredential({
    grantId: `01890a5d-ac96-774b-bcce-b302099a805${digit}`,
    mlKemPublicKey: new Uint8Array(1568),
  }));
}

const [A, B, C] = [connectionOf(1), connectionOf(2), connectionOf(3)];
const PATH = "/home/me/.config/shieldfive-mcp/connection";

/** The places that a connection can be in, in memory. */
class World {
  keychain?: string;
  file?: string;
  trouble?: Trouble;
  fileFails?: ToolError;
  readonly calls: string[] = [];
  readonly forgotten: string[] = [];

  store(variable?: string): CredentialStore {
    return new CredentialStore({
      variable,
      keychain: {
        read: () => this.#keychain("read", () => this.keychain),
        write: (text) => this.#keychain("write", () => void (this.keychain = text)),
        remove: () =>
          this.#keychain("remove", () => {
            const was = this.keychain !== undefined;
            this.keychain = undefined;
            return was;
          }),
        tryOut: () => this.#keychain("try", () => {}),
      },
      files: {
        path: PATH,
        read: () => this.#file("read", () => ({ text: this.file, warnings: [] })),
        write: (text) => this.#file("write", () => void (this.file = text)),
        remove: () =>
          this.#file("remove", () => {
            const was = this.file !== undefined;
            this.file = undefined;
            return was;
          }),
        remember: () => Promise.resolve(),
        forget: (id) => Promise.resolve(void this.forgotten.push(id)),
      },
    });
  }

  async #keychain<T>(name: string, act: () => T): Promise<T> {
    this.calls.push(`keychain ${name}`);
    if (this.trouble !== undefined) throw keychainError(this.trouble, "as the test wants it");
    return await act();
  }

  async #file<T>(name: string, act: () => T): Promise<T> {
    this.calls.push(`file ${name}`);
    if (this.fileFails !== undefined) throw this.fileFails;
    return await act();
  }
}

/** Where a connection is found, and which one. */
async function foundIn(world: World, variable?: string): Promise<unknown[]> {
  const found = await world.store(variable).find();
  if (found.state !== "connected") return [found.state, found.trouble];
  const { text, source, path } = found.kept;
  return [source, [A, B, C].indexOf(text.trim()), path, found.trouble];
}

async function failure(work: Promise<unknown>): Promise<ToolError> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof ToolError);
    return error;
  }
  return assert.fail("it did not fail");
}

Deno.test("the variable comes before the keychain, and the keychain before the file", async () => {
  const world = new World();
  [world.keychain, world.file] = [B, C];
  assert.deepEqual(await foundIn(world, A), ["env", 0, undefined, undefined]);
  assert.deepEqual(await foundIn(world, `  ${A}\n`), ["env", 0, undefined, undefined]);
  assert.deepEqual(world.calls, [], "nothing else was asked");
  assert.deepEqual(await foundIn(world), ["keychain", 1, undefined, undefined]);
  world.keychain = undefined;
  assert.deepEqual(await foundIn(world), ["file", 2, PATH, undefined]);
  world.file = undefined;
  assert.deepEqual(await foundIn(world), ["none", undefined]);
});

Deno.test("`none` turns the vault off, and no store is read", async () => {
  const world = new World();
  world.keychain = B;
  for (const off of ["none", " none "]) {
    assert.deepEqual(await foundIn(world, off), ["off", undefined]);
    assert.equal(world.store(off).variable, "off");
  }
  assert.deepEqual(world.calls, []);
  assert.deepEqual([world.store().variable, world.store(A).variable], ["unset", "set"]);
});

Deno.test("a value that is no connection string is told by its place alone", async () => {
  const secret = `${A}x`;
  const world = new World();
  const messages: string[] = [];
  messages.push((await failure(world.store(secret).find())).message);
  world.keychain = secret;
  messages.push((await failure(world.store().find())).message);
  [world.keychain, world.file] = [undefined, secret];
  messages.push((await failure(world.store().find())).message);
  assert.match(messages[0], /^SHIELDFIVE_GRANT does not hold a connection string; /);
  assert.match(messages[1], /^the keychain's entry does not hold /);
  assert.match(messages[2], /^the connection file does not hold /);
  for (const message of messages) {
    for (const part of secret.split(/[.:]/)) assert.ok(!message.includes(part), message);
  }
});

Deno.test("without a keychain the file is used, and without a file there is none", async () => {
  const world = new World();
  world.trouble = "absent";
  assert.deepEqual(await foundIn(world), ["none", "absent"]);
  world.file = C;
  assert.deepEqual(await foundIn(world), ["file", 2, PATH, "absent"]);
});

Deno.test("a keychain that is locked or does not answer is never taken for an empty one", async () => {
  for (const trouble of ["locked", "not_answering", "failed"] as const) {
    const world = new World();
    world.trouble = trouble;
    const error = await failure(world.store().find());
    assert.equal(error.code, `keychain_${trouble}`);
    assert.equal(troubleOf(error), trouble);
    world.file = C;
    assert.deepEqual(await foundIn(world), ["file", 2, PATH, trouble]);
  }
  const sentences = (["absent", "locked", "not_answering"] as const)
    .map((trouble) => keychainError(trouble, "").message);
  assert.equal(new Set(sentences).size, 3);
});

Deno.test("storing in the keychain removes the file, and not before it is stored", async () => {
  const world = new World();
  world.file = B;
  assert.deepEqual(await world.store().store(A, "keychain"), { done: "keychain", warnings: [] });
  assert.deepEqual([world.keychain, world.file], [A, undefined]);
  assert.deepEqual(world.calls, ["keychain write", "file remove"]);

  world.file = B;
  world.trouble = "locked";
  assert.equal((await failure(world.store().store(C, "keychain"))).code, "keychain_locked");
  assert.deepEqual([world.keychain, world.file], [A, B], "nothing was stored, nothing removed");

  world.trouble = undefined;
  world.fileFails = new ToolError("not_a_file", "it is a link");
  const { done, warnings } = await world.store().store(C, "keychain");
  assert.equal(done, "keychain");
  assert.match(warnings.join(), /could not be removed, and is not used any more: it is a link/);
});

Deno.test("storing in the file removes what the keychain has, which would be found first", async () => {
  const world = new World();
  world.keychain = B;
  assert.deepEqual(await world.store().store(A, "file"), { done: "file", warnings: [] });
  assert.deepEqual([world.keychain, world.file], [undefined, A]);
  assert.deepEqual(world.calls, ["file write", "keychain remove"]);
  assert.deepEqual(await foundIn(world), ["file", 0, PATH, undefined]);

  world.trouble = "absent";
  assert.deepEqual(await world.store().store(C, "file"), { done: "file", warnings: [] });
  world.trouble = "not_answering";
  const { warnings } = await world.store().store(B, "file");
  assert.match(warnings.join(), /still in the keychain would be used before the file: the system/);

  world.trouble = undefined;
  [world.keychain, world.fileFails] = [C, new ToolError("io_error", "the disk is full")];
  assert.equal((await failure(world.store().store(A, "file"))).code, "io_error");
  assert.equal(world.keychain, C, "nothing was removed");
});

Deno.test("removing takes the connection from every place, and says where it may be left", async () => {
  const world = new World();
  [world.keychain, world.file] = [A, B];
  const removed = await world.store().remove();
  assert.deepEqual(removed, { removed: ["keychain", "file"], failures: [], warnings: [] });
  assert.deepEqual([world.keychain, world.file], [undefined, undefined]);
  assert.deepEqual(world.forgotten.map((id) => id.at(-1)), ["1", "2"]);
  assert.deepEqual((await world.store().remove()).removed, []);

  world.trouble = "absent";
  world.file = "malformed";
  assert.deepEqual((await world.store().remove()).removed, ["file"]);
  for (const trouble of ["locked", "not_answering"] as const) {
    [world.trouble, world.file] = [trouble, B];
    const partly = await world.store().remove();
    assert.deepEqual(partly.removed, ["file"]);
    assert.deepEqual(partly.failures.map(({ code }) => code), [`keychain_${trouble}`]);
  }
});

Deno.test("what the systems say is told apart", () => {
  const said: Record<Trouble, string[]> = {
    absent: [
      "Platform failure: DBus error: Using X11 for dbus-daemon autolaunch was disabled at compile time",
      "Platform failure: DBus error: Failed to connect to socket /run/bus: No such file or directory",
      "Platform failure: DBus error: The name org.freedesktop.secrets was not provided by any .service files",
      "Couldn't access platform storage: Secret Service: no result found",
      "Platform failure: A specified logon session does not exist. It may already have been terminated.",
    ],
    locked: [
      "Couldn't access platform storage: Secret Service: unlock prompt was dismissed",
      "Platform failure: User interaction is not allowed.",
      "Platform failure: User canceled the operation.",
    ],
    not_answering: [
      "Platform failure: DBus error: Did not receive a reply. Possible causes include: the remote " +
      "application did not send a reply, the reply timeout expired",
    ],
    failed: ["Attribute 'user' is longer than platform limit of 10 chars", ""],
  };
  for (const [trouble, messages] of Object.entries(said)) {
    for (const message of messages) assert.equal(troubleIn(message), trouble, message);
  }
  assert.equal(troubleOf(new ToolError("not_found", "")), undefined);
});
