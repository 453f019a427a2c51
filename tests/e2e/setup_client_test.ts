// `shieldfive setup client` as a person and as an assistant meet it: what is shown, what is asked, what is
// in the files afterwards, and that an assistant can start the server from what was written.

import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { COMMAND, type Finished, onTerminal, shieldfive } from "../cli/program.ts";
import { inTempDir, plant } from "../support.ts";
import { pictureOf } from "../tools/changing.ts";

const CURSOR = '{\n  // mine\n  "mcpServers": {\n    "a": {"env": {"KEY": "secret"}}\n  }\n}\n';
const CODEX = '# mine\r\nmodel = "o3"\r\n\r\n[mcp_servers.a]\r\ncommand = "x"';

// The folders of the assistants are those of Linux.
const LINUX = { ignore: Deno.build.os !== "linux" };

/** The runtime's own cache, which a home of its own would hide. */
const CACHE = JSON.parse(
  new TextDecoder().decode(
    new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).outputSync().stdout,
  ),
).denoDir as string;

interface Home {
  home: string;
  env: Record<string, string>;
  run(...args: string[]): Promise<Finished>;
  /** Everything in the home, with modes and times. */
  picture(): Record<string, string>;
}

/** A home with two assistants and a folder to work in. */
async function atHome(body: (home: Home) => Promise<void>): Promise<void> {
  await inTempDir(async (home) => {
    plant(home, { ".cursor/mcp.json": CURSOR, ".codex/config.toml": CODEX, "Downloads/": "" });
    const env = { HOME: home, DENO_DIR: CACHE, XDG_CONFIG_HOME: "", XDG_STATE_HOME: "" };
    await body({
      home,
      env,
      run: (...args) => shieldfive(["setup", "client", ...args], { cwd: home, env }),
      picture: () => pictureOf(home),
    });
  });
}

Deno.test(
  "without a terminal and without --yes the change is shown, nothing is written, exit 3",
  LINUX,
  () =>
    atHome(async ({ home, run, picture }) => {
      const before = picture();
      const { code, stdout, stderr } = await run("--root", "Downloads");
      assert.equal(code, 3, stderr);
      assert.match(
        stdout,
        /^Cursor {2}.*\.cursor\/mcp\.json\n {2}line 4:\n {2}\+ {5}"shieldfive": \{/m,
      );
      assert.match(
        stdout,
        /^Codex CLI {2}.*config\.toml\n {2}line 7:\n {2}\+ \[mcp_servers\.shieldfive\]/m,
      );
      assert.ok(stdout.includes(`"mcp", "${home}/Downloads"]`));
      assert.doesNotMatch(stdout, /secret/);
      assert.match(stderr, /hint: --yes proceeds without asking/);
      for (const flags of [["--dry-run", "--yes"], ["--show-permissions"]]) {
        assert.equal((await run("--root", "Downloads", ...flags)).code, 0);
      }
      assert.deepEqual(picture(), before);
    }),
);

Deno.test(
  "with --yes all is written, a second time nothing is, and --remove gives the same bytes",
  LINUX,
  () =>
    atHome(async ({ home, run, picture }) => {
      Deno.chmodSync(`${home}/.cursor/mcp.json`, 0o640);
      const first = await run("--root", "Downloads", "--yes");
      assert.equal(first.code, 0, first.stderr);
      assert.match(first.stdout, /^Cursor: set up in .*\.cursor\/mcp\.json$/m);
      assert.equal(Deno.lstatSync(`${home}/.cursor/mcp.json`).mode! & 0o777, 0o640);
      const state = `${home}/.local/state/shieldfive`;
      assert.equal(Deno.lstatSync(state).mode! & 0o777, 0o700);
      assert.equal(Deno.lstatSync(`${state}/setup-journal.json`).mode! & 0o777, 0o600);

      const between = picture();
      const second = await run("--root", "Downloads", "--yes");
      assert.deepEqual([second.code, second.stderr], [0, ""]);
      assert.match(second.stdout, /^Cursor {2}.* {2}already set up$/m);
      assert.deepEqual(picture(), between);

      const removed = await run("--remove", "--yes");
      assert.equal(removed.code, 0, removed.stderr);
      assert.match(removed.stdout, /^Cursor: taken out of /m);
      assert.equal(Deno.readTextFileSync(`${home}/.cursor/mcp.json`), CURSOR);
      assert.equal(Deno.readTextFileSync(`${home}/.codex/config.toml`), CODEX);
      assert.equal(Deno.lstatSync(`${home}/.cursor/mcp.json`).mode! & 0o777, 0o640);
      assert.equal(Deno.readTextFileSync(`${home}/.cursor/mcp.json.shieldfive-backup`), CURSOR);
      assert.match((await run("--remove", "--yes")).stdout, /^Cursor {2}.* {2}not set up$/m);
    }),
);

Deno.test(
  "an assistant starts the server from what was written, and gets its tools",
  LINUX,
  () =>
    atHome(async ({ home, run }) => {
      const { code, stderr } = await run("cursor", "--root", "Downloads", "--read-only", "--yes");
      assert.equal(code, 0, stderr);
      const text = Deno.readTextFileSync(`${home}/.cursor/mcp.json`);
      const { command, args } = JSON.parse(text.replace("// mine", "")).mcpServers.shieldfive;
      const client = new Client({ name: "test", version: "0" });
      const env = { PATH: "/usr/bin:/bin", HOME: home, DENO_DIR: CACHE };
      await client.connect(
        new StdioClientTransport({ command, args, env, cwd: "/", stderr: "ignore" }),
      );
      const { tools } = await client.listTools();
      await client.close();
      assert.ok(
        tools.some(({ name }) => name === "list_local"),
        tools.map(({ name }) => name).join(),
      );
      assert.ok(!tools.some(({ name }) => name === "trash_local"), "--read-only was passed on");
    }),
);

Deno.test(
  "at a terminal a yes writes what was shown",
  LINUX,
  () =>
    atHome(async ({ home, env }) => {
      const run = await onTerminal(
        [...COMMAND, "setup", "client", "cursor", "--root", "Downloads"],
        [["[y/N] ", "y\n"]],
        { cwd: home, env },
      );
      if (run === undefined) return;
      assert.equal(run.code, 0, run.screen);
      assert.match(run.screen, /"shieldfive": \{[^]*Proceed\? \[y\/N\] y\n/);
      assert.match(run.screen, /Cursor: set up in/);
      assert.match(Deno.readTextFileSync(`${home}/.cursor/mcp.json`), /"shieldfive"/);
      assert.equal(Deno.readTextFileSync(`${home}/.codex/config.toml`), CODEX);
    }),
);

Deno.test(
  "at a terminal everything but a clear yes leaves all as it is",
  LINUX,
  () =>
    atHome(async ({ home, env, picture }) => {
      const before = picture();
      for (const [answer, code] of [["n\n", 1], ["\x04", 1], ["\x03", 130]] as const) {
        const run = await onTerminal(
          [...COMMAND, "setup", "client", "--root", "Downloads"],
          [["[y/N] ", answer]],
          { cwd: home, env },
        );
        if (run === undefined) return;
        assert.equal(run.code, code, run.screen);
        assert.match(run.screen, /nothing was changed/);
        assert.deepEqual(picture(), before);
      }
    }),
);

Deno.test(
  "at a terminal the folders are asked for, with those offered that people tidy",
  LINUX,
  () =>
    atHome(async ({ home, env }) => {
      plant(home, { "photos/": "", "Documents/": "" });
      const run = await onTerminal(
        [...COMMAND, "setup", "client", "cursor"],
        [
          ["folder: ", "2\n"],
          ["folder: ", "nowhere\n"],
          ["folder: ", "~/photos\n"],
          ["folder: ", "\n"],
          ["[y/N] ", "y\n"],
        ],
        { cwd: home, env },
      );
      if (run === undefined) return;
      assert.equal(run.code, 0, run.screen);
      assert.match(run.screen, /1 {2}.*\/Downloads\n {2}2 {2}.*\/Documents\n/);
      assert.match(run.screen, /cannot work in ".*nowhere": it does not exist/);
      const text = Deno.readTextFileSync(`${home}/.cursor/mcp.json`);
      assert.ok(text.includes(`"mcp", "${home}/Documents", "${home}/photos"]`), text);
      const none = await onTerminal(
        [...COMMAND, "setup", "client", "codex"],
        [["folder: ", "\n"]],
        { cwd: home, env },
      );
      assert.equal(none!.code, 1, none!.screen);
      assert.match(none!.screen, /no folder was named; nothing was changed/);
    }),
);

Deno.test(
  "a file that changes at the question is left as it is now, and the others are written",
  LINUX,
  () =>
    atHome(async ({ home, env }) => {
      const run = await onTerminal(
        [...COMMAND, "setup", "client", "--root", "Downloads"],
        [["[y/N] ", "y\n", "echo '{}' > .cursor/mcp.json"]],
        { cwd: home, env },
      );
      if (run === undefined) return;
      assert.equal(run.code, 4, run.screen);
      assert.match(run.screen, /was changed by something else meanwhile/);
      assert.equal(Deno.readTextFileSync(`${home}/.cursor/mcp.json`), "{}\n");
      assert.match(Deno.readTextFileSync(`${home}/.codex/config.toml`), /mcp_servers\.shieldfive/);
    }),
);

Deno.test(
  "a file that cannot be read is told with its place, and the others go on",
  LINUX,
  () =>
    atHome(async ({ home, run }) => {
      plant(home, { ".cursor/mcp.json": '{\n  "mcpServers": {,}\n}' });
      const some = await run("--root", "Downloads", "--yes");
      assert.equal(some.code, 4, some.stdout);
      assert.match(some.stderr, /warning: Cursor: .* was left as it is: line 2, column 18: /);
      const all = await run("cursor", "--root", "Downloads", "--yes");
      assert.equal(all.code, 1);
      assert.equal(Deno.readTextFileSync(`${home}/.cursor/mcp.json`), '{\n  "mcpServers": {,}\n}');
      assert.match(Deno.readTextFileSync(`${home}/.codex/config.toml`), /mcp_servers\.shieldfive/);
      const missing = await run("windsurf", "--root", "Downloads", "--yes");
      assert.equal(missing.code, 1);
      assert.match(missing.stderr, /Windsurf: .*there is no folder ".*windsurf"/);
    }),
);

Deno.test("--json is the result and nothing else", LINUX, () =>
  atHome(async ({ home, run }) => {
    plant(home, { ".gemini/settings.json": "oops" });
    const planned = await run("--root", "Downloads", "--json");
    assert.equal(planned.code, 3);
    const plan = JSON.parse(planned.stdout);
    assert.equal(plan.performed, false);
    const done = await run("--root", "Downloads", "--json", "--yes");
    assert.equal(done.code, 4);
    const result = JSON.parse(done.stdout);
    const clients = result.clients.map((each: Record<string, unknown>) => [
      each.id,
      each.status,
      each.action,
      each.backup,
    ]);
    assert.deepEqual(result.performed, true);
    assert.deepEqual(clients, [
      ["cursor", "done", "add", `${home}/.cursor/mcp.json.shieldfive-backup`],
      ["codex", "done", "add", `${home}/.codex/config.toml.shieldfive-backup`],
      ["gemini", "failed", undefined, undefined],
    ]);
    const listed = JSON.parse((await run("--list", "--json")).stdout).clients;
    assert.deepEqual(
      listed.map(({ id, state, pointsHere }: Record<string, unknown>) => [id, state, pointsHere]),
      [["cursor", "present", true], ["gemini", "unreadable", undefined], [
        "codex",
        "present",
        true,
      ]],
    );
  }));

Deno.test(
  "--list and --print touch nothing, and what is printed can be pasted",
  LINUX,
  () =>
    atHome(async ({ home, run, picture }) => {
      const before = picture();
      const list = await run("--list");
      assert.match(list.stdout, /^cursor +Cursor +not set up +.*\.cursor\/mcp\.json$/m);
      const any = JSON.parse((await run("--print", "--root", "Downloads")).stdout);
      assert.deepEqual(any.mcpServers.shieldfive.args.slice(-2), ["mcp", `${home}/Downloads`]);
      const vscode = JSON.parse((await run("vscode", "--print", "--root", "Downloads")).stdout);
      assert.equal(vscode.servers.shieldfive.type, "stdio");
      const codex = (await run("codex", "--print", "--root", "Downloads")).stdout;
      assert.match(codex, /^\[mcp_servers\.shieldfive\]\ncommand = ".*"\nargs = \[.*\]\n$/);
      assert.deepEqual(picture(), before);
    }),
);

Deno.test(
  "--project changes the files of a project, where the named assistant has one",
  LINUX,
  () =>
    atHome(async ({ home, run }) => {
      plant(home, { "work/.vscode/mcp.json": '{\n\t"servers": {},\n\t"inputs": []\n}\n' });
      const found = await run("--project", "work", "--root", "Downloads", "--yes");
      assert.equal(found.code, 0, found.stderr);
      assert.match(found.stdout, /^VS Code: set up in .*\/work\/\.vscode\/mcp\.json$/m);
      const named = await run("claude-code", "--project", "work", "--root", "Downloads", "--yes");
      assert.equal(named.code, 0, named.stderr);
      const made = JSON.parse(Deno.readTextFileSync(`${home}/work/.mcp.json`));
      assert.equal(made.mcpServers.shieldfive.type, "stdio");
      assert.equal(Deno.readTextFileSync(`${home}/.cursor/mcp.json`), CURSOR);
      assert.equal((await run("--project", "work", "--remove", "--yes")).code, 0);
      assert.equal(
        Deno.readTextFileSync(`${home}/work/.vscode/mcp.json`),
        '{\n\t"servers": {},\n\t"inputs": []\n}\n',
      );
      assert.throws(() => Deno.lstatSync(`${home}/work/.mcp.json`), Deno.errors.NotFound);
      const nowhere = await run("--project", "gone", "--root", "Downloads");
      assert.match(nowhere.stderr, /there is no folder ".*gone"/);
      const never = await run("windsurf", "--project", "work", "--root", "Downloads");
      assert.deepEqual([never.code, never.stderr.includes("keeps no servers in a project")], [
        2,
        true,
      ]);
    }),
);

Deno.test(
  "a command line that makes no sense is refused with what to do",
  LINUX,
  () =>
    atHome(async ({ home, env, run, picture }) => {
      const before = picture();
      const refused: [string[], RegExp][] = [
        [[], /it is not said which folders[^]*hint: --root DIR names one/],
        [["curser", "--root", "."], /no assistant is known as "curser"; did you mean cursor\?/],
        [["--remove", "--list"], /--remove and --list exclude each other/],
        [["--remove", "--root", "."], /--root says what an entry starts, and --remove writes none/],
        [["cursor", "codex", "--print", "--root", "."], /--print is for one assistant at a time/],
        [["--rooot", "."], /no option "--rooot"; did you mean --root\?/],
      ];
      for (const [args, message] of refused) {
        const { code, stderr } = await run(...args);
        assert.equal(code, 2, stderr);
        assert.match(stderr, message);
      }
      const bad = await run("--root", "Downloads", "--root", "nowhere", "--yes");
      assert.equal(bad.code, 1);
      assert.match(bad.stderr, /cannot work in ".*nowhere": it does not exist/);
      const setup = (...args: string[]) => shieldfive(["setup", ...args], { cwd: home, env });
      const alone = await setup();
      assert.deepEqual([alone.code, alone.stdout.includes("shieldfive setup client")], [0, true]);
      const unknown = await setup("clinet");
      assert.equal(unknown.code, 2);
      assert.match(
        unknown.stderr,
        /there is no command setup "clinet"; did you mean setup client\?/,
      );
      assert.deepEqual(picture(), before);
    }),
);

Deno.test(
  "two setups at once leave one entry, and an undoing that gives the same bytes",
  LINUX,
  () =>
    atHome(async ({ home, run }) => {
      const both = await Promise.all(
        [1, 2, 3].map(() => run("--root", "Downloads", "--yes", "--json")),
      );
      assert.ok(both.some(({ code }) => code === 0), both.map(({ stderr }) => stderr).join());
      for (const { code, stderr } of both) {
        assert.ok(
          code === 0 || /changed by something else meanwhile|already at/.test(stderr),
          stderr,
        );
      }
      const text = Deno.readTextFileSync(`${home}/.cursor/mcp.json`);
      assert.equal(text.split('"shieldfive"').length, 2, text);
      assert.equal((await run("--remove", "--yes")).code, 0);
      assert.equal(Deno.readTextFileSync(`${home}/.cursor/mcp.json`), CURSOR);
      assert.equal(Deno.readTextFileSync(`${home}/.codex/config.toml`), CODEX);
    }),
);

Deno.test(
  "a name that a person would have to look at twice is written and shown as it is",
  LINUX,
  () =>
    atHome(async ({ home, run }) => {
      const odd = `${home}/a "b" \u202e é `;
      Deno.mkdirSync(odd);
      const { code, stdout, stderr } = await run("cursor", "--root", odd, "--read-only", "--yes");
      assert.equal(code, 0, stderr);
      assert.ok(!stdout.includes("\u202e") && stdout.includes("\\u{202e}"));
      const text = Deno.readTextFileSync(`${home}/.cursor/mcp.json`).replace("// mine", "");
      const { args } = JSON.parse(text).mcpServers.shieldfive;
      assert.deepEqual(args.slice(-3), ["mcp", "--read-only", `${odd}/`]);
    }),
);

Deno.test(
  "an entry that the server would refuse to start with is not written",
  LINUX,
  () =>
    atHome(async ({ home, run }) => {
      const { code, stderr } = await run("cursor", "--root", home, "--with", "files", "--yes");
      assert.equal(code, 2);
      assert.match(stderr, /no set of tools called "files"/);
      assert.equal(Deno.readTextFileSync(`${home}/.cursor/mcp.json`), CURSOR);
    }),
);

Deno.test(
  "no tool changes the files of assistants, at the terminal or over MCP",
  LINUX,
  () =>
    atHome(async ({ home, env, picture }) => {
      plant(home, { "dotfiles/zed.json": "{}", ".config/zed/": "" });
      Deno.symlinkSync(`${home}/dotfiles/zed.json`, `${home}/.config/zed/settings.json`);
      plant(home, { ".cursor/mcp.json.shieldfive-backup": "x", "new.json": "{}" });
      const before = picture();
      const attempts = [
        ["trash", ".cursor/mcp.json"],
        ["rename", ".cursor/mcp.json", "other.json"],
        ["move", ".cursor/mcp.json", "Downloads"],
        ["move", "new.json", ".cursor/mcp.json", "--overwrite"],
        ["trash", ".cursor"],
        ["rename", ".codex", "codex"],
        ["trash", ".cursor/mcp.json.shieldfive-backup"],
        ["trash", ".config/zed/settings.json"],
        ["trash", "dotfiles/zed.json"],
        ["mkdir", ".gemini/settings.json/x"],
        ["trash", ".claude.json"],
      ];
      for (const args of attempts) {
        const { code, stderr } = await shieldfive([...args, "--yes"], { cwd: home, env });
        assert.equal(code, 1, args.join(" "));
        const expected = args[1] === ".claude.json" ? /\[not_found\]/ : /\[protected_location\]/;
        assert.match(stderr, expected, args.join(" "));
      }
      const client = new Client({ name: "test", version: "0" });
      await client.connect(
        new StdioClientTransport({
          command: COMMAND[0],
          args: [...COMMAND.slice(1), "mcp", home],
          env: { ...env, PATH: "/usr/bin:/bin" },
          stderr: "ignore",
        }),
      );
      const result = await client.callTool({
        name: "trash_local",
        arguments: { paths: [`${home}/.cursor/mcp.json`] },
      });
      await client.close();
      assert.equal(result.isError, true);
      assert.match(JSON.stringify(result.content), /\[protected_location\]/);
      // The server has made the folder for what it remembers of connections, and put nothing into it.
      const state = [".local", ".local/state", ".local/state/shieldfive"]
        .map((folder) => [folder, "directory 700"]);
      assert.deepEqual(picture(), { ...before, ...Object.fromEntries(state) });
    }),
);
