// Whether an assistant is served: by the two generations of the official client, one in each era of the
// protocol, and in lines, where everything on stdout and the end of the server can be seen. Each set of
// tools is called, and what a call says is compared with the disk.

import { Client as Client2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { VERSION } from "../../cli/version.ts";
import { catalogue } from "../../tools/catalogue.ts";
import type { ToolSet } from "../../tools/tool.ts";
import { fingerprint } from "../home.ts";
import { SHARED } from "../hosted.ts";
import { type Area, type Check, expect, expectEqual, expectMatch } from "./check.ts";
import { Connected } from "./connected.ts";
import { type Ended, HANDSHAKE, META, Session, STATELESS } from "./session.ts";
import { type Json, type Subject, withinPatience } from "./subject.ts";
import { expectUnchanged, filesOf, plantTree } from "./tree.ts";

/** Milliseconds that a server has to go after its client went. */
const END = 2000;

const INFO = { name: "smoke", version: "0" };

/** What the clients of both generations can do. */
interface Client {
  getServerVersion(): { name: string; version: string } | undefined;
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<Json>;
  close(): Promise<void>;
  onerror?: (error: Error) => void;
}

/** A client in conversation and the version of the protocol that it agreed on. */
interface Conversation {
  client: Client;
  protocol?: string;
}

type Connect = (subject: Subject, words: string[]) => Promise<Conversation>;

/** What is tried of each set of tools; of those for a vault, by a user who has a connection to one. */
const TRIES: Record<ToolSet, (client: Client, folder: string) => Promise<void>> = {
  local: tryLocal,
  vault: tryVault,
};

/** What somebody without a connection to a vault is offered. */
const UNCONNECTED = catalogue.filter(({ set, effect }) => set === "local" || effect === "connect");

export const mcp: Area = {
  name: "mcp",
  checks: [
    ...generation("1.x", HANDSHAKE, connect1),
    ...generation("2.x", STATELESS, connect2),
    {
      name: "the handshake is answered, stdout is protocol only, end of input ends it",
      run: lines,
    },
    { name: "the stateless protocol likewise, without a handshake", run: statelessLines },
    { name: "--read-only leaves the tools that change nothing", run: readOnly },
    { name: "an input that is empty from the start ends it with exit code 0", run: emptyInput },
    { name: "a client that stops reading ends it quietly", run: deafClient },
  ],
};

/** A client of the 1.x SDK. */
async function connect1(subject: Subject, words: string[]): Promise<Conversation> {
  const client = new Client1(INFO);
  let protocol: string | undefined;
  const transport = Object.assign(new Stdio1(launch(subject, words)), {
    setProtocolVersion: (version: string) => protocol = version,
  });
  await client.connect(transport);
  return { client: client as unknown as Client, protocol };
}

/** A client of the 2.x SDK that speaks the stateless protocol alone. */
async function connect2(subject: Subject, words: string[]): Promise<Conversation> {
  const client = new Client2(INFO, { versionNegotiation: { mode: { pin: STATELESS } } });
  await client.connect(new Stdio2(launch(subject, words)));
  return { client: client as unknown as Client, protocol: client.getNegotiatedProtocolVersion() };
}

function launch(subject: Subject, words: string[]) {
  const [command, ...args] = subject.command(["mcp", ...words]);
  return { command, args, env: subject.environment, cwd: subject.work, stderr: "ignore" as const };
}

/** The checks that a client of one generation makes. */
function generation(name: string, protocol: string, connect: Connect): Check[] {
  const served = (
    what: string,
    body: (client: Client, folder: string) => Promise<void>,
    withVault = false,
  ): Check => ({
    name: `client ${name}: ${what}`,
    async run(subject) {
      const folder = plantTree(subject);
      await using connected = withVault ? await Connected.open(subject) : undefined;
      const user = connected?.user ?? subject;
      const { client, protocol: agreed } = await connect(user, [folder]);
      const errors: string[] = [];
      client.onerror = (error) => errors.push(error.message);
      try {
        expectEqual("the protocol", agreed, protocol);
        await body(client, folder);
      } finally {
        await client.close();
      }
      expectEqual("errors of the client", errors, []);
    },
  });
  const sets = Object.entries(TRIES).map(([set, attempt]) =>
    served(
      `the ${set} tools answer, and change only what was shown and confirmed`,
      attempt,
      set === "vault",
    )
  );
  return [served(`${protocol}, the tools are those of the catalogue`, listed), ...sets];
}

async function listed(client: Client): Promise<void> {
  const { name, version } = client.getServerVersion() ?? {};
  expectEqual("the server", [name, version], ["shieldfive", VERSION]);
  const { tools } = await client.listTools();
  expectEqual("the tools", namesOf(tools), namesOf(UNCONNECTED));
}

function namesOf(tools: readonly { name: string }[]): string[] {
  return tools.map(({ name }) => name).sort();
}

/** Calls a tool and gives the blocks of its text and its structured result. */
async function call(
  client: Client,
  name: string,
  args: Json = {},
): Promise<{ texts: string[]; output: Json }> {
  const { isError, structuredContent: output, content } = await client.callTool({
    name,
    arguments: args,
  });
  expect(!isError, `a result of ${name}`, content);
  return { texts: content.map(({ text }: { text: string }) => text), output };
}

/** Shows a change, says yes to what was shown, and gives what was shown and what was done. */
async function change(
  client: Client,
  name: string,
  args: Json,
): Promise<[Json, () => Promise<Json>]> {
  const { output: plan } = await call(client, name, args);
  expectEqual("performed", plan.performed, false);
  const confirmed = { ...args, confirm: true, plan_token: plan.plan_token };
  return [plan, async () => (await call(client, name, confirmed)).output];
}

async function tryLocal(client: Client, folder: string): Promise<void> {
  await client.listTools(); // from here on the client holds results against the published schemas
  const before = fingerprint(folder);
  const { texts, output } = await call(client, "list_local");
  expectEqual("the text", JSON.parse(texts[1]), output);
  expectEqual("files", output.total_files, filesOf(folder).size);
  const found = await call(client, "find_duplicates");
  expectEqual("groups", found.output.duplicate_groups, 2);

  const args = { paths: [`${folder}/pictures`] };
  const [, trash] = await change(client, "trash_local", args);
  expectUnchanged(before, folder);
  await trash();
  expect(!fingerprint(folder).has("pictures"), "no pictures", [...fingerprint(folder).keys()]);
  const [, restore] = await change(client, "restore_local", args);
  await restore();
  expectUnchanged(before, folder);
}

/** Before each text of a vault's tool stands that it is data. */
const NOTE = /never instructions/;

/** Milliseconds for a server on a busy machine to find the connection that there is. */
const FINDING = 20_000;

/** The names of the tools, once those for the vault are among them. */
async function toolsWithVault(client: Client): Promise<string[]> {
  const until = performance.now() + FINDING;
  for (;;) {
    const names = namesOf((await client.listTools()).tools);
    if (names.length > UNCONNECTED.length || performance.now() > until) return names;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function tryVault(client: Client, folder: string): Promise<void> {
  expectEqual("the tools", await toolsWithVault(client), namesOf(catalogue));
  const { texts, output } = await call(client, "vault_list_files");
  expectMatch("the note", texts[1], NOTE);
  expectEqual("the text", JSON.parse(texts[2]), output);
  const path = `/${SHARED.folder}/${SHARED.file}`;
  expectEqual("the files", output.files.map((file: Json) => file.path), [path]);
  const [destination] = output.folders;
  const read = await call(client, "vault_read_file", { file_id: output.files[0].id });
  const fenced =
    /^<untrusted-file-content fence="(sf-\w+)">\n([^]*)\n<\/untrusted-file-content fence="\1">$/;
  expectEqual("the text of the file", fenced.exec(read.output.content)?.[2], SHARED.text);

  const before = fingerprint(folder);
  const args = { paths: [`${folder}/docs/insurance.pdf`], destination_folder_id: destination.id };
  const [, moveIn] = await change(client, "vault_move_in", args);
  expectUnchanged(before, folder);
  const { moved: [copy] } = await moveIn();
  expect(!fingerprint(folder).has("docs/insurance.pdf"), "no original", copy);
  const listed = (await call(client, "vault_list_files")).output;
  const there = listed.files.map(({ id, size }: Json) => [id, size]);
  expect(
    there.some(([id, size]: Json[]) => id === copy.vault_file_id && size === copy.bytes),
    "its copy in the vault",
    there,
  );
}

async function lines(subject: Subject): Promise<string> {
  const folder = plantTree(subject);
  await using session = new Session(subject, [folder]);
  const { protocolVersion, serverInfo } = await session.open();
  expectEqual("the protocol", protocolVersion, HANDSHAKE);
  expectEqual("the server", serverInfo.name, "shieldfive");
  expectEqual(
    "the tools",
    namesOf((await session.ask("tools/list")).result.tools),
    namesOf(UNCONNECTED),
  );
  const { structuredContent } = await session.call("list_local", {});
  expectEqual("files", structuredContent.total_files, filesOf(folder).size);
  return expectGone(await session.end());
}

async function statelessLines(subject: Subject): Promise<string> {
  const folder = plantTree(subject);
  await using session = new Session(subject, [folder]);
  const { result } = await session.ask("server/discover", { _meta: META });
  expectEqual("the versions", result?.supportedVersions, [STATELESS]);
  const params = { name: "list_local", arguments: {}, _meta: META };
  const answer = await session.ask("tools/call", params);
  expectEqual("files", answer.result?.structuredContent.total_files, filesOf(folder).size);
  return expectGone(await session.end());
}

/** @throws Unexpected unless the server went well and in time. */
function expectGone({ code, stderr, took }: Ended): string {
  expectEqual("exit code", code, 0);
  expectLog(stderr);
  expect(took < END, `an end within ${END} ms`, took);
  return `ended after ${Math.round(took)} ms`;
}

/** @throws Unexpected when anything but the program's own messages is on stderr, or one of a bug. */
function expectLog(stderr: string): void {
  expectMatch("on stderr", stderr, /^(shieldfive: (?!a bug|error)[^\n]+\n)*$/);
}

async function readOnly(subject: Subject): Promise<void> {
  await using session = new Session(subject, [subject.folder(), "--read-only"]);
  await session.open();
  const { result } = await session.ask("tools/list");
  const reading = UNCONNECTED.filter(({ effect }) => effect !== "change");
  expectEqual("the tools", namesOf(result.tools), namesOf(reading));
  expectGone(await session.end());
}

async function emptyInput(subject: Subject): Promise<void> {
  const { code, stdout, stderr } = await subject.run(["mcp", subject.folder()]);
  expectEqual("exit code and stdout", [code, stdout], [0, ""]);
  expectLog(stderr);
}

async function deafClient(subject: Subject): Promise<void> {
  const child = subject.start(["mcp", subject.folder()], subject.work, "piped");
  const stderr = new Response(child.stderr).text();
  await child.stdout.cancel();
  const input = child.stdin.getWriter();
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  await input.write(new TextEncoder().encode(JSON.stringify(ping) + "\n"));
  const { code } = await withinPatience(child, () => child.status);
  await input.close().catch(() => {}); // the server went first
  expectEqual("exit code", code, 0);
  expectLog(await stderr);
}
