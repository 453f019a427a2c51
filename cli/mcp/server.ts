// The MCP server over the catalogue: what it lists, and how a call gets to the tool. One factory
// serves the handshake protocols and the stateless one; the SDK decides per connection.
//
// `tools/list` and `tools/call` are taken as raw requests. The SDK would answer malformed arguments
// with a protocol error that no model gets to see, and would copy every result through its schemas.

import {
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { nearest } from "../../tools/input.ts";
import { quote } from "../../containment/mod.ts";
import type { Schemas, Tool } from "../../tools/tool.ts";
import type { Calls, CallScope } from "./calls.ts";
import { ClientRoots, statelessRoots } from "./client_roots.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { progressReporter, progressTokenOf } from "./progress.ts";
import { publish, type PublishedTool } from "./schemas.ts";

export interface ServerOptions {
  version: string;
  tools: readonly Tool[];
  schemas: Schemas;
  calls: Calls;
  /** Whether the client's own folders narrow the granted ones. */
  clientRoots: "ignore" | "narrow";
  log(line: string): void;
}

type Result = Record<string, unknown>;

/** Gives the function that makes the server of one connection. */
export function serverFactory(options: ServerOptions): () => Server {
  let published: PublishedTool[] | undefined;
  const list = () => published ??= options.tools.map((tool) => publish(tool, options.schemas));
  return () => {
    const server = new Server(
      { name: "shieldfive", title: "ShieldFive", version: options.version },
      { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
    );
    const roots = options.clientRoots === "narrow"
      ? new ClientRoots({ ...options, server })
      : undefined;
    server.fallbackRequestHandler = (request, context): Promise<Result> => {
      switch (request.method) {
        case "tools/list":
          return Promise.resolve(listPage(request, list()));
        case "tools/call":
          return callTool(request, context, options, roots);
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

async function callTool(
  request: JSONRPCRequest,
  context: ServerContext,
  { tools, calls, log }: ServerOptions,
  roots: ClientRoots | undefined,
): Promise<Result> {
  const tool = toolNamed(request.params?.name, tools);
  const stateless = context.mcpReq.envelope === undefined || roots === undefined
    ? undefined
    : statelessRoots(context);
  if (stateless !== undefined && "ask" in stateless) return stateless.ask;
  const scope: CallScope = {
    signal: context.mcpReq.signal,
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

function toolNamed(name: unknown, tools: readonly Tool[]): Tool {
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
