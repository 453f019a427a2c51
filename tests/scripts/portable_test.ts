// The self-extracting executable with the real program and the real runtime in it.

import assert from "node:assert/strict";
import { PERMISSIONS } from "../../cli/executable.ts";
import { VARIABLES } from "../../cli/environment.ts";
import { bundle } from "../../scripts/bundle.ts";
import { packPortable } from "../../scripts/portable/pack.ts";
import config from "../../deno.json" with { type: "json" };
import { exists, inTempDir, plant } from "../support.ts";
import {
  asNobody,
  IGNORE,
  inside,
  packed,
  placeIn,
  run,
  spawn,
  type StartOptions,
  unpacked,
} from "./packed.ts";

let built = "";

Deno.test.beforeAll(async () => {
  if (IGNORE) return;
  built = Deno.makeTempDirSync({ prefix: "shieldfive-built-" });
  const parts = { into: `${built}/bundle`, maps: `${built}/maps`, commit: "1234abc" };
  await bundle(parts);
  const bytes = await packPortable({
    bundle: parts.into,
    runtime: Deno.execPath(),
    version: config.version,
    os: Deno.build.os === "darwin" ? "darwin" : "linux",
    needs: "this machine",
  });
  Deno.mkdirSync(`${built}/with space`);
  Deno.writeFileSync(`${built}/with space/shieldfive`, bytes);
  Deno.chmodSync(`${built}/with space/shieldfive`, 0o555);
  Deno.chmodSync(`${built}/with space`, 0o555);
  Deno.chmodSync(built, 0o755);
});

Deno.test.afterAll(() => {
  if (!IGNORE) Deno.removeSync(built, { recursive: true });
});

function test(name: string, body: (dir: string) => Promise<void>): void {
  Deno.test({ name, ignore: IGNORE, fn: () => inTempDir(body) });
}

/** Runs it and expects it to end well and to say nothing on stderr; gives its output. */
async function quietly(args: string[], options: StartOptions): Promise<string> {
  const { code, stdout, stderr } = await run(`${built}/with space/shieldfive`, args, options);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" }, args.join(" "));
  return stdout;
}

test("it is the program, and every room opens", async (dir) => {
  const env = inside(dir);
  plant(dir, { "files/a.txt": "a", "files/b.txt": "a" });
  const cwd = `${dir}/files`;
  assert.equal(await quietly(["--version"], { env }), `shieldfive ${config.version} (1234abc)\n`);
  assert.match(await quietly(["list"], { env, cwd }), /a\.txt[^]*2 files/);
  assert.match(await quietly(["dupes"], { env, cwd }), /b\.txt/);
  await run(`${built}/with space/shieldfive`, ["trash", "a.txt", "--yes"], { env, cwd });
  assert.equal(exists(`${cwd}/a.txt`), false);
  await run(`${built}/with space/shieldfive`, ["restore", "--yes"], { env, cwd });
  assert.equal(Deno.readTextFileSync(`${cwd}/a.txt`), "a");
  const served = await run(`${built}/with space/shieldfive`, ["mcp", cwd], { env });
  assert.equal(served.code, 0, served.stderr);
  assert.match(served.stderr, /^shieldfive: serving 1 root: /);
});

test("what is typed is never taken for the runtime's own", async (dir) => {
  const env = inside(dir);
  for (const word of ["--allow-net", "--inspect", "--eval", "-A", "--v8-flags=--help", "run"]) {
    const { code, stdout, stderr } = await run(`${built}/with space/shieldfive`, [word], { env });
    assert.equal(code, 2, word);
    assert.equal(stdout, "");
    assert.match(stderr, /^shieldfive: error: there is no command/);
  }
});

test("it knows its own file, and protects it and what it unpacked", async (dir) => {
  const env = inside(dir);
  Deno.symlinkSync(`${built}/with space/shieldfive`, `${dir}/link`);
  const { stdout } = await run(`${dir}/link`, ["doctor", "--json"], { env, cwd: env.HOME });
  const said = JSON.parse(stdout);
  const data = (name: string) =>
    said.sections.flatMap((section: { findings: unknown[] }) => section.findings)
      .filter((finding: { check: string }) => finding.check === name)
      .map((finding: { data: unknown }) => finding.data);
  const [{ how, command, args }] = data("program.started");
  assert.deepEqual({ how, command, args }, { how: "portable", command: `${dir}/link`, args: [] });
  const places = data("protected.place").map(({ path }: { path: string }) => path);
  const version = unpacked(placeIn(dir));
  for (
    const place of [
      `${dir}/link`,
      `${built}/with space/shieldfive`,
      version,
      placeIn(dir).replace(/\/program$/, ""),
    ]
  ) {
    assert.ok(places.includes(place), `${place} is not in ${places.join(" ")}`);
  }
});

test("another user without a home folder lists, piped in and out", async (dir) => {
  const by = asNobody();
  if (by === undefined) return;
  plant(dir, { "files/a.txt": "a" });
  Deno.mkdirSync(`${dir}/shared`);
  Deno.chmodSync(`${dir}/shared`, 0o1777);
  Deno.chmodSync(dir, 0o755);
  const env = { TMPDIR: `${dir}/shared` };
  const line = `echo | "$0" list "${dir}/files" | cat`;
  const told = await run("sh", ["-c", line, `${built}/with space/shieldfive`], { env, by });
  assert.match(told.stdout, /a\.txt\n\n1 file/);
  assert.match(told.stderr, /^shieldfive: warning: [^\n]*; the program runs from [^\n]*\n$/);
});

test("nothing around it has a say", async (dir) => {
  const env = inside(dir);
  plant(dir, { "files/a.txt": "a" });
  const expected = await quietly(["list", `${dir}/files`], { env });
  const broken = "{ not JSON";
  for (const folder of ["cwd", "home", "home/.cache", "home/.cache/shieldfive/program"]) {
    plant(`${dir}/${folder}`, {
      "deno.json": broken,
      "deno.lock": broken,
      "package.json": broken,
      "import_map.json": broken,
      "node_modules/zod/package.json": broken,
      "tsconfig.json": broken,
      ".env": "DENO_V8_FLAGS=--no-such",
    });
    Deno.mkdirSync(`${dir}/${folder}/.npmrc`);
  }
  const hostile = {
    DENO_DIR: "/proc/nowhere",
    DENO_V8_FLAGS: "--no-such-flag --max-old-space-size=1",
    DENO_AUTH_TOKENS: "\n",
    DENO_TLS_CA_STORE: "nowhere",
    DENO_CERT: "/nowhere.pem",
    DENO_NO_PROMPT: "",
    DENO_LOG: "trace",
    DENO_COVERAGE_DIR: `${dir}/coverage`,
    DENO_AUDIT_PERMISSIONS: `${dir}/audit`,
    DENO_TRACE_PERMISSIONS: "1",
    DENO_PERMISSION_BROKER_PATH: "/nowhere",
    DENO_CONDITIONS: "browser",
    DENO_COMPAT: "1",
    DENO_AUTO_SERVE: "1",
    NODE_OPTIONS: "--require /nowhere",
    NODE_DEBUG: "fs,module",
    NODE_V8_COVERAGE: `${dir}/coverage`,
    NPM_CONFIG_REGISTRY: "not an address",
    OTEL_DENO: "true",
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
    RUST_LOG: "trace",
    SSLKEYLOGFILE: `${dir}/keys`,
  };
  const options = { env: { ...env, ...hostile }, cwd: `${dir}/cwd` };
  assert.equal(await quietly(["list", `${dir}/files`], options), expected);
  assert.deepEqual(["coverage", "audit", "keys"].filter((name) => exists(`${dir}/${name}`)), []);
});

test("a first start that is killed while it unpacks leaves nothing in the way", async (dir) => {
  const env = inside(dir);
  const by = ["setsid"];
  if (Deno.build.os !== "linux") return console.log("skipped: there is no setsid here");
  const child = spawn(`${built}/with space/shieldfive`, ["--version"], { env, by });
  const started = () => {
    if (!exists(placeIn(dir))) return false;
    const [left] = [...Deno.readDirSync(placeIn(dir))].filter(({ name }) => /^\.new-/.test(name));
    return left !== undefined && exists(`${placeIn(dir)}/${left.name}/deno`);
  };
  while (!started()) await new Promise((resolve) => setTimeout(resolve, 1));
  await new Deno.Command("sh", { args: ["-c", `kill -9 -${child.pid}`] }).output();
  await Promise.all([child.stdin.close(), child.stdout.cancel(), child.stderr.cancel()]);
  assert.equal((await child.status).success, false);
  assert.equal(exists(`${unpacked(placeIn(dir))}/files`), false);
  assert.match(await quietly(["--version"], { env }), /^shieldfive /);
  const [left] = [...Deno.readDirSync(placeIn(dir))].filter(({ name }) => /^\.new-/.test(name));
  const long = new Date(Date.now() - 3_600_000);
  Deno.utimeSync(`${placeIn(dir)}/${left.name}`, long, long);
  await quietly(["--version"], { env });
  assert.equal(exists(`${placeIn(dir)}/${left.name}`), false);
});

const PROBE = `
import { processEnvironment } from "${new URL("../../cli/environment.ts", import.meta.url)}";
processEnvironment();
`;

test("what the program starts finds the environment that it was called with", async (dir) => {
  Deno.writeTextFileSync(
    `${dir}/probe.ts`,
    `${PROBE}console.log(JSON.stringify(Deno.env.toObject()));`,
  );
  const file = await packed(dir, {
    runtime: `#!/bin/sh
[ "$1" = --version ] || exec '${Deno.execPath()}' run -A --no-lock --no-code-cache '${dir}/probe.ts'
`,
  });
  const { HOME, TMPDIR } = inside(dir);
  const env = {
    HOME,
    TMPDIR,
    DENO_DIR: "/elsewhere of mine",
    DENO_NO_UPDATE_CHECK: "",
    NODE_OPTIONS: "--require\n'x'",
    OTEL_DENO: "false",
    EMPTY: "",
    SHIELDFIVE_MCP_ROOTS: "/roots",
  };
  for (const outer of [env, { PATH: HOME, TMPDIR, XDG_CACHE_HOME: HOME }]) {
    const { stdout, stderr } = await run(file, [], { env: outer });
    assert.equal(stderr, "");
    const { PWD: _shell, OLDPWD: _shellToo, _: _alsoShell, ...found } = JSON.parse(stdout);
    assert.deepEqual(found, { PATH: Deno.env.get("PATH"), ...outer });
  }
});

test("inside, the program has the rights of every executable and no others", async (dir) => {
  const names = [...VARIABLES, "DENO_DIR", "NODE_OPTIONS", "SHIELDFIVE_KEPT", "LD_PRELOAD"];
  const asked = [
    ...["read", "write", "net", "run", "ffi", "env", "import", "sys"].map((name) => ({ name })),
    ...names.map((variable) => ({ name: "env", variable })),
    ...["uid", "statfs", "hostname"].map((kind) => ({ name: "sys", kind })),
  ];
  Deno.writeTextFileSync(
    `${dir}/probe.ts`,
    `${PROBE}for (const each of ${JSON.stringify(asked)} as Deno.PermissionDescriptor[]) {
      console.log(JSON.stringify(each), Deno.permissions.querySync(each).state);
    }`,
  );
  // In place of the program's entry, with the flags that the runtime gets.
  const file = await packed(dir, {
    runtime: `#!/bin/sh
[ "$1" != --version ] || exit 0
for word; do
  shift
  case $word in */main.js) word='${dir}/probe.ts' ;; esac
  set -- "$@" "$word"
done
exec '${Deno.execPath()}' "$@"
`,
  });
  const { stdout, stderr } = await run(file, [], { env: { ...inside(dir), NODE_OPTIONS: "x" } });
  assert.equal(stderr, "");
  const plain = await new Deno.Command(Deno.execPath(), {
    args: ["run", ...PERMISSIONS, `${dir}/probe.ts`],
  }).output();
  assert.equal(stdout, new TextDecoder().decode(plain.stdout));
  assert.match(stdout, /^\{"name":"env","variable":"HOME"\} granted$/m);
  assert.match(stdout, /^\{"name":"env","variable":"NODE_OPTIONS"\} prompt$/m);
  assert.match(stdout, /^\{"name":"net"\} prompt$/m);
});
