// Imports point one way: cli to tools to vault and containment (architecture, "Layout"). What the rooms
// run must not even name what it is not allowed to use.

import assert from "node:assert/strict";
import { code, type Import, importsOf, sources, TOP } from "./sources.ts";

const FOLDERS = ["cli", "containment", "tools", "vault"];
const IMPORTS = FOLDERS.flatMap(sources).flatMap(importsOf);

function written(found: Import[]): string[] {
  return found.map(({ from, specifier }) => `${from} imports ${specifier}`);
}

function within(path: string | undefined, folder: string): boolean {
  return path?.startsWith(folder + "/") ?? false;
}

Deno.test("the imports of the project are all seen", () => {
  const seen = IMPORTS.map(({ from, to, specifier }) => `${from} ${to ?? specifier}`);
  for (
    const known of [
      "containment/walk.ts containment/error.ts",
      "containment/paths.ts node:path",
      "tools/local/scan.ts containment/mod.ts",
      "tools/session.ts containment/rooms/host.ts",
    ]
  ) {
    assert.ok(seen.includes(known), known);
  }
  for (const { from, to } of IMPORTS) {
    if (to !== undefined) assert.ok(Deno.statSync(`${TOP}/${to}`).isFile, `${from}: ${to}`);
  }
});

Deno.test("containment imports nothing of ours outside itself", () => {
  const astray = IMPORTS.filter(({ from, to }) =>
    within(from, "containment") && to !== undefined && !within(to, "containment")
  );
  assert.deepEqual(written(astray), []);
});

Deno.test("the tools import nothing of the command line", () => {
  const astray = IMPORTS.filter(({ from, to }) =>
    within(from, "tools") && to !== undefined &&
    !["tools", "vault", "containment"].some((folder) => within(to, folder))
  );
  assert.deepEqual(written(astray), []);
});

Deno.test("no local tool imports from the vault", () => {
  const astray = IMPORTS.filter(({ from, to, specifier }) =>
    within(from, "tools/local") && (within(to, "vault") || specifier.startsWith("@shieldfive/"))
  );
  assert.deepEqual(written(astray), []);
});

Deno.test("what gives files to the tools of the vault names nothing of the vault", () => {
  const astray = IMPORTS.filter(({ from, to, specifier }) =>
    within(from, "tools/vault/disk") &&
    (within(to, "vault") || specifier.startsWith("@shieldfive/"))
  );
  assert.deepEqual(written(astray), []);
});

Deno.test("the vault takes types, refusals and rooms from containment, and nothing else of ours", () => {
  const allowed = (to: string, typeOnly: boolean) =>
    within(to, "containment/rooms") || to === "containment/error.ts" ||
    within(to, "containment") && typeOnly;
  const astray = IMPORTS.filter(({ from, to, typeOnly }) =>
    within(from, "vault") && to !== undefined && !within(to, "vault") && !allowed(to, typeOnly) &&
    // Where a connection is kept: the one part of the vault's client with files.
    !(within(from, "vault/credential") && within(to, "containment"))
  );
  assert.deepEqual(written(astray), []);
});

Deno.test("nothing in the product imports from the tests or the scripts", () => {
  const astray = IMPORTS.filter(({ from, to }) =>
    to !== undefined && to !== "deno.json" && !FOLDERS.some((folder) => within(to, folder)) &&
    // What builds the owner's page, for a server that is started from the sources.
    !(from === "cli/commands/serve/page.ts" && to === "web/build.ts")
  );
  assert.deepEqual(written(astray), []);
});

Deno.test("what containment takes from elsewhere is the runtime's alone", () => {
  const foreign = IMPORTS.filter(({ from, to, specifier }) =>
    within(from, "containment") && to === undefined && !specifier.startsWith("node:")
  );
  assert.deepEqual(written(foreign), []);
});

const NETWORK =
  /^node:(net|http|http2|https|tls|dgram|dns|inspector|cluster|child_process|worker_threads)(\/|$)/;
/** What reaches the network, starts something or reads the environment, without an import. */
const REACHING =
  /\bDeno\.(connect\w*|listen\w*|serve\w*|resolveDns|upgradeWebSocket|Command|run|kill|env|dlopen|hostname|openKv)\b|\b(fetch|WebSocket|EventSource|XMLHttpRequest)\s*\(|\bprocess\.(env|dlopen|binding)\b/;

/** The one part of the vault's client that listens, for the browser's answer. */
const HANDOFF = ["vault/connect/listener.ts", "vault/connect/request_body.ts"];

Deno.test("of the vault's client one module starts a program, and none reads the environment", () => {
  const client = ["vault/client", "vault/connect", "vault/credential"].flatMap(sources);
  const uses = (what: RegExp) => client.filter((path) => what.test(code(path)));
  assert.deepEqual(uses(/\bDeno\.(Command|run|kill)\b/), ["vault/connect/opener.ts"]);
  assert.deepEqual(uses(/\bDeno\.(env|connect\w*|listen\w*|serve\w*)\b|\bprocess\.env\b/), []);
});

Deno.test("the local tools and containment use no network, no process and no environment", () => {
  const astray = IMPORTS.filter(({ from, specifier }) =>
    !within(from, "cli") && !within(from, "vault/server/http") && !HANDOFF.includes(from) &&
    NETWORK.test(specifier)
  );
  assert.deepEqual(written(astray), []);
  for (const path of ["tools", "containment"].flatMap(sources)) {
    const match = REACHING.exec(code(path));
    assert.equal(match?.[0], undefined, `${path} uses ${match?.[0]}`);
  }
});

Deno.test("no code that runs in a room loads other code by a computed name", () => {
  // The runtime's wall does not hold there: a room may load any local file, or any package, as code.
  for (const path of ["tools", "containment", "vault"].flatMap(sources)) {
    for (const [call] of code(path).matchAll(/\bimport\s*\((?!\s*["'][^"']+["']\s*[,)]).{0,40}/g)) {
      assert.fail(`${path}: ${call}`);
    }
    assert.doesNotMatch(code(path), /\bcreateRequire\b|\brequire\s*\(|\beval\s*\(|new Function\b/);
  }
});

Deno.test("rooms are given their schemas, and load no schema library", () => {
  const loading = ["tools", "containment"].flatMap(sources).filter((path) =>
    /import\s+(?!type\b)[^;]*from\s*["']zod["']/.test(code(path))
  );
  assert.deepEqual(loading, []);
});

Deno.test("each part of the program has a mod.ts with its public surface", () => {
  for (const folder of ["containment", "tools"]) {
    assert.ok(Deno.statSync(`${TOP}/${folder}/mod.ts`).isFile, folder);
  }
});

Deno.test("the command line takes from containment what its surface exports from there", () => {
  const surface = code("containment/mod.ts");
  const exported = new Set(
    [...surface.matchAll(/[{,]\s*(?:type\s+)?(\w+)/g)].map(([, name]) => name),
  );
  const inner =
    /\bimport\s+(?:type\s+)?\{([^}]*)\}\s*from\s*["'][^"']*containment\/(?!mod\.ts)[^"']+["']/g;
  const astray = sources("cli").flatMap((path) =>
    [...code(path).matchAll(inner)].flatMap(([, names]) =>
      names.split(",").map((name) => name.replace(/\btype\b|\bas\b.*/g, "").trim())
        .filter((name) => exported.has(name)).map((name) => `${path} takes ${name} from inside`)
    )
  );
  assert.deepEqual(astray, []);
});
