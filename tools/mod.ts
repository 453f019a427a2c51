// What the command line uses of the tools.

export { catalogue } from "./catalogue.ts";
export { PlanStore, requireSamePlan } from "./plan.ts";
export type { ChangeTool, Plan, ReadTool, Tool, ToolContext, View } from "./tool.ts";
