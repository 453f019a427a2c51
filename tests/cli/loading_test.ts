// What is loaded before a command runs. Loading is what makes a short command slow, and a library that
// is not loaded can do nothing.

import assert from "node:assert/strict";

interface Dependency {
  code?: { specifier?: string };
  isDynamic?: boolean;
}

interface Graph {
  modules: { specifier: string; dependencies?: Dependency[] }[];
  redirects: Record<string, string>;
}

const ROOT = new URL("../../", import.meta.url).href;

function graph(): Graph {
  const { stdout } = new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", new URL("mod.ts", ROOT).pathname],
  }).outputSync();
  return JSON.parse(new TextDecoder().decode(stdout));
}

/** Everything that loading these modules loads, but for what they load later, while they run. */
function loadedWith(starts: string[], { modules, redirects }: Graph): Set<string> {
  const bySpecifier = new Map(modules.map((module) => [module.specifier, module]));
  const seen = new Set<string>();
  const visit = (specifier: string) => {
    if (seen.has(specifier)) return;
    seen.add(specifier);
    const module = bySpecifier.get(redirects[specifier] ?? specifier);
    for (const { code, isDynamic } of module?.dependencies ?? []) {
      if (code?.specifier !== undefined && !isDynamic) visit(code.specifier);
    }
  };
  for (const start of starts) visit(new URL(start, ROOT).href);
  return seen;
}

Deno.test("help and version load our own modules and nothing else", () => {
  const loaded = loadedWith(
    ["mod.ts", "cli/commands.ts", "cli/commands/help.ts", "cli/version.ts"],
    graph(),
  );
  assert.ok(loaded.has(new URL("tools/catalogue.ts", ROOT).href));
  const foreign = [...loaded].filter((specifier) => !specifier.startsWith(ROOT));
  assert.deepEqual(foreign, []);
});

Deno.test("a version loads no tool", () => {
  const loaded = loadedWith(["mod.ts", "cli/version.ts"], graph());
  assert.deepEqual(
    [...loaded].filter((specifier) => /\/(tools|containment)\//.test(specifier)),
    [],
  );
});

Deno.test("no command but mcp loads the MCP library", () => {
  const every = graph();
  for (const command of ["tool_command", "doctor", "completions", "help"]) {
    const loaded = loadedWith(["mod.ts", `cli/commands/${command}.ts`], every);
    const mcp = [...loaded].filter((specifier) =>
      /modelcontextprotocol|\/cli\/mcp\//.test(specifier)
    );
    assert.deepEqual(mcp, [], command);
  }
  const server = loadedWith(["cli/commands/mcp.ts"], every);
  assert.ok([...server].some((specifier) => specifier.includes("modelcontextprotocol")));
});

/** The modules of the vault: all but the tools, which are no more than their descriptions until they run. */
const ofVault = (loaded: Set<string>) =>
  [...loaded].filter((specifier) =>
    specifier.startsWith(`${ROOT}vault/`) || specifier.startsWith(`${ROOT}tools/vault/work/`) ||
    specifier.startsWith(`${ROOT}cli/connection/`)
  );

Deno.test("nothing of the vault is loaded for help, for folders, and for a server without a vault", () => {
  const every = graph();
  for (
    const starts of [
      ["mod.ts", "cli/commands.ts", "cli/commands/help.ts"],
      ["mod.ts", "cli/commands.ts", "cli/commands/tool_command.ts", "tools/session.ts"],
      ["mod.ts", "cli/commands.ts", "cli/commands/mcp.ts", "tools/session.ts"],
    ]
  ) assert.deepEqual(ofVault(loadedWith(starts, every)), [], starts.at(-1));
  assert.ok(ofVault(loadedWith(["cli/commands/vault_way.ts"], every)).length > 0);
});

Deno.test("the room of the vault has loaded all that its tools work with, and nothing that touches the disk", () => {
  const { modules, redirects } = graph();
  const room = loadedWith(["tools/vault/room.ts"], { modules, redirects });
  const work = modules.map(({ specifier }) => specifier)
    .filter((specifier) => specifier.startsWith(`${ROOT}tools/vault/work/`));
  assert.ok(work.length > 8);
  for (const specifier of work) assert.ok(room.has(specifier), specifier);
  // The plain disk is what the room tries its walls with.
  const disk = /\/containment\/(?!rooms\/|(cancel|disk|error|text|node|paths|native_path)\.ts$)/;
  assert.deepEqual([...room].filter((specifier) => disk.test(specifier)), []);
});
