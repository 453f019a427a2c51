// What the command line uses of the tools.

export { catalogue, localTools } from "./catalogue.ts";
export { PlanStore, requireSamePlan } from "./plan.ts";
export type {
  AnyTool,
  ChangeTool,
  Plan,
  ReadTool,
  ServerTool,
  Tool,
  ToolContext,
  View,
} from "./tool.ts";
