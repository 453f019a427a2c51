// The pages say what the program does: the reference is made from the catalogue, README lists the
// tools that exist and shows what they really print, and the commands to type are the ones that run.

import { strict as assert } from "node:assert";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { COMMAND } from "../scripts/program.ts";
import { reference } from "../scripts/docs.ts";
import { entriesOf, formOf, retell } from "../scripts/transcripts.ts";
import { catalogue, localTools } from "../tools/mod.ts";
import { inTempDir } from "./support.ts";

function read(name: string): string {
  return Deno.readTextFileSync(new URL(`../${name}`, import.meta.url)).replaceAll("\r\n", "\n");
}

/** The cells of the table under a heading. */
function tableUnder(heading: string, page: string): string[][] {
  const section = page.split(`\n${heading}\n`)[1]?.split(/\n## /)[0];
  assert.ok(section, `there is no section "${heading}"`);
  return section.split("\n").filter((line) => line.startsWith("| ")).slice(2)
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
}

Deno.test("docs/tools.md is what the catalogue makes of it", () => {
  assert.equal(read("docs/tools.md"), reference(catalogue), "run: deno task docs");
});

Deno.test("the reference names every argument and every field of every tool", async () => {
  const { z } = await import("zod");
  const page = reference(catalogue);
  for (const tool of catalogue) {
    const section = page.split(`\n## ${tool.name}\n`)[1].split("\n## ")[0];
    for (const name of Object.keys(tool.input(z).shape)) {
      assert.match(section, new RegExp(`^\\| \`${name}\``, "m"), `${tool.name}, ${name}`);
    }
    for (const name of Object.keys(tool.output(z).shape)) {
      assert.match(section, new RegExp(`^\\| \`${name}\``, "m"), `${tool.name}, ${name}`);
    }
  }
});

Deno.test("README lists exactly the tools of the catalogue", () => {
  const listed = tableUnder("## Tools", read("README.md"));
  const wanted = catalogue.map((tool) => [
    `\`${tool.command.join(" ")}\``,
    `\`${tool.name}\``,
    tool.brief,
  ]);
  assert.deepEqual(listed, wanted, "run: deno task docs");
});

// Its paths are those of a POSIX system.
const POSIX = { ignore: Deno.build.os === "windows" };

/** What README shows of the vault; the reference has the rest. */
const SHOWN_OF_VAULT = ["serve", "login", "vault list", "vault read", "move-in"];

Deno.test("every transcript in README is what the program prints", POSIX, async () => {
  const page = read("README.md");
  const lines = [...page.matchAll(/^\$ (?:wl-paste \| )?shieldfive (.+)$/gm)].map((match) =>
    match[1]
  );
  for (const words of [...localTools.map(({ command }) => command.join(" ")), ...SHOWN_OF_VAULT]) {
    assert.ok(lines.some((line) => `${line} `.startsWith(`${words} `)), `README shows no ${words}`);
  }
  assert.equal(await retell(page), page, "run: deno task docs");
});

Deno.test("a transcript is compared by everything but what differs from run to run", () => {
  const block = "$ shieldfive list\n  240 kB  2024-11-29  /home/sam/a.pdf\n$ shieldfive summary\n";
  assert.deepEqual(entriesOf(block), [
    { command: "shieldfive list", output: "  240 kB  2024-11-29  /home/sam/a.pdf" },
    { command: "shieldfive summary", output: "" },
  ]);
  assert.equal(formOf("240 kB  2024-11-29  a"), formOf("240 kB  2025-01-02  a"));
  assert.notEqual(formOf("240 kB  2024-11-29  a"), formOf("241 kB  2024-11-29  a"));
  assert.equal(formOf("1.0 MB (912 KB on disk)"), formOf("1.0 MB (1.1 MB on disk)"));
  assert.notEqual(formOf("1.0 MB (912 KB on disk)"), formOf("1.1 MB (912 KB on disk)"));
  const [one, other] = ["01a22e4e", "98b7a6f0"];
  assert.equal(formOf(`connection ${one} may read`), formOf(`connection ${other} may read`));
  assert.notEqual(formOf(`connection ${one} may read`), formOf(`connection ${other} may write`));
  const id = (first: string) => `"id": "${first}-0d5f-7a39-8f2e-2c1d0e9b8a76"`;
  assert.equal(formOf(id(one)), formOf(id(other)));
  assert.equal(formOf(`fence="sf-${one.repeat(4)}"`), formOf(`fence="sf-${other.repeat(4)}"`));
  const token = (letter: string) => `http://127.0.0.1:8443/#setup=${letter.repeat(43)}`;
  assert.equal(formOf(token("a")), formOf(token("_")));
  assert.equal(
    formOf("at 2026-11-30T14:12:00.123Z in 2026-11-30T14-12-00-123Z-4242-1"),
    formOf("at 2026-12-01T00:00:00.000Z in 2026-12-01T00-00-00-000Z-1-17"),
  );
});

Deno.test("README, continuous integration and deno.json agree on the commands", () => {
  const [readme, ci] = [read("README.md"), read(".ci/run")];
  const version = readme.match(/npx -y deno@([\d.]+) task test/)?.[1];
  assert.ok(version, "README does not say how to run the tests");
  assert.ok(ci.includes(`npx -y deno@${version}`));
  const named = [...readme.matchAll(/deno@([\d.]+)/g)].map((match) => match[1]);
  assert.deepEqual([...new Set(named)], [version]);
  const { tasks } = JSON.parse(read("deno.json"));
  for (const [, task] of readme.matchAll(/(?:deno|deno@[\d.]+) task (\w+)/g)) {
    assert.ok(task in tasks, `README names the task ${task}`);
  }
});

Deno.test("the configuration in README starts a server that lists the tools", async () => {
  const block = read("README.md").match(/```json\n([\s\S]*?)\n```/)?.[1] ?? "";
  const { command, args } = JSON.parse(block).mcpServers.shieldfive;
  assert.equal(command, "/home/you/.local/bin/shieldfive");
  await inTempDir(async (dir) => {
    // The program from the sources stands for the executable that was made of them.
    const [deno, ...before] = COMMAND;
    assert.equal(deno, "deno");
    const own = (args as string[]).map((arg) => arg.startsWith("/home/you/") ? dir : arg);
    const rest = [...before, ...own];
    const local = localTools.map(({ name }) => name);
    // For somebody who never connected a vault, and for somebody who wants none.
    for (const [grant, wanted] of [["", [...local, "vault_connect"]], ["none", local]] as const) {
      assert.deepEqual(
        await listedBy(rest, { ...settingsIn(dir), SHIELDFIVE_GRANT: grant }),
        wanted.toSorted(),
      );
    }
  });
});

/** The variables by which the program keeps its own files below a folder. */
function settingsIn(dir: string): Record<string, string> {
  const names = ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "SHIELDFIVE_MCP_CONFIG_DIR"];
  return Object.fromEntries(names.map((name) => [name, `${dir}/${name}`]));
}

async function listedBy(args: string[], env: Record<string, string>): Promise<string[]> {
  const client = new Client({ name: "test", version: "0" });
  await client.connect(
    new StdioClientTransport({ command: Deno.execPath(), args, env, stderr: "ignore" }),
  );
  try {
    const { tools } = await client.listTools();
    return tools.map((tool: { name: string }) => tool.name).sort();
  } finally {
    await client.close();
  }
}

Deno.test("every package is pinned by its digest, and a run cannot change the pins", () => {
  const lock = JSON.parse(read("deno.lock"));
  assert.deepEqual(Object.keys(lock).sort(), ["npm", "specifiers", "version", "workspace"]);
  for (const [name, { integrity }] of Object.entries<{ integrity: string }>(lock.npm)) {
    assert.match(integrity, /^sha512-/, name);
  }
  assert.equal(JSON.parse(read("deno.json")).lock.frozen, true);
});

Deno.test("CHANGELOG has a section for the version in deno.json", () => {
  const { version } = JSON.parse(read("deno.json"));
  assert.match(read("CHANGELOG.md"), new RegExp(`^## \\[${version}\\]`, "m"));
});

Deno.test("docs/vault.md names every command of the vault, and codes that there are", () => {
  const page = read("docs/vault.md");
  for (const { set, effect, command } of catalogue) {
    if (set === "vault" && effect !== "connect") assert.ok(page.includes(`\`${command.join(" ")}`));
  }
  const codes = tableUnder("## When something fails", page)
    .flatMap(([cell]) => [...cell.matchAll(/`([a-z_]+)`/g)].map((match) => match[1]));
  assert.ok(codes.length > 20);
  const sources = ["vault/client", "vault/connect", "vault/credential", "tools", "containment"]
    .flatMap((folder) => sourcesBelow(folder)).join("\n");
  for (const code of codes) {
    const made = code.startsWith("keychain_") ? code.slice("keychain_".length) : code;
    assert.match(sources, new RegExp(`"${made}"|\\b${made}:`), `nothing fails with ${code}`);
  }
});

/** The text of every module below a folder of the project. */
function sourcesBelow(folder: string): string[] {
  return [...Deno.readDirSync(new URL(`../${folder}`, import.meta.url))].flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) return sourcesBelow(path);
    return path.endsWith(".ts") ? [read(path)] : [];
  });
}

Deno.test("every relative link in the pages leads to a file", () => {
  const pages = ["README.md", "SECURITY.md", "CHANGELOG.md", "docs/doctor.md", "docs/serve.md"]
    .concat("docs/vault.md", "docs/mcp-grants-design.md");
  for (const page of pages) {
    const base = new URL(`../${page}`, import.meta.url);
    for (const [, target] of read(page).matchAll(/\]\((?!https?:|mailto:|#)([^)#]+)/g)) {
      assert.ok(Deno.statSync(new URL(target, base)), `${page}: ${target}`);
    }
  }
});
