import assert from "node:assert/strict";
import { findClients } from "../../cli/clients/mod.ts";
import { realDisk } from "../../containment/mod.ts";
import { inTempDir, plant } from "../support.ts";
import { testEnvironment } from "./environment.ts";

const HERE = { command: "/bin/shieldfive", args: ["run", "mod.ts"] };

function find(home: string, executable = HERE) {
  return findClients(testEnvironment({ home }), realDisk, executable);
}

// The folders are those of Linux.
const LINUX = { ignore: Deno.build.os !== "linux" };

Deno.test("an assistant is here when its file or its folder is", LINUX, () =>
  inTempDir((home) => {
    assert.deepEqual(find(home), []);
    plant(home, { ".claude/": "", ".cursor/mcp.json": "{}", ".codeium/windsurf/": "" });
    assert.deepEqual(find(home), [
      {
        id: "claude-code",
        title: "Claude Code",
        file: `${home}/.claude.json`,
        state: "absent",
      },
      { id: "cursor", title: "Cursor", file: `${home}/.cursor/mcp.json`, state: "present" },
      {
        id: "windsurf",
        title: "Windsurf",
        file: `${home}/.codeium/windsurf/mcp_config.json`,
        state: "absent",
      },
    ]);
  }));

Deno.test(
  "what an entry starts is told, and whether that is this program",
  LINUX,
  () =>
    inTempDir((home) => {
      const entry = (command: string, args: string[]) =>
        JSON.stringify({ mcpServers: { shieldfive: { command, args, env: { A: "b" } } } });
      plant(home, {
        ".cursor/mcp.json": entry("/bin/shieldfive", ["run", "mod.ts", "mcp", "/a"]),
        ".gemini/settings.json": entry("/bin/shieldfive", ["mcp"]),
        ".codex/config.toml": '[mcp_servers.shieldfive]\ncommand = "/old/shieldfive"\n',
      });
      const found = Object.fromEntries(find(home).map((each) => [each.id, each]));
      assert.deepEqual(found.cursor.entry, {
        command: "/bin/shieldfive",
        args: ["run", "mod.ts", "mcp", "/a"],
        env: { A: "b" },
      });
      const points = Object.values(found).map(({ id, pointsHere }) => [id, pointsHere]);
      assert.deepEqual(points, [["cursor", true], ["gemini", false], ["codex", false]]);
    }),
);

Deno.test(
  "a file that cannot be read in full is told with the reason, and the others are read",
  LINUX,
  () =>
    inTempDir((home) => {
      plant(home, {
        ".cursor/mcp.json": "{\n  oops\n}",
        ".gemini/settings.json/": "",
        ".codex/config.toml": "a = 1\na = 2\n",
        ".config/zed/settings.json": "{}",
      });
      Deno.mkdirSync(`${home}/.copilot`);
      Deno.symlinkSync("nowhere", `${home}/.copilot/mcp-config.json`);
      const problems = find(home).map(({ id, state, problem }) => [id, state, problem]);
      assert.deepEqual(problems, [
        ["cursor", "unreadable", "line 2, column 3: this is no value"],
        ["gemini", "unreadable", `"${home}/.gemini/settings.json" is not a regular file`],
        ["codex", "unreadable", "line 2, column 1: defining a key multiple times is invalid"],
        ["zed", "present", undefined],
        [
          "copilot",
          "unreadable",
          `"${home}/.copilot/mcp-config.json" leads by way of a link to nothing`,
        ],
      ]);
    }),
);
