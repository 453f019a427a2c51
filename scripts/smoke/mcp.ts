// Whether an assistant is served: by the two generations of the official client, one in each era of the
// protocol, and in lines, where everything on stdout and the end of the server can be seen. Each set of
// tools is called, and what a call says is compared with the disk.

import { Client as Client2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { VERSION } from "../../cli/version.ts";
import { catalogue } from "../../tools/catalogue.ts";
import type { Tool } from "../../tools/tool.ts";
import { fingerprint } from "../home.ts";
import { type Area, type Check, expect, expectEqual, expectMatch } from "./check.ts";
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

/** A connected client and the version of the protocol that it agreed on. */
interface Connected {
  client: Client;
  protocol?: string;
}

type Connect = (subject: Subject, words: string[]) => Promise<Connected>;

/** What is tried of each set of tools. */
const TRIES: Record<Tool["set"], (client: Client, folder: string) => Promise<void>> = {
  local: tryLocal,
};

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
async function connect1(subject: Subject, words: string[]): Promise<Connected> {
  const client = new Client1(INFO);
  let protocol: string | undefined;
  const transport = Object.assign(new Stdio1(launch(subject, words)), {
    setProtocolVersion: (version: string) => protocol = version,
  });
  await client.connect(transport);
  return { client: client as unknown as Client, protocol };
}

/** A client of the 2.x SDK that speaks the stateless protocol alone. */
async function connect2(subject: Subject, words: string[]): Promise<Connected> {
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
  ): Check => ({
    name: `client ${name}: ${what}`,
    async run(subject) {
      const folder = plantTree(subject);
      const { client, protocol: agreed } = await connect(subject, [folder]);
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
    served(`the ${set} tools answer, and change only what was shown and confirmed`, attempt)
  );
  return [served(`${protocol}, the tools are those of the catalogue`, listed), ...sets];
}

async function listed(client: Client): Promise<void> {
  const { name, version } = client.getServerVersion() ?? {};
  expectEqual("the server", [name, version], ["shieldfive", VERSION]);
  const { tools } = await client.listTools();
  expectEqual("the tools", namesOf(tools), namesOf(catalogue));
}

function namesOf(tools: readonly { name: string }[]): string[] {
  return tools.map(({ name }) => name).sort();
}

async function tryLocal(client: Client, folder: string): Promise<void> {
  await client.listTools(); // from here on the client holds results against the published schemas
  const before = fingerprint(folder);
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<Json> => {
    const { isError, structuredContent, content } = await client.callTool({
      name,
      arguments: args,
    });
    expect(!isError, `a result of ${name}`, content);
    expectEqual(`the text of ${name}`, JSON.parse(content[1].text), structuredContent);
    return structuredContent;
  };
  expectEqual("files", (await call("list_local")).total_files, filesOf(folder).size);
  expectEqual("groups", (await call("find_duplicates")).duplicate_groups, 2);

  const args = { paths: [`${folder}/pictures`] };
  const plan = await call("trash_local", args);
  expectEqual("performed", plan.performed, false);
  expectUnchanged(before, folder);
  await call("trash_local", { ...args, confirm: true, plan_token: plan.plan_token });
  expect(!fingerprint(folder).has("pictures"), "no pictures", [...fingerprint(folder).keys()]);

  const back = await call("restore_local", args);
  await call("restore_local", { ...args, confirm: true, plan_token: back.plan_token });
  expectUnchanged(before, folder);
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
    namesOf(catalogue),
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
  const reading = catalogue.filter(({ effect }) => effect === "read");
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
