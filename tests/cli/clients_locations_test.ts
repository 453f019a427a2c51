import assert from "node:assert/strict";
import { EVERY_CLIENT, projectLocations, userLocations } from "../../cli/clients/mod.ts";

type Surroundings = Parameters<typeof userLocations>[0];

function files(surroundings: Surroundings): Record<string, string> {
  return Object.fromEntries(
    userLocations(surroundings).map(({ client, file }) => [client.id, file]),
  );
}

Deno.test("on Linux every client's file is where the client looks for it", () => {
  const code = "/home/me/.config/Code/User";
  assert.deepEqual(files({ variables: {}, home: "/home/me", os: "linux" }), {
    "claude-desktop": "/home/me/.config/Claude/claude_desktop_config.json",
    "claude-code": "/home/me/.claude.json",
    "cursor": "/home/me/.cursor/mcp.json",
    "vscode": `${code}/mcp.json`,
    "windsurf": "/home/me/.codeium/windsurf/mcp_config.json",
    "gemini": "/home/me/.gemini/settings.json",
    "codex": "/home/me/.codex/config.toml",
    "zed": "/home/me/.config/zed/settings.json",
    "cline": "/home/me/.cline/data/settings/cline_mcp_settings.json",
    "cline-vscode": `${code}/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json`,
    "roo": `${code}/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json`,
    "copilot": "/home/me/.copilot/mcp-config.json",
  });
});

Deno.test("on macOS every client's file is where the client looks for it", () => {
  const support = "/Users/me/Library/Application Support";
  const found = files({ variables: { XDG_CONFIG_HOME: "/x" }, home: "/Users/me", os: "darwin" });
  assert.equal(found["claude-desktop"], `${support}/Claude/claude_desktop_config.json`);
  assert.equal(found["claude-code"], "/Users/me/.claude.json");
  assert.equal(found.vscode, `${support}/Code/User/mcp.json`);
  assert.equal(
    found.roo,
    `${support}/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json`,
  );
  assert.equal(found.zed, "/Users/me/.config/zed/settings.json");
  assert.equal(found.cursor, "/Users/me/.cursor/mcp.json");
});

Deno.test("on Windows every client's file is where the client looks for it", () => {
  const home = "C:\\Users\\me";
  const found = files({ variables: {}, home, os: "windows" });
  const roaming = `${home}\\AppData\\Roaming`;
  assert.equal(found["claude-desktop"], `${roaming}\\Claude\\claude_desktop_config.json`);
  assert.equal(found.vscode, `${roaming}\\Code\\User\\mcp.json`);
  assert.equal(found.zed, `${roaming}\\Zed\\settings.json`);
  assert.equal(found.cursor, `${home}\\.cursor\\mcp.json`);
  assert.equal(found.codex, `${home}\\.codex\\config.toml`);
  assert.equal(found["claude-code"], `${home}\\.claude.json`);
  const moved = files({ variables: { APPDATA: "D:\\R" }, home, os: "windows" });
  assert.equal(moved["claude-desktop"], "D:\\R\\Claude\\claude_desktop_config.json");
});

Deno.test("folders that were moved by a variable are followed, when they are absolute", () => {
  const variables = {
    XDG_CONFIG_HOME: "/c",
    CLAUDE_CONFIG_DIR: "/claude",
    CODEX_HOME: "/codex",
    COPILOT_HOME: "relative",
  };
  const found = files({ variables, home: "/home/me", os: "linux" });
  assert.equal(found.vscode, "/c/Code/User/mcp.json");
  assert.equal(found.zed, "/c/zed/settings.json");
  assert.equal(found["claude-code"], "/claude/.claude.json");
  assert.equal(found.codex, "/codex/config.toml");
  assert.equal(found.copilot, "/home/me/.copilot/mcp-config.json");
});

Deno.test("without a home there is nothing to look at", () => {
  assert.deepEqual(userLocations({ variables: {}, home: undefined }), []);
});

Deno.test("a client is known by the folder that it makes, and Claude Code not by the home folder", () => {
  const found = userLocations({ variables: {}, home: "/home/me", os: "linux" });
  const signs = Object.fromEntries(found.map(({ client, sign }) => [client.id, sign]));
  assert.equal(signs["claude-code"], "/home/me/.claude");
  assert.equal(signs.cursor, "/home/me/.cursor");
  assert.ok(!Object.values(signs).includes("/home/me"));
});

Deno.test("a project has the files of the clients that keep one there", () => {
  const found = projectLocations("/p", "linux").map(({ client, file }) => [client.id, file]);
  assert.deepEqual(found, [
    ["claude-code", "/p/.mcp.json"],
    ["cursor", "/p/.cursor/mcp.json"],
    ["vscode", "/p/.vscode/mcp.json"],
    ["gemini", "/p/.gemini/settings.json"],
  ]);
  const [first] = projectLocations("C:\\p", "windows");
  assert.equal(first.file, "C:\\p\\.mcp.json");
});

Deno.test("every client has a name of its own that can be typed", () => {
  const ids = EVERY_CLIENT.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^[a-z][a-z-]*$/);
});
