// How a tool is published in `tools/list`, made from its one definition. Output schemas are open and
// demand nothing at their root, because clients check them against failures as well, and are kept to
// the small part of JSON Schema that hosts understand (decisions 5).

import type { AnyTool, Schemas } from "../../tools/tool.ts";
import { OMITTED_FIELD } from "./fit.ts";

type JsonSchema = Record<string, unknown>;

/** One entry of `tools/list`. */
export interface PublishedTool {
  [field: string]: unknown;
  name: string;
  title: string;
  description: string;
  inputSchema: JsonSchema & { type: "object" };
  outputSchema: JsonSchema & { type: "object" };
  annotations: Record<string, unknown>;
}

/** The tool with its input schema made once and kept: making it costs more than a small call. */
export function keepingSchema<T extends AnyTool>(tool: T): T {
  let schema: ReturnType<AnyTool["input"]> | undefined;
  return { ...tool, input: (z) => schema ??= tool.input(z) };
}

export function publish(tool: AnyTool, z: Schemas): PublishedTool {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: inputSchema(tool, z),
    outputSchema: outputSchema(tool, z),
    annotations: { title: tool.title, ...tool.hints },
  };
}

function inputSchema(tool: AnyTool, z: Schemas): PublishedTool["inputSchema"] {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(tool.input(z), { io: "input" });
  return { ...schema, type: "object", additionalProperties: false };
}

function outputSchema(tool: AnyTool, z: Schemas): PublishedTool["outputSchema"] {
  const { properties } = z.toJSONSchema(tool.output(z), {
    io: "output",
    override: ({ jsonSchema }) => void delete jsonSchema.additionalProperties,
  });
  return {
    type: "object",
    properties: {
      ...properties,
      [OMITTED_FIELD]: {
        type: "integer",
        description: "List items left out because the result would have been too large.",
      },
      error: ERROR_SCHEMA,
    },
  };
}

const ERROR_SCHEMA: JsonSchema = {
  type: "object",
  description: "Set when the call was refused or failed.",
  properties: {
    code: { type: "string" },
    message: { type: "string" },
    changed_anything: {
      type: "boolean",
      description: "Whether something on disk may have changed before the failure.",
    },
    detail: { type: "object" },
  },
  required: ["code", "message", "changed_anything"],
};
