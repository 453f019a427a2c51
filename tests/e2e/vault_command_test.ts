// The vault at the terminal: commands over the real program and a real server, with paths or ids, a question
// before every change, and the owner's own client to see what was done.

import assert from "node:assert/strict";
import { COMMAND, onTerminal, shieldfive } from "../cli/program.ts";
import { inTempDir } from "../support.ts";
import { at, paths, readText } from "../vault/owner/support.ts";
import { expectNoSecret } from "./connecting.ts";
import { emptyHome, type ServedVault, withServedVault } from "./vault_served.ts";

const CONTENTS = {
  "Documents/": "",
  "Documents/a.txt": "hello\tworld\r\n\u001b[31mred\n",
  "Documents/copy.txt": "hello\tworld\r\n\u001b[31mred\n",
  "Documents/photo.jpg": "not text",
  "Photos/": "",
  "top.md": "# at the top",
};

/** Runs `shieldfive vault WORDS` with the connection. */
async function vault(served: ServedVault, ...words: string[]) {
  const finished = await shieldfive(["vault", ...words], { env: served.env });
  expectNoSecret(served.connection, finished.stdout, finished.stderr);
  return finished;
}

/** The same, which must be done; gives what was printed. */
async function done(served: ServedVault, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await vault(served, ...words);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  return stdout;
}

/** What the owner sees, anew. */
async function seen({ vault }: ServedVault): Promise<string[]> {
  await vault.refresh();
  return paths(vault);
}

const lines = (text: string) =>
  text.split("\n").map((line) => line.replace(/\d{4}-\d\d-\d\d/, "DATE"));

/** What is looked at; nothing of it changes the vault. */
async function looking(served: ServedVault): Promise<void> {
  assert.deepEqual(lines(await done(served, "list")), [
    "Size  Modified    Path",
    "                  /Documents/",
    "                  /Photos/",
    "22 B  DATE  /Documents/a.txt",
    "22 B  DATE  /Documents/copy.txt",
    " 8 B  DATE  /Documents/photo.jpg",
    "12 B  DATE  /top.md",
    "",
    "4 files (64 B) and 2 folders.",
    "",
  ]);
  assert.match(
    await done(served, "search", "--in", "/Photos"),
    /^0 files \(0 B\) match in "\/Photos"\.\n$/,
  );
  assert.match(
    await done(served, "dupes"),
    /^2 copies of 22 B, 22 B to win, sha256 [0-9a-f]{16}\n.*\nkeep .*a\.txt\ncopy .*copy\.txt\n\n1 group/,
  );
  const { id } = at(served.vault, "/Documents");
  const output = JSON.parse(await done(served, "list", id, "--json"));
  assert.deepEqual([output.folder, output.total], ["/Documents", 3]);
  assert.deepEqual(output.files[0].id, at(served.vault, "/Documents/a.txt").id);
}

/** The text of a file: exact into a pipe, harmless on a terminal. */
async function reading(served: ServedVault): Promise<void> {
  assert.equal(await done(served, "read", "/Documents/a.txt"), CONTENTS["Documents/a.txt"]);
  const part = await vault(served, "read", "/Documents/a.txt", "--max-bytes", "5");
  assert.deepEqual([part.code, part.stdout], [4, "hello"]);
  assert.match(
    part.stderr,
    /warning: 5 characters of .*; the file goes on: offset 5 gives the next part/,
  );
  const photo = await vault(served, "read", "/Documents/photo.jpg");
  assert.deepEqual([photo.code, photo.stdout], [4, ""]);
  assert.match(photo.stderr, /is not shown: it is no text/);
  const shown = await onTerminal([...COMMAND, "vault", "read", "/Documents/a.txt"], [], {
    env: served.env,
  });
  if (shown !== undefined) assert.match(shown.screen, /hello\tworld\n\\e\[31mred\n/);
}

/** Changes: what is shown is not done until it is agreed to. */
async function changing(served: ServedVault): Promise<void> {
  const before = await seen(served);
  const rename = ["rename", "/Documents/a.txt", "b.txt"];
  const unasked = await vault(served, ...rename);
  assert.equal(unasked.code, 3);
  assert.match(unasked.stdout, /^Planned \(nothing changed\): rename the file/);
  assert.match(unasked.stderr, /--yes proceeds without asking/);
  assert.deepEqual(await seen(served), before);
  const no = await onTerminal([...COMMAND, "vault", ...rename], [["Proceed? [y/N]", "n\n"]], {
    env: served.env,
  });
  if (no !== undefined) assert.deepEqual([no.code, await seen(served)], [1, before]);
  assert.match(
    await done(served, ...rename, "--yes"),
    /\nDone: the file "\/Documents\/a\.txt" is "\/Documents\/b\.txt" now\./,
  );
  const moved = JSON.parse(await done(served, "move", "/top.md", "/Photos/", "--yes", "--json"));
  assert.deepEqual([moved.performed, moved.moved.path], [true, "/Photos/top.md"]);
  await done(served, "mkdir", "/Photos/2025", "--yes");
  await done(served, "trash", "/Documents/copy.txt", "/Photos/2025", "--yes");
  const after = await seen(served);
  for (const path of ["/Documents/b.txt", "/Photos/top.md"]) assert.ok(after.includes(path), path);
  for (const path of ["/Documents/copy.txt", "/Photos/2025/", "/top.md"]) {
    assert.ok(!after.includes(path), path);
  }
  const moved_id = at(served.vault, "/Photos/top.md").id;
  assert.equal(await readText(served.vault, moved_id), "# at the top");
  assert.doesNotMatch(await done(served, "list"), /copy\.txt/);
  assert.match(await done(served, "list", "--include-trash"), /Bin \(this connection\)\/copy\.txt/);
}

/** Refusals: the code, what to do, and nothing on standard output. */
async function refusing(served: ServedVault): Promise<void> {
  for (
    const [words, code, told] of [
      [["read", "/nowhere"], 1, /nothing in the vault is at "\/nowhere" \[not_found\]/],
      [["mkdir", "/new", "--yes"], 1, /name a folder in it/],
      [["list", "--limit", "5001"], 2, /--limit: .*5001/],
      [["list", "--root", "/tmp"], 2, /there is no option "--root"/],
      [["rename", "/Documents/b.txt"], 2, /vault rename needs ITEM NAME/],
      [["lst"], 2, /did you mean vault list\?/],
    ] as [string[], number, RegExp][]
  ) {
    const finished = await vault(served, ...words);
    assert.deepEqual([finished.code, finished.stdout], [code, ""], words.join(" "));
    assert.match(finished.stderr, told);
  }
  const twins = ["twin.txt", "twin.txt"];
  const folder = at(served.vault, "/Photos").id;
  const ids: string[] = [];
  for (const name of twins) {
    const content = new Blob(["twin"]);
    ids.push((await served.vault.upload(folder, { name, size: 4, content })).id);
  }
  const either = await vault(served, "read", "/Photos/twin.txt");
  assert.equal(either.code, 1);
  assert.match(either.stderr, /2 items have the path "\/Photos\/twin\.txt"; give the id of one/);
  for (const id of ids) assert.ok(either.stderr.includes(id));
  assert.equal(await done(served, "read", ids[0]), "twin");
}

/** A connection that was revoked, and one that may not do what is asked. */
async function connections(served: ServedVault): Promise<void> {
  const reading = await served.connect({ scopes: ["read"] });
  const env = { ...served.env, SHIELDFIVE_GRANT: reading };
  const refused = await shieldfive(["vault", "trash", "/Photos/top.md", "--yes"], { env });
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /\[missing_scope\]/);
  assert.doesNotMatch(refused.stderr, /vault_connect/);
  for (const { id } of await served.vault.grants()) await served.vault.revokeGrant(id);
  const revoked = await vault(served, "list");
  assert.deepEqual([revoked.code, revoked.stdout], [1, ""]);
  assert.match(
    revoked.stderr,
    /revoked or has expired; run `shieldfive login` .*\[grant_invalid\]/,
  );
}

const STEPS: Record<string, (served: ServedVault) => Promise<void>> = {
  "what is there is listed, searched, added up and compared": looking,
  "a text goes to standard output as it is, and cannot drive a terminal": reading,
  "a change is shown first, and made after a yes": changing,
  "what cannot be done is refused with its code": refusing,
  "a connection that does not hold is said to be that": connections,
};

Deno.test("the vault's commands at work", async (test) => {
  await withServedVault(CONTENTS, async (served) => {
    for (const [name, step] of Object.entries(STEPS)) await test.step(name, () => step(served));
  });
});

Deno.test("without a connection a command says how to make one, and where it is off that it is off", () =>
  inTempDir(async (dir) => {
    const { env } = emptyHome(dir);
    const none = await shieldfive(["vault", "list"], { env });
    assert.deepEqual([none.code, none.stdout], [1, ""]);
    assert.match(
      none.stderr,
      /no connection to a vault; `shieldfive login` makes one \[not_connected\]/,
    );
    const off = await shieldfive(["vault", "list", "--json"], {
      env: { ...env, SHIELDFIVE_GRANT: "none" },
    });
    assert.equal(off.code, 1);
    assert.equal(JSON.parse(off.stdout).error.code, "not_connected");
    assert.match(off.stderr, /turned off here: SHIELDFIVE_GRANT is `none`/);
    const malformed = await shieldfive(["vault", "list"], {
      env: { ...env, SHIELDFIVE_GRANT: "sf5_secret.of.somebody" },
    });
    assert.equal(malformed.code, 1);
    assert.doesNotMatch(malformed.stderr, /sf5_secret|somebody/);
  }));

Deno.test("a command for the vault shows what its rooms could touch", () =>
  inTempDir(async (dir) => {
    const { env } = emptyHome(dir);
    const { code, stdout } = await shieldfive(["vault", "list", "--show-permissions"], {
      env: { ...env, SHIELDFIVE_API_URL: "https://vault.example:8443" },
    });
    assert.equal(code, 0);
    const kinds = [...stdout.matchAll(/^room (\S+)$/gm)].map(([, kind]) => kind);
    assert.deepEqual(kinds, ["keychain", "credential", "vault", "kdf"]);
    assert.match(stdout, /room vault\n {2}net: vault\.example:8443\n {2}nothing else\n/);
    assert.match(stdout, /main thread\n.*all other rights are given up first/);
  }));
