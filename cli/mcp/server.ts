// The MCP server over the catalogue: what it lists, and how a call gets to the tool. One factory
// serves the handshake protocols and the stateless one; the SDK decides per connection.
//
// `tools/list` and `tools/call` are taken as raw requests. The SDK would answer malformed arguments
// with a protocol error that no model gets to see, and would copy every result through its schemas.

import {
  CLIENT_INFO_META_KEY,
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { nearest } from "../../tools/input.ts";
import { quote } from "../../containment/mod.ts";
import type { AnyTool, Schemas } from "../../tools/tool.ts";
import type { Calls, CallScope } from "./calls.ts";
import { ClientRoots, statelessRoots } from "./client_roots.ts";
import { instructions } from "./instructions.ts";
import { progressReporter, progressTokenOf } from "./progress.ts";
import type { Registration } from "./registration.ts";
import { publish, type PublishedTool } from "./schemas.ts";

export interface ServerOptions {
  version: string;
  registration: Registration;
  schemas: Schemas;
  calls: Calls;
  /** Whether the client's own folders narrow the granted ones. */
  clientRoots: "ignore" | "narrow";
  log(line: string): void;
}

type Result = Record<string, unknown>;

/** Gives the function that makes the server of one connection. */
export function serverFactory(options: ServerOptions): () => Server {
  const { registration, schemas, version, log } = options;
  const published = new Map<AnyTool, PublishedTool>();
  const publishedOnce = (tool: AnyTool) => {
    const known = published.get(tool) ?? publish(tool, schemas);
    published.set(tool, known);
    return known;
  };
  const { changes } = registration;
  return () => {
    const server = new Server(
      { name: "shieldfive", title: "ShieldFive", version },
      {
        capabilities: { tools: changes ? { listChanged: true } : {} },
        instructions: instructions({ vault: changes }),
      },
    );
    registration.onChange(() => {
      server.sendToolListChanged().catch((error) => log(`no client was told: ${error.message}`));
    });
    const roots = options.clientRoots === "narrow"
      ? new ClientRoots({ ...options, server })
      : undefined;
    server.fallbackRequestHandler = async (request, context): Promise<Result> => {
      switch (request.method) {
        case "tools/list":
          return listPage(request, (await registration.listed()).map(publishedOnce));
        case "tools/call":
          return await callTool(request, context, { ...options, server, roots });
        default:
          throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
      }
    };
    return server;
  };
}

function listPage(request: JSONRPCRequest, tools: PublishedTool[]): Result {
  if (request.params?.cursor === undefined) return { tools };
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    "Invalid params: there is no such page; the list has only one",
  );
}

interface Connected extends ServerOptions {
  server: Server;
  roots: ClientRoots | undefined;
}

async function callTool(
  request: JSONRPCRequest,
  context: ServerContext,
  { registration, calls, log, server, roots }: Connected,
): Promise<Result> {
  const tool = toolNamed(request.params?.name, registration.callable);
  const stateless = context.mcpReq.envelope === undefined || roots === undefined
    ? undefined
    : statelessRoots(context);
  if (stateless !== undefined && "ask" in stateless) return stateless.ask;
  const scope: CallScope = {
    signal: context.mcpReq.signal,
    clientName: clientNameOf(context, server),
    onProgress: progressReporter(
      progressTokenOf(context.mcpReq._meta),
      context.mcpReq.signal,
      (params) => {
        context.mcpReq.notify({ method: "notifications/progress", params })
          .catch((error) => log(`progress was not sent: ${error.message}`));
      },
    ),
    within: async () =>
      stateless === undefined ? await roots?.current() : roots?.told(stateless.answer),
  };
  return await calls.run(tool, request.params?.arguments, scope);
}

/** What the client calls itself: one of the stateless protocol says it in each call. */
function clientNameOf({ mcpReq }: ServerContext, server: Server): string | undefined {
  const envelope = mcpReq.envelope as Record<string, { name?: unknown } | undefined> | undefined;
  const name = envelope?.[CLIENT_INFO_META_KEY]?.name ?? server.getClientVersion()?.name;
  return typeof name === "string" ? name : undefined;
}

function toolNamed(name: unknown, tools: readonly AnyTool[]): AnyTool {
  const tool = tools.find((each) => each.name === name);
  if (tool !== undefined) return tool;
  const near = typeof name === "string"
    ? nearest(name.slice(0, 200), tools.map((each) => each.name))
    : undefined;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool: ${quote(name, 100)}` + (near === undefined ? "" : `; did you mean ${near}?`),
  );
}
